"""A small shop that is full of what a visitor who only reads must leave alone: all of it answers below /do/ or by POST.

Labels are in many languages, so that no address gives them away; and some addresses do, so that no label has to.
"""

import html
from collections.abc import Callable

from flask import Flask, request

LEAVING = {
    "en": "Log out", "en-2": "Sign out", "de": "Abmelden", "fr": "Se déconnecter", "fr-2": "Déconnexion",
    "es": "Cerrar sesión", "it": "Esci", "nl": "Uitloggen", "pl": "Wyloguj się", "pt": "Terminar sessão",
    "sv": "Logga ut", "tr": "Çıkış yap", "cs": "Odhlásit se", "ru": "Выйти", "uk": "Вийти", "ja": "ログアウト",
    "zh": "退出登录", "ko": "로그아웃", "ar": "تسجيل الخروج", "he": "התנתק",
}  # fmt: skip
DELETING = {
    "en": "Delete", "en-2": "Remove this item", "de": "Löschen", "de-2": "Artikel löschen", "fr": "Supprimer",
    "es": "Eliminar", "es-2": "Borrar", "it": "Elimina", "nl": "Verwijderen", "pl": "Usuń", "pt": "Excluir",
    "pt-2": "Apagar", "sv": "Ta bort", "tr": "Sil", "cs": "Smazat", "ru": "Удалить", "uk": "Видалити", "ja": "削除",
    "zh": "删除", "ko": "삭제", "ar": "حذف", "he": "מחק",
}  # fmt: skip
LEAVING_LISTS = {
    "en": "Unsubscribe", "en-2": "Unsubscribe from this list", "de": "Abbestellen", "de-2": "Newsletter abbestellen",
    "fr": "Se désabonner", "fr-2": "Se désinscrire", "es": "Darse de baja", "es-2": "Cancelar suscripción",
    "it": "Annulla iscrizione", "nl": "Uitschrijven", "pl": "Wypisz się", "pt": "Cancelar inscrição",
    "sv": "Avregistrera", "tr": "Abonelikten çık", "cs": "Odhlásit odběr", "ru": "Отписаться", "uk": "Відписатися",
    "ja": "配信停止", "zh": "退订", "ko": "구독 취소",
}  # fmt: skip
BUYING = {
    "en": "Buy now", "en-2": "Place order", "de": "Jetzt kaufen", "fr": "Acheter maintenant", "es": "Comprar ahora",
    "it": "Acquista ora", "nl": "Nu kopen", "pl": "Kup teraz", "pt": "Comprar agora", "sv": "Köp nu", "tr": "Satın al",
    "cs": "Koupit", "ru": "Купить сейчас", "uk": "Купити зараз", "ja": "今すぐ購入", "zh": "立即购买", "ko": "구매하기",
}  # fmt: skip
KINDS = {"leaving": LEAVING, "deleting": DELETING, "mail": LEAVING_LISTS, "buying": BUYING}
ADDRESSES = (
    "/do/item/5/delete", "/do/item/5/delete/confirm", "/do/?delete=5", "/do/post?action=remove&id=4", "/do/logout.php",
    "/do/users/sign_out", "/do/user/logout?token=a1", "/do/wp-login.php?action=logout", "/do/index.php?route=account/logout",
    "/do/doLogout", "/do/deleteItem?id=5", "/do/removeFromCart/3", "/do/cart?remove_item=ab", "/do/unsubscribe?u=5",
    "/do/list/unsubscribe/9f", "/do/mail?do=unsubscribe", "/do/post?action=trash&post=3", "/do/account/close", "/do/vote?up=5",
    "/do/item/5/upvote", "/do/add-to-cart/5", "/do/?add-to-cart=12", "/do/buy-now/5",
)  # fmt: skip
"""Orders given by addresses alone; their label says nothing."""
TRAPS = {
    "not drawn": '<a href="{}" rel=nofollow style="display:none">Archive</a>',
    "not drawn by a style sheet": '<a href="{}" rel=nofollow class=hp>Archive</a>',
    "invisible": '<a href="{}" rel="nofollow noindex" style="visibility:hidden">Archive</a>',
    "transparent": '<a href="{}" rel=nofollow style="opacity:0">Archive</a>',
    "off the page": '<a href="{}" rel=nofollow style="position:absolute;left:-9999px">Archive</a>',
    "of no size": '<a href="{}" rel=nofollow style="position:absolute;width:1px;height:1px;overflow:hidden">Archive</a>',
    "inside of something hidden": '<div hidden><a href="{}" rel=nofollow>Archive</a></div>',
    "hidden and alone": '<div style="display:none"><a href="{}">Archive</a></div>',
    "kept from everybody": '<span aria-hidden=true style="position:absolute;top:-5000px"><a href="{}" tabindex=-1>Archive</a></span>',
}
"""Links that nobody can see, and so nobody follows but a machine."""
ORDINARY = ("/menu/one", "/menu/two", "/nofollow-but-seen", "/blog/how-to-delete-files", "/item/1", "/item/2", "/item/3")  # fmt: skip
"""Pages that may be read, some of them in a menu that opens, one with a link of which search engines are asked not to think."""

_STYLE = "<style>.hp{display:none}.menu ul{display:none}.menu:hover ul{display:block}</style>"


def create_app(asked: list[str]) -> Flask:
    """The shop; every request is added to `asked` as METHOD PATH."""
    app = Flask(__name__, static_folder=None)

    @app.before_request
    def note() -> None:
        asked.append(f"{request.method} {request.full_path.rstrip('?')}")

    for path, view in _pages().items():
        app.add_url_rule(path, path, view)
    app.add_url_rule("/do/", "done at all", lambda: "done", methods=["GET", "POST"])
    app.add_url_rule("/do/<path:what>", "done", lambda what: f"done {what}", methods=["GET", "POST", "PUT", "DELETE"])
    return app


def _pages() -> dict[str, Callable[[], str]]:
    menu = "<div class=menu><b>Menu</b><ul><li><a href=/menu/one>One</a><li><a href=/menu/two>Two</a></ul></div>"
    plain = "".join(f'<li><a href="{path}">{path.rpartition("/")[2].replace("-", " ")}</a>' for path in ORDINARY[3:])
    lists = "".join(
        f"<li><a href=/orders/{kind}>Page {place}</a>"
        for place, kind in enumerate([*KINDS, "addresses", "forms", "traps"])
    )
    pages = {"/": f"{menu}<a href=/nofollow-but-seen rel=nofollow>More</a><ul>{plain}{lists}</ul>"}
    pages |= dict.fromkeys(ORDINARY, f"<p>Text.</p>{menu}<a href=/>Home</a>{_traps('page')}")
    for kind, labels in KINDS.items():
        links = [f'<li><a href="/do/{kind}-{code}">{label}</a>' for code, label in labels.items()]
        buttons = [
            f"<li><button onclick=\"location='/do/{kind}-button-{code}'\">{label}</button>"
            for code, label in labels.items()
        ]
        pages[f"/orders/{kind}"] = "".join([*links, *buttons])
    pages["/orders/addresses"] = "".join(
        f'<li><a href="{html.escape(path)}">x{n}</a>' for n, path in enumerate(ADDRESSES)
    )
    pages["/orders/forms"] = "".join(_forms())
    pages["/orders/traps"] = _traps("traps")
    return {path: lambda body=body, path=path: _page(path, body) for path, body in pages.items()}  # type: ignore[misc]


def _forms() -> list[str]:
    """Sent by POST, by GET with an order, or by a script."""
    found = []
    for kind, labels in KINDS.items():
        for code, label in labels.items():
            for method in ("post", "get"):
                action = f"/do/{kind}-{method}-{code}"
                found.append(
                    f'<form method={method} action="{action}"><input name=id value=5 type=hidden><button>{label}</button></form>'
                )
    found += [
        '<form method=post action="/do/note"><input name=subject><button>OK</button></form>',
        '<form action="/do/unsubscribe-here"><input name=email type=email><button>OK</button></form>',
        '<form method=post action="/do/like"><button aria-label="Like">+1</button></form>',
        "<button onclick=\"fetch('/do/script', {method: 'DELETE'})\">Show more</button>",
        "<button onclick=\"fetch('/do/script', {method: 'PUT', body: '1'})\">Next</button>",
        "<select onchange=\"fetch('/do/rate', {method: 'POST', body: this.value})\"><option>1<option>2</select>",
    ]
    return found


def _traps(where: str) -> str:
    return "".join(f"<div>{trap.format(f'/do/trap-{n}-{where}')}</div>" for n, trap in enumerate(TRAPS.values()))


def _page(path: str, body: str) -> str:
    title = path.strip("/") or "home"
    return f"<!doctype html><html lang=en><title>{title}</title>{_STYLE}<h1>{title}</h1>{body}"
