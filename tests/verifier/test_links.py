from tests.verifier.site import running, serve
from verifier.addresses import Addresses
from verifier.control import Control
from verifier.links import dead, status


def test_a_link_is_dead_when_it_is_answered_with_an_error_or_not_at_all():
    with running("dead link") as candidate:
        addresses = Addresses("https://shop.example", candidate.address.rstrip("/"))
        links = [f"https://shop.example{path}" for path in ("/", "/about?x=1", "/vase", "/nowhere", "/add")]
        assert dead(links, addresses) == {links[2], links[3]}
        assert "/about" in candidate.site.seen
    assert dead(links[:1], addresses) == {links[0]}


def test_redirects_are_not_followed():
    def away(environ, start):
        start("302 Found", [("Location", "http://elsewhere.example/"), ("Content-Length", "0")])
        return [b""]

    with serve(away) as address:
        assert status(address) == 302


def test_the_control_plane_is_asked_with_its_token():
    with running() as candidate:
        control = Control(candidate.control_address, "secret")
        assert control.manifest() == {"mirror": "f" * 64}
        session, url = control.new_session()
        assert url.startswith(f"http://{session}.localhost:")
        assert control.reset(session)["state"] == control.reset(None)["seed"] == "seed"
        control.end_session(session)
        assert candidate.control.ended == [session]
        stranger = Control(candidate.control_address, "wrong")
        assert stranger.manifest() == {} and stranger.new_session() is None
