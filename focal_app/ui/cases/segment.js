// A segment marked on the paper: a lead between two times, by mouse, by finger or by the arrow keys.
// Lies below paper.js in one script; only while the page draws the frame of a segment.
const LEAD_STEP = { ArrowUp: -1, ArrowDown: 1 }, TIME_STEP = { ArrowLeft: -0.5, ArrowRight: 0.5 };
const PATCH_S = 1;
let from, chosen, waiting;

const framed = () => page()?.querySelector("rect.marked");
const strips = () => [...page().querySelectorAll("g.strip")];
const halves = (second) => Math.round(2 * second) / 2;

// What the frame on the paper stands for, in seconds of the window.
const drawn = () => {
  const [x, width, y] = ["x", "width", "y"].map((name) => +framed().getAttribute(name));
  const speed = +page().dataset.speed;
  const strip = stripAt({ second: x / speed + 0.01, y: y + 0.01 });
  return { lead: strip?.dataset.lead, from: x / speed, to: (x + width) / speed };
};

const show = () => {
  const strip = strips().find(({ dataset }) => dataset.lead === chosen.lead);
  const speed = +page().dataset.speed;
  const box = {
    x: speed * chosen.from, width: speed * (chosen.to - chosen.from),
    y: +strip.dataset.top, height: strip.dataset.bottom - strip.dataset.top,
  };
  for (const [name, value] of Object.entries(box)) framed().setAttribute(name, value);
};

const tellSegment = (after) => {
  clearTimeout(waiting);
  const start = +page().dataset.start;
  const { lead, from: first, to: last } = chosen;
  const told = { lead, from_s: start + first, to_s: start + last };
  waiting = setTimeout(() => trigger("select", told), after);
};

// The segment between two places of one strip; a place alone stands for the patch that it lies in.
const between = (one, other) => {
  const [first, last] = [one.second, other.second].sort((a, b) => a - b);
  const long = last - first >= 0.25;
  const start = long ? halves(first) : Math.floor(first);
  const end = long ? Math.max(halves(last), start + 0.5) : start + PATCH_S;
  return { from: Math.max(0, Math.min(start, 9.5)), to: Math.min(10, end) };
};

frame.addEventListener("pointerdown", (event) => {
  if (event.button || !event.isPrimary || !framed()) return;
  const place = placeOf(event);
  const strip = stripAt(place);
  if (!strip) return;
  from = { ...place, lead: strip.dataset.lead };
});
window.addEventListener("pointermove", (event) => {
  if (!from || !event.isPrimary || !framed()) return;
  chosen = { lead: from.lead, ...between(from, placeOf(event)) };
  show();
});
window.addEventListener("pointerup", (event) => {
  if (!from || !event.isPrimary || !framed()) return;
  chosen = { lead: from.lead, ...between(from, placeOf(event)) };
  from = undefined;
  show();
  tellSegment(0);
});
// A finger that goes up or down scrolls the page, and marks nothing.
window.addEventListener("pointercancel", () => {
  if (from && chosen && framed()) tellSegment(0);
  from = undefined;
});

// Arrows move the segment and change its lead; with Shift they move its end.
frame.addEventListener("keydown", (event) => {
  if (event.target !== frame || !framed() || event.ctrlKey || event.metaKey || event.altKey) return;
  const before = chosen ?? drawn();
  const [lead, time] = [LEAD_STEP[event.key], TIME_STEP[event.key]];
  if (!lead && !time) return;
  event.preventDefault();
  chosen = { ...before };
  if (lead) {
    const all = strips();
    const here = all.findIndex(({ dataset }) => dataset.lead === before.lead);
    chosen.lead = all[Math.min(all.length - 1, Math.max(0, here + lead))].dataset.lead;
  } else if (event.shiftKey) {
    chosen.to = Math.min(10, Math.max(before.from + 0.5, before.to + time));
  } else {
    const by = Math.max(-before.from, Math.min(10 - before.to, time));
    Object.assign(chosen, { from: before.from + by, to: before.to + by });
  }
  show();
  tellSegment(400);
});

watch("value", () => {
  chosen = undefined;
  frame.classList.toggle("marking", !!framed());
});
