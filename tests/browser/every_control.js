// What the tests of every control ask of the page: which controls are in sight and where each lies,
// at which of them the keyboard stops, and whether a press changes anything. Kept as `walk`.
() => {
  const KINDS =
    "a[href], button, input, select, textarea, summary, [tabindex], [contenteditable=true], [role=button], [role=slider]";
  // What holds a value, and has to hold another one after a press.
  const HOLDING = ["checkbox", "radio", "range", "number", "text", "select", "summary"];
  // Where a focus shows: around a control, around its label or field, on a leg of the calipers.
  const RING = ["outlineStyle", "outlineWidth", "boxShadow", "borderTopColor", "stroke"];
  // What comes and goes with every request, whoever made it.
  const STATUS = "#waiting, .toast-wrap, [data-testid=status-tracker], .sr-only[role=status]";
  const list = [];
  let names = [];

  const seen = (el) =>
    el.checkVisibility({ visibilityProperty: true }) && el.getBoundingClientRect().width > 0;

  // Where a hand aims: the label of a small field, the grip of an end of the calipers.
  const target = (el) => {
    const small = ["radio", "checkbox", "file"].includes(el.type);
    return (small && el.closest("label")) || el.querySelector(":scope > .grip") || el;
  };

  const kindOf = (el) => {
    const tag = el.tagName.toLowerCase();
    if (el.matches(".end")) return "end";
    if (el.matches("[role=tab]")) return "tab";
    if (el.matches(".paper")) return "paper";
    if (el.matches("[role=combobox], [role=listbox]")) return "combobox";
    if (["radio", "checkbox", "file", "range", "number"].includes(el.type)) return el.type;
    if (["textarea", "input"].includes(tag)) return "text";
    return ["a", "button", "select", "summary"].includes(tag) ? tag : "region";
  };

  const words = (el) => {
    const said = el.getAttribute("aria-label") ?? el.labels?.[0]?.innerText ?? el.innerText ?? "";
    return said.trim().split("\n")[0].slice(0, 30);
  };

  // What a control is for, by what its template gives it; Gradio's own are told by their words.
  const given = (el) => {
    const { tool, kind, end } = el.dataset;
    if (tool ?? kind ?? end) return tool ?? kind ?? end;
    if (el.type === "radio") return `radio ${el.closest("fieldset").innerText.trim().split("\n")[0]}`;
    if (/svelte-/.test(el.className)) return "";
    const around = el.matches("summary") ? el.parentElement : el;
    return el.name || around.className.replace("small", "").trim() || around.dataset.keep?.split(" ")[0];
  };

  const nameOf = (el) => {
    const near = el.closest("[id]:not([id^=component-], [id^=html-], [id^=modebar-], [id^=range])")?.id;
    return [near && `#${near}`, el.tagName.toLowerCase(), given(el) || words(el)].filter(Boolean).join(" ");
  };

  // A link within a sentence is as high as its line (WCAG 2.5.8 excepts it).
  const inline = (el) =>
    getComputedStyle(el).display.startsWith("inline") &&
    [...el.parentElement.childNodes].some((one) => one.nodeType === 3 && one.textContent.trim());

  const place = (el, block = "center") => {
    const aim = target(el);
    aim.scrollIntoView({ block, inline: "center", behavior: "instant" });
    const { x, y, width, height } = aim.getClientRects()[0];
    const at = [x + width / 2, y + height / 2];
    const under = document.elementFromPoint(...at);
    return { width, height, at, hit: !!under && (aim.contains(under) || el.contains(under)) };
  };

  // Which controls lie in a part of the page; those of one name do the same.
  const find = (scope) => {
    const parts = [...document.querySelectorAll(scope)].filter(seen);
    const inside = new Set(parts.flatMap((one) => [...one.querySelectorAll(KINDS)]));
    const works = (el) => !el.disabled && !(kindOf(el) === "region" && el.tabIndex < 0);
    list.splice(0, Infinity, ...[...inside].filter((el) => works(el) && seen(target(el))));
    names = list.map(nameOf);
    return list.map((el, n) => ({
      n, name: names[n], kind: kindOf(el), inline: inline(el), checked: !!el.checked,
      toggles: el.matches("summary, .label-wrap, .finding, #tools [aria-pressed]"),
      ...place(el),
    }));
  };

  // Where the keyboard stops from now on, and whether that shows.
  const stops = new Map();
  let last, round;
  const look = (el) => {
    const around = [el, el.querySelector(".leg"), el.closest("label"), el.parentElement, el.parentElement?.parentElement];
    const styles = around.filter(Boolean).map((one) => getComputedStyle(one));
    return styles.map((style) => RING.map((name) => style[name])).join("|");
  };
  const left = () => {
    if (last) stops.get(last).ring ||= stops.get(last).focused !== look(last);
  };
  addEventListener("focusin", ({ target: el }) => {
    left();
    last = el;
    round ||= el === stops.keys().next().value;
    if (!stops.has(el)) stops.set(el, { focused: look(el), ring: false });
  });
  const forget = () => {
    stops.clear();
    last = undefined;
    round = false;
  };
  // Of one question the keyboard stops at one, and the arrows choose.
  const stopOf = (el) => {
    const asked = el.type === "radio" && list.find((one) => one.name === el.name && stops.has(one));
    return stops.get(el) ?? stops.get(asked);
  };
  const passed = () => round || (list.every(stopOf) && !list.includes(document.activeElement));
  const reached = () => {
    document.activeElement?.blur();
    left();
    return list.map((el) => !!stopOf(el)?.ring);
  };

  // Whether a press has changed anything on the page.
  let mutated = false, presses = 0, before;
  const current = (n) =>
    list[n].isConnected ? list[n]
      : (list[n] = [...document.querySelectorAll(KINDS)].find((el) => seen(el) && nameOf(el) === names[n]));
  const state = (el) => [el.value, el.checked, el.parentElement?.open, location.hash].join();
  // Of that apart; keyboard.js names radio buttons anew at any key.
  const ours = ({ target: el, attributeName }) => {
    const at = el.nodeType === 1 ? el : el.parentElement;
    return !!at?.isConnected && !at.closest(STATUS) && attributeName !== "name";
  };
  new MutationObserver((records) => (mutated ||= records.some(ours))).observe(document.body, {
    subtree: true, childList: true, attributes: true, characterData: true,
  });
  const arm = (n, focus) => {
    const el = current(n);
    if (!el.matches("summary")) el.closest("details")?.setAttribute("open", "");
    // Two quick taps at one place are one of another kind.
    const aim = place(el, presses++ % 2 ? "start" : "end");
    // Two on the words of a label select these.
    const { x, y, width, height } = el.getBoundingClientRect();
    const at = ["radio", "checkbox"].includes(el.type) ? [x + width / 2, y + height / 2] : aim.at;
    if (focus) el.focus({ preventScroll: true });
    return new Promise((done) => requestAnimationFrame(() => {
      before = state(el);
      mutated = false;
      done(at);
    }));
  };
  const changed = (n) => {
    const el = current(n);
    return state(el) !== before || (mutated && !HOLDING.includes(kindOf(el)));
  };
  const focused = (n) => document.activeElement === current(n);

  document.documentElement.style.scrollPadding = "200px 0";
  window.print = () => document.body.toggleAttribute("data-printed");
  window.walk = { list, find, forget, passed, reached, arm, changed, focused };
}
