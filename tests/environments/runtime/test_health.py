import socket
import threading

import pytest

from environments.runtime.health import healthy


@pytest.mark.parametrize(("line", "well"), [(b"HTTP/1.0 200 OK\r\n\r\n", True), (b"HTTP/1.0 500 No\r\n\r\n", False)])
def test_it_is_what_the_control_plane_says(line: bytes, well: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(line)

        thread = threading.Thread(target=answer)
        thread.start()
        assert healthy(server.getsockname()[1]) is well
        thread.join()


def test_nobody_there_is_not_well() -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        assert not healthy(held.getsockname()[1])
