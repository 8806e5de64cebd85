"""Exit code 0 when the control plane on this machine says that it is well. Starts in a few milliseconds."""

import socket
import sys


def healthy(port: int, *, seconds: float = 2.0) -> bool:
    """Whether GET /health is answered with 200 in time."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection:
            connection.sendall(b"GET /health HTTP/1.0\r\nHost: localhost\r\n\r\n")
            return connection.recv(64).split(b" ")[1:2] == [b"200"]
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(0 if healthy(int(sys.argv[1])) else 1)
