"""Pages that ask whether a person is there. They end a branch; they are never answered. Pure."""

import re
from collections.abc import Mapping

MAX_TEXT = 1_500
"""A page with more visible text than this is a page, whatever widgets it carries."""

_HEADERS: tuple[tuple[str, str, str], ...] = (
    ("cf-mitigated", r"challenge", "Cloudflare"),
    ("x-amzn-waf-action", r"challenge|captcha", "AWS WAF"),
    ("x-datadome", r"protected|captcha", "DataDome"),
    ("x-sucuri-block", r".", "Sucuri"),
    ("x-px-block", r".", "PerimeterX"),
    ("x-vercel-mitigated", r"challenge|deny", "Vercel"),
)
_TITLES = re.compile(
    r"^(?:just a moment|attention required|checking your browser|ddos[- ]guard|ddos protection|security check"
    r"|(?:human|bot|browser|captcha) (?:verification|check)|are you (?:a )?(?:robot|human)|robot check|captcha\b"
    r"|verify(?:ing)? (?:that )?you(?:'re| are) (?:a )?human|access to this page has been denied"
    r"|pardon our interruption"
    r"|please (?:verify|prove|confirm) (?:that )?you|un momento|einen moment|un instant)",
    re.IGNORECASE,
)
_TEXTS = re.compile(
    r"checking (?:if the site connection is secure|your browser before)|verify(?:ing)? (?:that )?you are (?:a )?human"
    r"|enable javascript and cookies to continue|press (?:and|&) hold|complete the (?:security check|captcha)"
    r"|(?:you have been|you're|you are) (?:blocked|not a robot)|i(?:'m| am) not a robot|unusual traffic from your"
    r"|needs to review the security of your connection|prove (?:that )?you(?:'re| are) (?:not a robot|human)"
    r"|solve the (?:captcha|puzzle|challenge)|type the characters you see|automated (?:access|requests|queries)",
    re.IGNORECASE,
)
WIDGETS = re.compile(
    r"challenges\.cloudflare\.com|/cdn-cgi/challenge-platform/|_cf_chl_|geo\.captcha-delivery\.com|_Incapsula_Resource"
    r"|px-captcha|captcha\.px-cdn|hcaptcha\.com/1/api|google\.com/recaptcha/api|recaptcha\.net/recaptcha"
    r"|awswaf\.com/|funcaptcha|arkoselabs\.com|class=[\"']?(?:h-captcha|g-recaptcha|cf-turnstile)",
    re.IGNORECASE,
)
_REFUSALS = frozenset({401, 403, 405, 429, 503, 202})


def challenge_in(status: int, headers: Mapping[str, str], title: str, text: str, markup: str = "") -> str:
    """What shows that this page is a challenge and not the site's own; empty if nothing does.

    A widget alone proves nothing, as contact forms have them: it counts on a page with little text that was refused,
    or that says so.

    >>> challenge_in(403, {"cf-mitigated": "challenge"}, "Just a moment...", "")
    'Cloudflare says so in cf-mitigated'
    >>> challenge_in(200, {}, "Contact us", "Write to us", '<div class="g-recaptcha"></div>')
    ''
    """
    lower = {name.lower(): value for name, value in headers.items()}
    for name, pattern, vendor in _HEADERS:
        if re.search(pattern, lower.get(name, ""), re.IGNORECASE):
            return f"{vendor} says so in {name}"
    text = " ".join(text.split())
    if len(text) > MAX_TEXT:
        return ""
    refused = status in _REFUSALS
    widget = WIDGETS.search(markup)
    if _TITLES.match(title.strip()) and (refused or widget or len(text) < 600):
        return f"the title is {title.strip()[:80]!r}"
    said = _TEXTS.search(text)
    if said and (refused or widget):
        return f"the page says {said[0]!r}"
    if widget and refused:
        return f"answered {status} with a captcha"
    return ""
