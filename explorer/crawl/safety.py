"""What an action may do, decided before it is done, with the reason. Pure.

When in doubt the stricter class wins. Two kinds of action are never done whatever was allowed: payment, and deleting or
changing a real account.
"""

import re
from itertools import pairwise
from typing import Literal, NamedTuple
from urllib.parse import unquote, urlsplit

from artifacts.evidence import Actionable
from artifacts.run import Safety


class Judgement(NamedTuple):
    """The class of an action and the word or fact that decided it. `forbidden` is never done."""

    safety: Safety | Literal["forbidden"]
    because: str


def _words(text: str) -> re.Pattern[str]:
    """Whole words for alphabets that have them; anywhere in the text for the rest."""
    latin: list[str] = []
    other: list[str] = []
    for word in text.split("|"):
        (latin if re.match(r"^[\w\s'-]+$", word) and word.isascii() else other).append(word.strip())
    body = rf"(?<![a-z])(?:{'|'.join(map(re.escape, latin))})(?![a-z])"
    return re.compile(body + ("|" + "|".join(map(re.escape, other)) if other else ""), re.I)


_PAY = _words(
    "pay|pay now|payment|place order|buy now|order now|confirm order|complete purchase|checkout now|donate|card number|"
    "bezahlen|jetzt kaufen|zahlungspflichtig bestellen|kostenpflichtig|payer|acheter maintenant|commander|pagar|"
    "comprar ahora|comprar agora|finalizar compra|paga|acquista ora|betalen|nu kopen|zapłać|kup teraz|köp nu|satın al|"
    "koupit|zaplatit|оплатить|купить сейчас|купити зараз|支払|購入を確定|今すぐ購入|今すぐ買う|支付|付款|结算|立即购买|"
    "결제|구매하기|ادفع|اشتر الآن|קנה עכשיו"
)
_CLOSE_ACCOUNT = _words(
    "delete account|close account|deactivate account|delete my account|erase account|change password|reset password|"
    "konto löschen|passwort ändern|supprimer le compte|supprimer mon compte|eliminar cuenta|elimina account|"
    "удалить аккаунт|アカウントを削除|删除账户|계정 삭제"
)
_SESSION = _words(
    "add to cart|add to basket|add to bag|cart|basket|bag|wishlist|wish list|compare|quantity|update cart|coupon|"
    "voucher|promo|currency|language|locale|setlang|theme|dark mode|cookie|consent|accept|preferences|per page|qty|"
    "warenkorb|merkzettel|sprache|gutschein|panier|langue|carrito|cesta|idioma|carrello|lingua|winkelwagen|koszyk|"
    "корзин|язык|カート|かご|言語|购物车|购物袋|语言|장바구니|언어|سلة|עגלה|sepet"
)
_ACCOUNT = _words(
    "log in|login|log on|logon|sign in|signin|log out|logout|sign out|signout|register|registration|sign up|signup|"
    "create account|join|subscribe|newsletter|password|forgot|anmelden|abmelden|registrieren|einloggen|connexion|"
    "se connecter|déconnexion|déconnecter|inscription|iniciar sesión|cerrar sesión|salir|registrarse|accedi|esci|"
    "registrati|inloggen|uitloggen|afmelden|zaloguj|wyloguj|sair|terminar sessão|encerrar sessão|logga ut|çıkış|"
    "oturumu kapat|odhlásit|войти|выйти|вийти|регистрация|ログイン|ログアウト|登録|登录|退出|注册|로그인|로그아웃|"
    "تسجيل|התחבר|התנתק"
)
_WRITE = _words(
    "delete|remove|post|publish|save|edit|update|reply|comment|send|submit|upload|create|new|vote|like|follow|report|"
    "rate|review|message|invite|share|watch|unwatch|rollback|undo|revert|move|protect|block|purge|approve|archive|"
    "löschen|entfernen|senden|speichern|bearbeiten|antworten|supprimer|envoyer|enregistrer|modifier|publier|eliminar|"
    "enviar|guardar|editar|borrar|elimina|invia|salva|modifica|verwijder|verwijderen|opslaan|usuń|wyślij|zapisz|excluir|"
    "apagar|ta bort|sil|smazat|удалить|видалити|отправить|сохранить|削除|送信|保存|投稿|删除|发送|提交|保存|"
    "삭제|보내기|저장|حذف|إرسال|מחק|שלח|"
    "unsubscribe|abbestellen|désabonner|désinscrire|darse de baja|cancelar suscripción|cancelar inscrição|"
    "annulla iscrizione|disiscriviti|uitschrijven|wypisz|anuluj subskrypcję|avregistrera|abonelikten çık|отписаться|"
    "відписатися|配信停止|退订|구독 취소|수신 거부"
)
_LOGOUT = _words(
    "log out|logout|log off|logoff|sign out|signout|abmelden|déconnexion|se déconnecter|cerrar sesión|salir|esci|"
    "uitloggen|wyloguj|sair|terminar sessão|logga ut|çıkış|odhlásit|выйти|вийти|ログアウト|退出|로그아웃|"
    "تسجيل الخروج|התנתק"
)
_SENDS = _words(
    "delete|remove|send|post|publish|save|reply|comment|book|reserve|subscribe|unsubscribe|löschen|entfernen|senden|"
    "speichern|abbestellen|supprimer|envoyer|enregistrer|désabonner|désinscrire|eliminar|borrar|enviar|guardar|"
    "darse de baja|cancelar suscripción|elimina|invia|salva|annulla iscrizione|verwijder|verwijderen|uitschrijven|usuń|"
    "wyślij|wypisz|excluir|apagar|cancelar inscrição|ta bort|avregistrera|sil|abonelikten çık|smazat|odhlásit|удалить|"
    "отправить|сохранить|отписаться|видалити|відписатися|削除|送信|投稿|配信停止|删除|发送|提交|退订|"
    "삭제|보내기|구독 취소|حذف|إرسال|מחק|שלח"
)
_UNDOES = frozenset(
    "logout|log out|signout|sign out|logoff|log off|delete|remove|unsubscribe|deactivate|destroy|cancel|rollback|"
    "purge|account close|close account|"
    "abmelden|abbestellen|löschen|entfernen|déconnexion|se déconnecter|supprimer|se désabonner|se désinscrire|"
    "désabonner|désinscrire|cerrar sesión|salir|eliminar|borrar|darse de baja|cancelar|esci|elimina|annulla iscrizione|"
    "disiscriviti|uitloggen|afmelden|verwijderen|uitschrijven|wyloguj|usuń|wypisz|sair|terminar sessão|encerrar sessão|"
    "excluir|apagar|logga ut|ta bort|avregistrera|çıkış|sil|abonelikten çık|odhlásit|smazat|"
    "выйти|удалить|отписаться|вийти|видалити|відписатися|ログアウト|削除|配信停止|退出|删除|退订|로그아웃|삭제|"
    "구독 취소|تسجيل الخروج|حذف|התנתק|מחק".split("|")
)
"""Orders that a link should not give and that some give all the same."""
_AT_THE_END = frozenset("abmelden|abbestellen|entfernen|afmelden|verwijderen|uitschrijven".split("|"))
"""Orders of languages in which what is to be done stands behind what it is done to."""
_BY_VALUE = frozenset(("trash", "untrash", "spam", "close", "destroy"))
"""Orders where a query names the action by them; in a path they name places."""
_BUYS = frozenset("buy now|buynow|pay now|place order|order now|confirm order|complete purchase".split("|"))
_CHANGES = frozenset(
    "add to cart|add to basket|add to bag|addtocart|add to wishlist|vote|upvote|downvote|like|follow|watch|unwatch|"
    "setlang|"
    "mark read|subscribe|in den warenkorb|ajouter au panier|añadir al carrito".split("|")
)
_DEEDS = frozenset("add|change|set|toggle|confirm|cancel|close|open|search|mark|assign|tag".split("|"))
"""Further words of what is done, in addresses."""


def of_link(url: str, text: str) -> Judgement:
    """What following a link may do. A GET should only read; one whose address or label is an order is believed.

    A label or part of the address counts as an order when it is the order, not when it is about it: "Delete",
    "/delete/5" and "?do=delete" are, "Deleted scenes" and "/how-to-delete-files" are not.
    """
    if found := _PAY.search(text):
        return Judgement("forbidden", f'the word "{found[0]}"')
    label, places, pairs = _parts(url, text)
    for said in (label, *places, *pairs):
        if order := _order(said, is_label=said == label):
            return Judgement("account" if _ACCOUNT.search(order) else "write", f'"{order}" in a link')
        if said in _BUYS:
            return Judgement("forbidden", f'"{said}" in a link')
        if said in _CHANGES:
            return Judgement("session" if _SESSION.search(said) else "write", f'"{said}" in a link')
    if order := next((word for word in pairs if word in _BY_VALUE), ""):
        return Judgement("write", f'"{order}" in a link')
    return Judgement("read", "a link")


def is_change(url: str, text: str) -> bool:
    """Whether a link orders what can be done again or taken back, and nothing that takes away what is there.

    >>> is_change("/comment/7/like", "+1"), is_change("/comment/7/delete", "Like"), is_change("/comment/7", "Reply")
    (True, False, False)
    """
    label, places, pairs = _parts(url, text)
    said = (label, *places, *pairs)
    return any(one in _CHANGES for one in said) and not any(_order(one, is_label=one == label) for one in said)


def is_deed(word: str) -> bool:
    """Whether one part of an address names something that is done.

    >>> is_deed("add"), is_deed("edit-profile"), is_deed("emma"), is_deed("how-to-save-a-lot")
    (True, True, False, False)
    """
    said = _spaced(word)
    if said in _DEEDS or said in _CHANGES:
        return True
    return said.count(" ") < 2 and any(words.search(said) for words in (_SESSION, _ACCOUNT, _WRITE, _LOGOUT))


def _parts(url: str, text: str) -> tuple[str, list[str], list[str]]:
    """What a link says in words: its label if short, parts of its path, one and two at a time, and its parameters."""
    label = " ".join(text.casefold().split())
    parts = urlsplit(url)
    segments = [_spaced(segment) for segment in parts.path.split("/")]
    pairs = [_spaced(word) for pair in parts.query.split("&") for word in re.split("=|/|%2F", pair, flags=re.I)]
    return label if len(label) <= 40 else "", [*segments, *map(" ".join, pairwise(segments))], pairs


def takes_away(text: str) -> bool:
    """Whether a label orders to remove something.

    >>> takes_away("Delete thread"), takes_away("Deleted scenes")
    (True, False)
    """
    return bool(_order(" ".join(text.casefold().split()), is_label=True))


def _order(said: str, *, is_label: bool) -> str:
    """The order that a label, or a part of an address, gives; empty if it gives none."""
    said = said.removeprefix("do ")
    if said in _UNDOES:
        return said
    if order := next((word for word in _UNDOES if said.startswith(word + " ")), ""):
        return order
    if not is_label:
        return ""
    first, _, last = said.rpartition(" ")
    if last in _AT_THE_END and len(first.split()) <= 2:
        return last
    return next((word for word in _UNDOES if not word.isascii() and word in said), "")


def _spaced(part: str) -> str:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", unquote(part))
    return re.sub(r"[-_.+]+", " ", words).strip().casefold()


def of_form(method: str, action: str, labels: str, fields: tuple[Actionable, ...]) -> Judgement:
    """What sending a form may do: `labels` is everything it says of itself (buttons, legends, names)."""
    said = f"{labels} {action.replace('/', ' ').replace('-', ' ').replace('_', ' ')}"
    names = " ".join(f"{field.field_name} {field.attributes.get('autocomplete', '')}" for field in fields)
    if re.search(r"cc-number|cardnumber|card_number|cvc|cvv|iban", names, re.I):
        return Judgement("forbidden", "a payment field")
    if found := _PAY.search(labels):
        return Judgement("forbidden", f'the word "{found[0]}"')
    if found := _CLOSE_ACCOUNT.search(said):
        return Judgement("forbidden", f'the words "{found[0]}"')
    if any(field.input_type == "password" for field in fields):
        return Judgement("account", "a password field")
    if any(field.input_type == "file" for field in fields):
        return Judgement("write", "a file field")
    if any(field.tag == "textarea" for field in fields):
        return Judgement("write", "a text area")
    if method.lower() == "get":
        # Without a method a script may send it another way: one that speaks of sending is not taken for a search.
        if found := _LOGOUT.search(labels) or _SENDS.search(labels):
            return Judgement("write", f'the word "{found[0]}"')
        ordered = of_link(action, "")
        return ordered if ordered.safety != "read" else Judgement("read", "a form sent by GET")
    if found := _SESSION.search(said):
        return Judgement("session", f'the word "{found[0]}"')
    if found := _ACCOUNT.search(said):
        return Judgement("account", f'the word "{found[0]}"')
    return Judgement("write", "a form sent by POST")


def of_control(item: Actionable) -> Judgement:
    """What clicking something outside a form may do. Its script decides, so its words must not sound like an order."""
    said = f"{item.name} {item.attributes.get('title', '')} {item.attributes.get('class', '').replace('-', ' ')}"
    if found := _PAY.search(item.name):
        return Judgement("forbidden", f'the word "{found[0]}"')
    if found := _CLOSE_ACCOUNT.search(said):
        return Judgement("forbidden", f'the words "{found[0]}"')
    opens = (
        item.role in ("tab", "menuitem", "option")
        or item.tag == "summary"
        or any(
            name in item.attributes
            for name in ("aria-expanded", "aria-haspopup", "aria-controls", "data-toggle", "data-bs-toggle")
        )
    )
    if opens:
        return Judgement("read", "it only opens something")
    if found := _SESSION.search(item.name):
        return Judgement("session", f'the word "{found[0]}"')
    if found := _ACCOUNT.search(item.name):
        return Judgement("account", f'the word "{found[0]}"')
    if found := _WRITE.search(item.name):
        return Judgement("write", f'the word "{found[0]}"')
    return Judgement("read", "a control outside any form")


def ends_session(trial_words: str) -> bool:
    """Whether words on a form or control say that it logs out, or the address that it leads to.

    >>> ends_session("Log out"), ends_session("Leave /members/sign-out"), ends_session("Log in")
    (True, True, False)
    """
    return bool(_LOGOUT.search(trial_words) or _LOGOUT.search(_spaced(trial_words)))
