#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draw the pictures of docs/drawings: each .txt there becomes an .svg of the same name.

    draw.py            write the pictures
    draw.py --check    fail if one is not what its text says, or is not in a page with its
                       description

A text has one statement per line; empty lines and lines that begin with # are ignored:

    title WORDS                   the name of the picture
    text WORDS                    its description, for people who do not see it; lines are joined
    row                           begins a row of boxes
    struct NAME OFFSET            begins a row whose boxes are members of a struct: widths are bytes
    box NAME WIDTH KIND LINES     a box; its lines are separated by " | "; text in backquotes is
                                  code
    gap WIDTH                     an empty place in a row; the boxes and gaps of a row share its
                                  width
    note WORDS                    a line of text below what is drawn so far
    arrow FROM TO [WORDS]         from a box to another; drawn beside the arrow

Sizes of structs are compared with tests/abi/layout.c. Text that is too long for its place is an
error, as are colours with too little contrast.
"""
import pathlib
import re
import sys
from xml.sax.saxutils import escape

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from check import contrast  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs/drawings"
# Units of the picture. On a phone they are a little smaller than a pixel, on a wide screen a little
# larger.
WIDTH, SHOWN, MARGIN, LINE, FONT, SPACE = 380, 460, 6, 17, 13, 10
LETTER = 0.6  # of the font's size, the width of an average letter of a wide font
# The same names in both colour schemes: the ground, text, lines, and the kinds of boxes.
COLORS = {
    "light": {
        "ground": "#ffffff", "ink": "#1b1f24", "line": "#57606a", "plain": "#eef0f2",
        "host": "#d7e8fc", "runtime": "#fde5bf", "kernel": "#d5f0da"
    },
    "dark": {
        "ground": "#131416", "ink": "#e8eaed", "line": "#a4adb7", "plain": "#2b2f34",
        "host": "#1c3d63", "runtime": "#5a3e10", "kernel": "#1d4a2a"
    },
}
KINDS = ("plain", "host", "runtime", "kernel")


class Mistake(Exception):
    """What is wrong with a text."""


class Box:
    def __init__(self, name, width, kind="", lines=()):
        self.name, self.units, self.kind, self.lines = name, float(width), kind, lines
        self.left = self.right = self.top = self.bottom = 0

    @property
    def middle(self):
        return (self.top + self.bottom) / 2


class Drawing:
    """What a text says, and then the places of its boxes."""

    def __init__(self, path):
        self.title, self.text, self.parts, self.boxes, self.arrows = "", [], [], {}, []
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            word, _, rest = line.strip().partition(" ")
            if word and not word.startswith("#"):
                try:
                    self.read(word, rest.strip())
                except (Mistake, ValueError, IndexError) as mistake:
                    raise Mistake(f"line {number}: {mistake}") from None
        if not self.title or not self.text:
            raise Mistake("a picture has a title and a text")
        self.height = self.place()

    def read(self, word, rest):
        if word == "title":
            self.title = rest
        elif word == "text":
            self.text.append(rest)
        elif word in ("row", "struct"):
            self.parts.append(("row", rest, []))
        elif word == "box":
            name, width, kind, lines = rest.split(None, 3)
            if kind not in KINDS:
                raise Mistake(f"{kind} is no kind of box: {', '.join(KINDS)}")
            box = Box(name, width, kind, [line.strip() for line in lines.split("|")])
            self.parts[-1][2].append(box)
            self.boxes[name] = box
        elif word == "gap":
            self.parts[-1][2].append(Box("", rest))
        elif word == "note":
            self.parts.append(("note", rest, []))
        elif word == "arrow":
            source, target, *words = rest.split(None, 2)
            for name in (source, target):
                if name not in self.boxes:
                    raise Mistake(f"no box is called {name}")
            self.arrows.append((self.boxes[source], self.boxes[target], words[0] if words else ""))
        else:
            raise Mistake(f"{word} is no statement")

    def has_arrow_into(self, row):
        """Whether an arrow connects a row with one above it, which has its place already."""
        return any(source in row and target.bottom or target in row and source.bottom
                   for source, target, _ in self.arrows)

    def place(self):
        """Give every box its place, from the top down, and return the height of the picture."""
        y = MARGIN
        for kind, words, row in self.parts:
            if kind == "note":
                check_fits(words, WIDTH - 2 * MARGIN)
                y += LINE + SPACE / 2
                continue
            if words:
                y += LINE  # for the offsets
            elif self.has_arrow_into(row) and y > MARGIN:
                y += 3 * SPACE
            x, unit = MARGIN, (WIDTH - 2 * MARGIN) / sum(box.units for box in row)
            height = max(len(box.lines) for box in row) * LINE + SPACE
            for box in row:
                box.left, box.right, box.top, box.bottom = x, x + box.units * unit, y, y + height
                x = box.right
                for line in box.lines:
                    check_fits(line.replace("`", ""), box.right - box.left - 4)
            y += height + SPACE
        return y + MARGIN - SPACE / 2


def check_fits(words, width):
    if len(words) * FONT * LETTER > width:
        raise Mistake(f"too long by {len(words) - int(width / FONT / LETTER)} letters: {words}")


def write_text(x, y, words, anchor="middle"):
    runs = re.sub(r"`([^`]*)`", r'<tspan class="code">\1</tspan>', escape(words))
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{runs}</text>'


def draw_box(box):
    yield (
        f'<rect class="{box.kind}" x="{box.left:.1f}" y="{box.top:.1f}" '
        f'width="{box.right - box.left:.1f}" '
        f'height="{box.bottom - box.top:.1f}" rx="3"/>')
    y = box.middle - len(box.lines) * LINE / 2 + LINE - 4
    for line in box.lines:
        yield write_text((box.left + box.right) / 2, y, line)
        y += LINE


def draw_offsets(words, row):
    """The bytes at which the members of a struct begin, and where the last of them ends."""
    offset = float(words.split()[1])
    for number, box in enumerate(row):
        yield write_text(box.left, box.top - 4, f"`{offset:.0f}`", "start")
        offset += box.units
        if number == len(row) - 1:
            yield write_text(box.right, box.top - 4, f"`{offset:.0f}`", "end")


def draw_arrow(source, target, words):
    if source.top == target.top:
        is_right = source.left < target.left
        x1, x2 = (source.right, target.left) if is_right else (source.left, target.right)
        y1 = y2 = source.middle
        label = write_text((x1 + x2) / 2, y1 - 6, words)
        check_fits(words, abs(x2 - x1))
    else:
        is_down = source.top < target.top
        y1, y2 = (source.bottom, target.top) if is_down else (source.top, target.bottom)
        low, high = max(source.left, target.left), min(source.right, target.right)
        x1, x2 = (((low + high) / 2, ) * 2 if low < high else
                  ((source.left + source.right) / 2, (target.left + target.right) / 2))
        label = write_text(max(x1, x2) + 8, (y1 + y2) / 2 + 5, words, anchor="start")
        check_fits(words, WIDTH - max(x1, x2) - 8)
    yield f'<path class="arrow" marker-end="url(#head)" d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}"/>'
    if words:
        yield label


def style():
    """The rules for both colour schemes."""
    def rules(colors):
        fills = "".join(f".{kind}{{fill:{colors[kind]}}}" for kind in KINDS)
        return (
            f"text{{fill:{colors['ink']}}}rect,.arrow{{stroke:{colors['line']}}}"
            f".head{{fill:{colors['line']}}}"
            f".ground{{fill:{colors['ground']};stroke:none}}{fills}")
    return (f"text{{font:{FONT}px system-ui,sans-serif}}.code{{font-family:ui-monospace,monospace}}"
            f".arrow{{fill:none;stroke-width:1.5}}{rules(COLORS['light'])}"
            f"@media(prefers-color-scheme:dark){{{rules(COLORS['dark'])}}}")


def draw(drawing):
    height = drawing.height
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{SHOWN}" '
        f'height="{SHOWN * height / WIDTH:.0f}" '
        f'viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-labelledby="title text">',
        f'<title id="title">{escape(drawing.title)}</title>',
        f'<desc id="text">{escape(" ".join(drawing.text))}</desc>', f"<style>{style()}</style>",
        '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto">'
        '<path class="head" d="M0 0L8 4L0 8z"/></marker>',
        f'<rect class="ground" width="{WIDTH}" height="{height:.0f}"/>'
    ]
    y = MARGIN
    for kind, words, row in drawing.parts:
        if kind == "note":
            lines.append(write_text(WIDTH / 2, y + LINE - 1, words))
            y += LINE + SPACE / 2
            continue
        for box in row:
            lines += draw_box(box) if box.name else ()
        lines += draw_offsets(words, row) if words else ()
        y = row[0].bottom + SPACE
    for arrow in drawing.arrows:
        lines += draw_arrow(*arrow)
    return "\n".join([*lines, "</svg>", ""])


def check_structs(drawing):
    """The members of structs have the offsets and sizes that the layout of the ABI pins."""
    pins = (ROOT / "tests/abi/layout.c").read_text(encoding="utf-8")
    for kind, words, row in drawing.parts:
        if kind != "row" or not words:
            continue
        struct, start = words.split()
        offset = float(start)
        for box in row:
            # The first number of each is that of 64-bit systems.
            places = re.findall(rf"PIN_FIELD(_SIZE)?\({struct}, {box.name}, (\d+)", pins)
            if dict(places) != {"": f"{offset:.0f}", "_SIZE": f"{box.units:.0f}"}:
                yield f"{struct}.{box.name} is not {box.units:.0f} bytes at {offset:.0f}"
            offset += box.units


def check_colors():
    for scheme, colors in COLORS.items():
        for kind in ("ground",) + KINDS:
            if contrast(colors["ink"], colors[kind]) < 4.5:
                yield (f"{scheme}: text on {kind} has a contrast of "
                       f"{contrast(colors['ink'], colors[kind]):.1f}")


def check_page(path, drawing):
    """A page shows the picture, with its description."""
    pages = "".join(
        page.read_text(encoding="utf-8")
        for page in [ROOT / "README.md", *ROOT.glob("docs/**/*.md")])
    if not re.search(rf"!\[{re.escape(' '.join(drawing.text))}\]\([\w./]*{path.stem}\.svg\)",
                     pages):
        yield "no page has this picture with its description"


def main():
    is_check = sys.argv[1:] == ["--check"]
    problems = list(check_colors())
    texts = sorted(FOLDER.glob("*.txt"))
    for path in texts:
        picture = path.with_suffix(".svg")
        try:
            drawing = Drawing(path)
            image = draw(drawing)
        except Mistake as mistake:
            problems.append(f"{path.name}: {mistake}")
            continue
        problems += [f"{path.name}: {problem}" for problem in check_structs(drawing)]
        if not is_check:
            picture.write_text(image, encoding="utf-8")
            continue
        problems += [f"{path.name}: {problem}" for problem in check_page(path, drawing)]
        if not picture.exists() or picture.read_text(encoding="utf-8") != image:
            problems.append(f"{picture.name} is not what {path.name} says: run docs/site/draw.py")
    print("\n".join([*problems, f"{len(texts)} pictures"]))
    return len(problems) != 0 or not texts


if __name__ == "__main__":
    sys.exit(main())
