// Calipers on the paper: milliseconds, rate and millivolts between two ends, marched out on wish.
// Lies below paper.js in one script; every answer is made here.
const SVG = "http://www.w3.org/2000/svg";
const tools = () => document.querySelector("#tools");
let measuring = false, marching = false, dragging, ends, drawnFor;

const make = (parent, name, attributes) => {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  parent.append(made);
  return made;
};

const pressed = (tool, on) =>
  tools()?.querySelector(`[data-tool="${tool}"]`)?.setAttribute("aria-pressed", String(on));

const kindOf = () => {
  const { speed, high, wide } = page().dataset;
  return [speed, high, wide, page().dataset.start].join(" ");
};

// What lies between the ends; heights by the gain of the strip in which the first one is.
const answer = () => {
  const [one, other] = ends;
  const strip = stripAt(one) ?? page().querySelector("g.strip");
  const ms = Math.round(1000 * Math.abs(other.second - one.second));
  const mv = (one.y - other.y) / +strip.dataset.gain;
  const rate = ms ? ` · ${Math.round(60000 / ms)}/min` : "";
  const height = `${mv < 0 ? "−" : ""}${Math.abs(mv).toFixed(2)}`;
  return `${ms} ms${rate} · ${height} mV (${strip.dataset.lead})`;
};

const overlay = () => {
  leaf().querySelector("svg.calipers")?.remove();
  const svg = make(leaf(), "svg", { class: "calipers", viewBox: page().getAttribute("viewBox") });
  return svg;
};

const draw = () => {
  if (!leaf()) return;
  const focused = document.activeElement?.dataset?.end;
  const svg = overlay();
  const said = tools()?.querySelector("output.answer");
  if (!measuring || !ends) {
    svg.remove();
    if (said) said.textContent = measuring ? said.dataset.help : "";
    return;
  }
  const speed = +page().dataset.speed;
  const high = +page().dataset.high;
  const [one, other] = ends;
  make(svg, "rect", {
    class: "between",
    x: speed * Math.min(one.second, other.second), width: speed * Math.abs(other.second - one.second),
    y: Math.min(one.y, other.y), height: Math.abs(other.y - one.y),
  });
  const step = other.second - one.second;
  if (marching && Math.abs(step) > 0.04) {
    for (let at = one.second - Math.ceil(10 / Math.abs(step)) * Math.abs(step); at <= 10; at += Math.abs(step)) {
      if (at >= 0) make(svg, "path", { class: "march", d: `M${speed * at} 0V${high - 8}` });
    }
  }
  ends.forEach((end, number) => {
    const handle = make(svg, "g", {
      class: "end", tabindex: 0, role: "slider", "data-end": number, "aria-valuemin": 0,
      "aria-valuemax": 10000, "aria-valuenow": Math.round(1000 * end.second),
      "aria-label": number ? said.dataset.right : said.dataset.left, "aria-valuetext": answer(),
    });
    const x = speed * end.second;
    make(handle, "rect", { class: "grip", x: x - 4.5, width: 9, y: end.y - 14, height: 28 });
    make(handle, "path", { class: "leg", d: `M${x} ${end.y - 14}v28M${x - 2} ${end.y}h4` });
  });
  said.textContent = answer();
  if (focused !== undefined) svg.querySelector(`[data-end="${focused}"]`)?.focus();
};

const clamp = ({ second, y }) => ({
  second: Math.min(10, Math.max(0, second)), y: Math.min(+page().dataset.high, Math.max(0, y)),
});

// By keyboard they begin in sight, on the first strip, a second apart.
const place = () => {
  const svg = page();
  const box = svg.getBoundingClientRect();
  const from = placeOf({ clientX: frame.getBoundingClientRect().left + 70, clientY: box.top });
  const y = +svg.querySelector("g.strip").dataset.zero;
  const second = Math.max(0.2, from.second);
  ends = [clamp({ second, y }), clamp({ second: second + 1, y })];
  drawnFor = kindOf();
};

const measure = (on, byKey) => {
  measuring = on;
  frame.classList.toggle("measuring", on);
  leaf()?.querySelector("p.told")?.remove();
  pressed("calipers", on);
  if (on && byKey && !ends) place();
  draw();
  if (on && byKey) leaf().querySelector('[data-end="0"]')?.focus();
};

const march = (on) => {
  marching = on;
  pressed("march", on);
  if (on && !measuring) measure(true, true);
  draw();
};

window.addEventListener("papertool", ({ detail }) => {
  if (detail.tool === "calipers") measure(!measuring, detail.byKey);
  if (detail.tool === "march") march(!marching);
  if (detail.tool === "redrawn") {
    pressed("calipers", measuring);
    pressed("march", marching);
    draw();
  }
});

frame.addEventListener("pointerdown", (event) => {
  if (!measuring || event.button || !page()) return;
  event.preventDefault();
  const handle = event.target.closest?.(".end");
  const here = clamp(placeOf(event));
  if (handle) {
    dragging = +handle.dataset.end;
  } else {
    ends = [here, here];
    drawnFor = kindOf();
    dragging = 1;
  }
  draw();
  // The arrow keys, M and Esc go on where the pointer ends.
  leaf().querySelector(`[data-end="${dragging}"]`)?.focus({ preventScroll: true });
});
window.addEventListener("pointermove", (event) => {
  if (dragging === undefined) return;
  ends[dragging] = clamp(placeOf(event));
  draw();
});
for (const over of ["pointerup", "pointercancel"]) {
  window.addEventListener(over, () => (dragging = undefined));
}

frame.addEventListener("keydown", (event) => {
  if (!measuring) return;
  if (event.key === "Escape") {
    measure(false);
    tools()?.querySelector('[data-tool="calipers"]')?.focus();
    return;
  }
  if (event.key === "m" || event.key === "M") march(!marching);
  const handle = event.target.closest?.(".end");
  if (!handle) return;
  const far = event.shiftKey ? 10 : 1;
  const by = {
    ArrowLeft: [-0.01, 0], ArrowRight: [0.01, 0], ArrowUp: [0, -0.5], ArrowDown: [0, 0.5],
  }[event.key];
  if (!by) return;
  event.preventDefault();
  const end = ends[+handle.dataset.end];
  ends[+handle.dataset.end] = clamp({ second: end.second + far * by[0], y: end.y + far * by[1] });
  draw();
});

// Another tint leaves them where they are; another scale or window does not.
watch("value", () =>
  requestAnimationFrame(() => {
    if (!page()) return;
    if (ends && kindOf() !== drawnFor) ends = undefined;
    draw();
  }),
);
