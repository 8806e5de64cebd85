import pytest

from artifacts.evidence import Actionable
from explorer.crawl.safety import of_control, of_form, of_link


def field(name: str = "q", *, tag: str = "input", kind: str = "text") -> Actionable:
    return Actionable(selector=f"[name={name}]", role="textbox", name=name, tag=tag, input_type=kind, field_name=name)


@pytest.mark.parametrize(
    ("url", "text", "safety"),
    [
        ("http://a.example/catalogue/moby-dick_5/", "Moby-Dick", "read"),
        ("http://a.example/accounts/logout/", "Leave", "account"),
        ("http://a.example/x", "Log out", "account"),
        ("http://a.example/x", "Abmelden", "account"),
        ("http://a.example/item/5/delete", "x", "write"),
        ("http://a.example/post?do=remove&id=4", "x", "write"),
        ("http://a.example/x", "削除", "write"),
        ("http://a.example/x", "Удалить", "write"),
        ("http://a.example/?add-to-cart=12", "Buy", "session"),
        ("http://a.example/index.php?title=X&action=watch", "Watch", "write"),
        ("http://a.example/x", "Pay now", "forbidden"),
        ("http://a.example/how-we-pay-authors", "Our blog", "read"),
        ("http://a.example/search?q=deleted+scenes", "Deleted scenes", "read"),
        ("http://a.example/unsubscribe/9f", "Stop these mails", "write"),
        ("http://a.example/wiki/Scram_switch", "Scram switch", "read"),
        ("http://a.example/wiki/How_to_delete_files", "How to delete files", "read"),
        ("http://a.example/films?title=Watch", "Night watch", "write"),
        ("http://a.example/films/night-watch/", "Night watch", "read"),
        ("http://a.example/x", "Follow us elsewhere", "read"),
        ("http://a.example/x", "Eliminar del carrito", "write"),
        ("http://a.example/x", "サイトからログアウトする", "account"),
        ("http://a.example/x", "Newsletter abbestellen", "write"),
        ("http://a.example/hilfe", "Wie Sie einen Newsletter abbestellen", "read"),
        ("http://a.example/x", "Se désabonner", "write"),
        ("http://a.example/index.php?route=account/logout", "x", "account"),
        ("http://a.example/doLogout", "x", "account"),
        ("http://a.example/deleteItem?id=5", "x", "write"),
        ("http://a.example/account/close", "x", "write"),
        ("http://a.example/post?action=trash&post=3", "x", "write"),
        ("http://a.example/mail/trash", "Trash", "read"),
        ("http://a.example/buy-now/5", "x", "forbidden"),
        ("http://a.example/buy/houses", "Buy a house", "read"),
    ],
)
def test_links_that_act_are_not_reading(url: str, text: str, safety: str) -> None:
    assert of_link(url, text).safety == safety


@pytest.mark.parametrize(
    ("method", "action", "labels", "fields", "safety"),
    [
        ("get", "/search/", "Search", (field(),), "read"),
        ("post", "/basket/add/5/", "Add to basket", (field("quantity", kind="number"),), "session"),
        ("post", "/i18n/setlang/", "Go", (field("language", tag="select", kind=""),), "session"),
        ("post", "/panier", "Ajouter au panier", (), "session"),
        ("post", "/カート", "カートに入れる", (), "session"),
        ("post", "/login", "Log in", (field("user"), field("password", kind="password")), "account"),
        ("get", "/login", "Log in", (field("password", kind="password"),), "account"),
        ("post", "/news", "Subscribe", (field("email", kind="email"),), "account"),
        ("post", "/comment", "Send", (field("body", tag="textarea", kind=""),), "write"),
        ("get", "/guestbook", "Name Send", (field("name"),), "write"),
        ("get", "/", "Delete everything", (field("subject"),), "write"),
        ("get", "/", "Go", (field("message", tag="textarea", kind=""),), "write"),
        ("get", "/unsubscribe", "OK", (field("email", kind="email"),), "write"),
        ("get", "/x", "Uitschrijven", (), "write"),
        ("get", "/x", "Se déconnecter", (), "write"),
        ("get", "/list", "Filter", (field("kind", tag="select", kind=""),), "read"),
        ("post", "/upload", "Go", (field("f", kind="file"),), "write"),
        ("post", "/x", "Continue", (), "write"),
        ("post", "/order", "Place order", (), "forbidden"),
        ("post", "/order", "Jetzt kaufen", (), "forbidden"),
        ("post", "/pay", "Go", (field("cardnumber"),), "forbidden"),
        ("post", "/me", "Delete account", (), "forbidden"),
    ],
)
def test_forms_are_classed_by_method_fields_and_words(
    method: str, action: str, labels: str, fields: tuple[Actionable, ...], safety: str
) -> None:
    assert of_form(method, action, labels, fields).safety == safety


@pytest.mark.parametrize(
    ("name", "attributes", "safety"),
    [
        ("Description", {"role": "tab"}, "read"),
        ("Delete", {"aria-haspopup": "true"}, "read"),
        ("Delete", {}, "write"),
        ("Dark mode", {}, "session"),
        ("Sign in", {}, "account"),
        ("Next slide", {}, "read"),
        ("Pay with card", {}, "forbidden"),
    ],
)
def test_controls_outside_forms(name: str, attributes: dict[str, str], safety: str) -> None:
    item = Actionable(selector="#x", role="button", name=name, tag="button", attributes=attributes)
    assert of_control(item).safety == safety
