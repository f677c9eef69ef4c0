# SPDX-License-Identifier: Apache-2.0
"""Drawing as SVG, in colours for light and dark pages."""
from xml.sax.saxutils import escape

COLORS = {  # name: (light, dark)
    "page": ("#ffffff", "#131416"),
    "text": ("#1c1c1c", "#d8d8d8"),
    "grid": ("#d8d8d8", "#3a3c40"),
    "ours": ("#1f6fb4", "#5aa9e6"),
    "theirs": ("#c4561d", "#ef9a66"),
}
LETTER = 6.7  # the width of a letter, about


def style():
    def rules(index):
        text = "".join(
            f".{name} {{ fill: {colors[index]}; }} .line-{name} {{ stroke: {colors[index]}; }} "
            for name, colors in COLORS.items())
        return f"text {{ fill: {COLORS['text'][index]}; }} {text.strip()}"

    return (f"<style>{rules(0)} @media (prefers-color-scheme: dark) {{ {rules(1)} }} .strong {{ "
            f"font-weight: bold; }}</style>")


def picture(width, height, title, parts):
    """The whole file."""
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif" font-size="13">',
        f"<title>{escape(title)}</title>",
        style(), '<rect class="page" width="100%" height="100%"/>', *parts, "</svg>\n"
    ])


def text(x, y, label, anchor="start", kind=""):
    name = f' class="{kind}"' if kind else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{name}>{escape(label)}</text>'


def line(x1, y1, x2, y2, kind="grid", dash="", width=1):
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return (f'<line class="line-{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
            f'stroke-width="{width}"{dashes}/>')


def curve(points, kind, dash=""):
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    places = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline class="line-{kind}" fill="none" stroke-width="2"{dashes} points="{places}"/>'


def dot(x, y, kind, radius=4.0):
    return f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}"/>'


def bar(x, y, width, height, kind):
    return (f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" '
            f'height="{height:.1f}"/>')
