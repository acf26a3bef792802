"""Every control in a part of the page: reached by keys, named, large enough, and pressed."""

import time
from pathlib import Path

from steps import settled

WALK = Path(__file__).with_name("every_control.js").read_text(encoding="utf-8")
LEAST_PX = 24
"""WCAG 2.5.8."""
STOPS = 400
"""More than the keyboard stops at on any tab."""
JOIN = "**/queue/join*"
BUSY = {"detail": "Busy: try again."}
KEYS = {
    **dict.fromkeys(("button", "a", "summary", "tab", "file"), "Enter"),
    **{"checkbox": "Space", "radio": "ArrowRight", "select": "ArrowDown", "combobox": "ArrowDown"},
    **{"range": "ArrowRight", "number": "1", "end": "ArrowRight", "paper": "+", "text": "x"},
}
"""By which key each kind of control does something."""
SCROLLED = {False: ("region",), True: ("region", "paper")}
"""What is moved about rather than pressed, by key and by finger; tests of the paper do that."""
ASKING = ("button", "a", "file", "checkbox", "radio")
"""What may ask the server, save, or ask for a file, and change nothing else before the answer."""
OPENED = {"text": "x", "number": "1", "select": "Escape"}
"""What a finger opens and something of the device goes on with, a keyboard of glass or a list."""


class Walk:
    """What is wrong with the controls of one page, part by part; `met` are the names of all.

    While controls are pressed the server turns every request away as it does when it is busy: each
    press meets the page as it was found. What its answer does is what other tests hold.
    """

    def __init__(self, page, *, touch, patience_s=3.0):
        self.page, self.touch, self.patience_s, self.busy = page, touch, patience_s, False
        self.met, self.heard = set(), []
        self.unreached, self.nameless, self.small, self.covered, self.idle = ([] for _ in range(5))
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.evaluate(WALK)
        page.add_style_tag(content=".toast-wrap { display: none !important; }")
        page.on("request", lambda asked: asked.method == "POST" and self.heard.append(asked.url))
        page.route(JOIN, self._answer)
        for event in ("download", "filechooser"):
            page.on(event, lambda what: self.heard.append(what))
        self.devtools = page.context.new_cdp_session(page)

    def part(self, scope):
        """Walks what lies inside a selector; a name that was met before is not pressed again."""
        settled(self.page)
        found = self.page.evaluate("scope => walk.find(scope)", scope)
        self.nameless += self._without_name()
        for one, reached in zip(found, self._tabbed(), strict=True):
            said = f"{scope} {one['name']}"
            if not reached:
                self.unreached.append(said)
            if not one["hit"]:
                self.covered.append(said)
            if self.touch and not one["inline"] and min(one["width"], one["height"]) < LEAST_PX:
                self.small.append(f"{said}: {one['width']:.0f} x {one['height']:.0f}")
        self._press_each(self._new(found))

    def _new(self, found):
        """Of several of one name the first; of one question the answer that is not chosen yet for
        a finger, the one that is for the arrows.
        """
        new = {}
        for one in found:
            if one["kind"] != "radio" or one["checked"] != self.touch:
                new.setdefault(one["name"], one)
        new = [one for name, one in new.items() if name not in self.met]
        self.met |= {one["name"] for one in found}
        return sorted(new, key=lambda one: one["kind"] == "number")  # which may move a slider

    def _tabbed(self):
        """Of each control whether Tab leads there from what is before, and whether that shows."""
        self.page.evaluate("walk.list[0].focus({ preventScroll: true })")
        self.page.keyboard.press("Shift+Tab")
        self.page.evaluate("walk.forget()")
        for number in range(1, STOPS):
            self.page.keyboard.press("Tab")
            if number % 8 == 0 and self.page.evaluate("walk.passed()"):
                break
        return self.page.evaluate("walk.reached()")

    def _without_name(self):
        """The roles of all that takes the keyboard and has nothing that a screen reader says."""
        nodes = self.devtools.send("Accessibility.getFullAXTree")["nodes"]
        focusable = {"name": "focusable", "value": {"type": "booleanOrUndefined", "value": True}}
        stops = [node for node in nodes if focusable in node.get("properties", ())]
        return [node["role"]["value"] for node in stops if not node["name"]["value"].strip()]

    def _answer(self, route):
        route.fulfill(status=429, json=BUSY) if self.busy else route.continue_()

    def _press_each(self, controls):
        self.busy = True
        for one in controls:
            if one["kind"] in SCROLLED[self.touch]:
                continue
            times = 2 if one["toggles"] else 1
            if not all(self._press(one) for _ in range(times)):
                self.idle.append(one["name"])
        self.busy = False

    def _press(self, one):
        """By key or by finger; whether it holds another value or has changed, asked or saved."""
        page, kind, n = self.page, one["kind"], one["n"]
        at = page.evaluate("([n, focus]) => walk.arm(n, focus)", [n, not self.touch])
        self.heard.clear()
        if self.touch:
            page.touchscreen.tap(*at)
        else:
            page.keyboard.press(KEYS[kind])
        if self.touch and kind in OPENED:
            opened = self._comes(f"walk.focused({n})")
            page.keyboard.press(OPENED[kind])
            return opened and (kind == "select" or self._comes(f"walk.changed({n})"))
        answered = self._comes(f"walk.changed({n})", heard=kind in ASKING)
        if kind == "combobox":
            page.keyboard.press("Escape")
        return answered

    def _comes(self, condition, *, heard=False):
        """Whether it holds soon, or, where that counts, the page has asked or saved something."""
        end = time.monotonic() + self.patience_s
        while time.monotonic() < end:
            if self.page.evaluate(condition) or (heard and self.heard):
                return True
        return False
