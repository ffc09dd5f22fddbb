"""The page of a replay: viser's own page with the recorded scene in it, and beside it the curves.

viser plays the recording and brings the time line. Among its messages the recording holds calls of `dojoNow`, our one function in
JavaScript: it moves the line that marks the time in the curves and writes their present values.
"""

from __future__ import annotations

import html
import json
from collections.abc import Sequence

SIDE = 21.0
"""Width of the column of curves [em]."""

STYLE = """
body #root { position: fixed; inset: 0 %(side)gem 0 0; transform: translate(0); width: auto; height: auto; }
#curves { position: fixed; top: 0; right: 0; bottom: 0; width: %(side)gem; box-sizing: border-box; overflow-y: auto;
  padding: 0.8em 1em; border-left: 1px solid #dde; background: #fff; color: #223; font: 13px/1.35 system-ui, sans-serif; }
#curves h1 { font-size: 1.15em; margin: 0 0 0.2em; overflow-wrap: anywhere; }
#curves p { margin: 0 0 0.6em; color: #556; }
#curves figure { margin: 0 0 0.9em; }
#curves figcaption { display: flex; justify-content: space-between; }
#curves output { font-variant-numeric: tabular-nums; font-weight: 600; }
.chart { position: relative; height: 5.6em; background: #f6f7f9; overflow: hidden; }
.chart svg { width: 100%%; height: 100%%; display: block; }
.chart span { position: absolute; left: 0.3em; font-size: 0.8em; color: #889; }
.chart .high { top: 0.1em; } .chart .low { bottom: 0.1em; }
.chart::after { content: ""; position: absolute; top: 0; bottom: 0; left: calc(100%% * var(--now, 0));
  border-left: 1.5px solid #d33; }
.curve { fill: none; stroke: #2a62b8; stroke-width: 1.3; vector-effect: non-scaling-stroke; }
.second { stroke: #d9822b; } figcaption .curve { color: #2a62b8; } figcaption .second { color: #b5610f; }
#curves table { border-collapse: collapse; width: 100%%; margin: 0 0 0.9em; font-variant-numeric: tabular-nums; }
#curves td, #curves th { text-align: right; padding: 0.1em 0.3em; border-bottom: 1px solid #eef; font-weight: 400; }
#curves td:first-child { text-align: left; } #curves th { color: #556; }
.failed { stroke: #d33; stroke-width: 1; opacity: 0.5; vector-effect: non-scaling-stroke; }
@media (max-width: 46em) { body #root { inset: 0 0 40%% 0; }
  #curves { top: 60%%; width: 100%%; border: 0; border-top: 1px solid #dde; } }
"""

SCRIPT = """
function dojoNow(share, values) {
  const side = document.getElementById("curves");
  side.style.setProperty("--now", share);
  side.querySelectorAll(".now").forEach((field, i) => { field.textContent = values[i]; });
}
"""


def now_call(share: float, values: Sequence[str]) -> str:
    """The call that a frame makes. share: of the duration, 0 to 1."""
    return f"dojoNow({share:.5f},{json.dumps(list(values), ensure_ascii=False)})"


def compose(viewer: str, title: str, lines: Sequence[str], charts: str) -> str:
    """The whole page. viewer: viser's page with the recording in it; lines: sentences under the title."""
    head = f"<style>{STYLE % {'side': SIDE}}</style><script>{SCRIPT}</script>"
    text = "".join(f"<p>{html.escape(line)}</p>" for line in lines)
    side = f'<aside id="curves"><h1>{html.escape(title)}</h1>{text}{charts}</aside>'
    # viser keeps the rest of the page in one compressed script: these two tags stand outside of it
    page = _once(viewer, "</head>", head + "</head>")
    page = page.replace("<title>Viser</title>", f"<title>{html.escape(title)}</title>")
    return _last(page, "</body>", side + "</body>")


def _once(text: str, mark: str, replacement: str) -> str:
    if mark not in text:
        raise RuntimeError(f"the page of this version of viser has no {mark}")
    return text.replace(mark, replacement, 1)


def _last(text: str, mark: str, replacement: str) -> str:
    before, found, after = text.rpartition(mark)
    if not found:
        raise RuntimeError(f"the page of this version of viser has no {mark}")
    return before + replacement + after
