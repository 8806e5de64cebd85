"""Challenges are known by several signs, and ordinary pages that carry one of them are not taken for one."""

import pytest

from explorer.crawl.challenge import challenge_in

WIDGET = '<div class="cf-turnstile" data-sitekey="x"></div>'


@pytest.mark.parametrize(
    ("status", "headers", "title", "text", "markup"),
    [
        (403, {"CF-Mitigated": "challenge"}, "", "", ""),
        (403, {}, "Just a moment...", "Enable JavaScript and cookies to continue", "/cdn-cgi/challenge-platform/x.js"),
        (503, {}, "DDoS-Guard", "Checking your browser before accessing shop.example", ""),
        (200, {}, "Robot Check", "Type the characters you see in this image", ""),
        (403, {"x-datadome": "protected"}, "shop.example", "", ""),
        (405, {"x-amzn-waf-action": "captcha"}, "", "", ""),
        (202, {}, "", "", '<script src="https://abc.token.awswaf.com/challenge.js"></script>'),
        (403, {}, "Access to this page has been denied", "Press & Hold to confirm you are a human", ""),
        (200, {}, "shop.example", "Verify you are human by completing the action below.", WIDGET),
        (429, {}, "Sorry", "We have detected unusual traffic from your network", ""),
        (403, {}, "Pardon Our Interruption", "As you were browsing", ""),
        (200, {}, "Human Verification", "", "<script>AwsWafIntegration</script>"),
    ],
)
def test_challenges(status: int, headers: dict[str, str], title: str, text: str, markup: str) -> None:
    assert challenge_in(status, headers, title, text, markup)


@pytest.mark.parametrize(
    ("status", "headers", "title", "text", "markup"),
    [
        (200, {"server": "cloudflare"}, "Shop", "Welcome", ""),
        (200, {}, "Contact", "Write to us. I'm not a spammer.", WIDGET),
        (200, {}, "Security check list for your home", "Lock the doors. " * 50, ""),
        (403, {}, "Forbidden", "You may not see this.", ""),
        (429, {}, "Too many requests", "Slow down.", ""),
        (503, {}, "Maintenance", "We are back soon.", ""),
        (200, {}, "How captchas work", "Complete the captcha, they say. " * 60, WIDGET),
        (200, {}, "Blog", "How to verify you are human in 2026", ""),
        (404, {}, "Not found", "Nothing here", ""),
        (200, {}, "", "", ""),
    ],
)
def test_ordinary_pages(status: int, headers: dict[str, str], title: str, text: str, markup: str) -> None:
    assert challenge_in(status, headers, title, text, markup) == ""
