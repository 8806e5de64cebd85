"""Product pictures, drawn from a shape and a palette: the same bytes at every start, and no picture files to keep."""

import io
import json
import random
from pathlib import Path

from PIL import Image, ImageDraw

PALETTES: dict[str, tuple[str, str, str, str]] = {
    # ground, main, dark, accent
    "clay": ("#f3e7dc", "#c9734b", "#8f4a2c", "#f0c9a8"),
    "wood": ("#efe9dd", "#b98a56", "#7c5630", "#e2c79d"),
    "sage": ("#e6ede3", "#7d9a78", "#4e6a4c", "#cfe0c8"),
    "glass": ("#e4eef0", "#9cc3c9", "#4f7f88", "#f6fbfc"),
    "ink": ("#e7e8ec", "#3d4656", "#20262f", "#9aa6bb"),
    "cream": ("#e9e2d6", "#f7f0df", "#a8946d", "#d9c7a0"),
    "sky": ("#e3edf6", "#6f9cc4", "#39638b", "#cfe1f2"),
    "rust": ("#f6e3d8", "#b4472c", "#74281a", "#efab83"),
    "teal": ("#dfeeec", "#1f7a78", "#0e4a4b", "#9fd0c7"),
    "gold": ("#f6eed6", "#d6a531", "#8d6713", "#f7dd94"),
}

SHAPES: dict[str, str] = json.loads(Path(__file__).with_name("shapes.json").read_text())

_FRAME = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 400" width="400" height="400" role="img">'
    '<rect width="400" height="400" fill="{ground}"/><circle cx="200" cy="200" r="168" fill="#fff" opacity=".55"/>'
    '<ellipse cx="200" cy="334" rx="120" ry="14" fill="{dark}" opacity=".16"/>'
)


def product_svg(shape: str, palette: str) -> bytes:
    """The picture of one product as SVG."""
    ground, main, dark, accent = PALETTES[palette]
    return (_FRAME + SHAPES[shape] + "</svg>").format(ground=ground, main=main, dark=dark, accent=accent).encode()


def swatch_png(slug: str, palette: str, size: int = 240) -> bytes:
    """A close look at the material as PNG: a woven ground with flecks, seeded by the product's name."""
    ground, main, dark, accent = PALETTES[palette]
    dice = random.Random(slug)
    image = Image.new("RGB", (size, size), main)
    draw = ImageDraw.Draw(image)
    step = dice.choice((8, 10, 12))
    for offset in range(0, size, step):
        draw.line((0, offset, size, offset), fill=dark if (offset // step) % 3 == 0 else accent, width=1)
        draw.line((offset, 0, offset, size), fill=ground if (offset // step) % 2 == 0 else dark, width=1)
    for _ in range(90):
        x, y, r = dice.randrange(size), dice.randrange(size), dice.choice((1, 2, 3))
        draw.ellipse((x - r, y - r, x + r, y + r), fill=dice.choice((ground, dark, accent)))
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


def icon_png(size: int = 64) -> bytes:
    """The shop's mark as PNG, for the browser's tab."""
    image = Image.new("RGB", (size * 4, size * 4), "#1f5f5b")
    draw = ImageDraw.Draw(image)
    unit = size / 4
    draw.ellipse((unit * 4, unit * 3, unit * 12, unit * 11), fill="#f6e3d8")
    draw.rectangle((unit * 7.2, unit * 9, unit * 8.8, unit * 14), fill="#f6e3d8")
    out = io.BytesIO()
    image.resize((size, size), Image.Resampling.LANCZOS).save(out, "PNG", optimize=True)
    return out.getvalue()
