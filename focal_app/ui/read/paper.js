// An ECG on paper: its size, moving about on it, and what the model looked at below the pointer.
// Runs once, with `element`, `trigger` and `watch` from Gradio; what is said here asks no server.
const frame = element.closest(".block.paper") ?? element;
const leaf = () => element.querySelector(".leaf");
const page = () => element.querySelector(".leaf > svg.ecg");
const LEAST = 0.25, MOST = 4, STEP = Math.SQRT2;
let size = 1;
let refining;

// The keyboard stops at an ECG, not at the empty place of one.
const present = () => {
  const named = { tabindex: 0, role: "region", "aria-label": leaf()?.dataset.label };
  for (const [key, value] of Object.entries(named)) {
    if (leaf()) frame.setAttribute(key, value);
    else frame.removeAttribute(key);
  }
};
present();

const resize = (wanted, at) => {
  const before = size;
  size = Math.min(MOST, Math.max(LEAST, wanted));
  const x = at ?? frame.clientWidth / 2;
  const middle = (frame.scrollLeft + x) / before;
  frame.style.setProperty("--zoom", size);
  frame.scrollLeft = middle * size - x;
  follow();
  const said = document.querySelector("#tools output.size");
  if (said && frame.id === "paper") said.textContent = `${Math.round(100 * size)} %`;
};

// The names of the leads go along with a paper that is moved, up to the end of their strips; its
// right edge fades where it goes on.
const NAME_MM = 12;
const follow = () => {
  const beyond = frame.scrollWidth - frame.clientWidth - frame.scrollLeft;
  frame.classList.toggle("goeson", beyond > 1);
  if (!page()) return;
  const { wide, left, speed } = page().dataset;
  const seen = (frame.scrollLeft / page().getBoundingClientRect().width) * wide - left;
  for (const strip of page().querySelectorAll("g.strip")) {
    const { from, to } = strip.dataset;
    const along = Math.min(seen - from * speed, (to - from) * speed - NAME_MM);
    strip.querySelector("text.lead")?.style.setProperty("--along", `${Math.max(0, along)}px`);
  }
};
frame.addEventListener("scroll", follow, { passive: true });
new ResizeObserver(follow).observe(frame);

// The place of an event on the paper: seconds of the window, millimetres from its top.
const placeOf = (event) => {
  const svg = page();
  const box = svg.getBoundingClientRect();
  const { wide, high, left, speed } = svg.dataset;
  const x = ((event.clientX - box.left) / box.width) * wide - left;
  return { second: x / speed, y: ((event.clientY - box.top) / box.height) * high };
};

const stripAt = ({ second, y }) =>
  [...page().querySelectorAll("g.strip")].find(
    ({ dataset: d }) => second >= +d.from && second < +d.to && y >= +d.top && y < +d.bottom,
  );

const hint = () => {
  let said = leaf().querySelector("p.told");
  if (said) return said;
  said = document.createElement("p");
  said.className = "told";
  leaf().append(said);
  return said;
};

const tell = (event) => {
  leaf()?.querySelector("p.told")?.remove();
  const tint = page()?.querySelector("g.tint");
  if (!tint || frame.matches(".measuring, .marking")) return;
  const place = placeOf(event);
  const strip = stripAt(place);
  const row = strip && tint.querySelector(`[data-looked][data-lead="${strip.dataset.lead.replace("−", "")}"]`);
  if (!row) return;
  const step = +tint.dataset.step;
  const column = Math.floor(place.second / step);
  const times = row.dataset.looked.split(" ")[column];
  if (times === undefined) return;
  const from = +page().dataset.start + column * step;
  const span = `${+from.toFixed(1)}–${+(from + step).toFixed(1)} s`;
  const said = hint();
  const words = times === "-" ? leaf().dataset.unseen : leaf().dataset.looked;
  said.textContent = words
    .replace("{lead}", strip.dataset.lead).replace("{span}", span).replace("{times}", times);
  const box = leaf().getBoundingClientRect();
  said.style.left = `${Math.min(event.clientX - box.left + 12, box.width - 330)}px`;
  said.style.top = `${event.clientY - box.top + 14}px`;
};

frame.addEventListener("pointermove", (event) => !event.buttons && tell(event));
frame.addEventListener("click", tell);
frame.addEventListener("pointerleave", () => leaf()?.querySelector("p.told")?.remove());

frame.addEventListener("wheel", (event) => {
  if (!event.ctrlKey && !event.metaKey) return;
  event.preventDefault();
  const at = event.clientX - frame.getBoundingClientRect().left;
  resize(size * Math.exp(-event.deltaY / 300), at);
}, { passive: false });

frame.addEventListener("keydown", (event) => {
  if (event.target !== frame || event.ctrlKey || event.metaKey || event.altKey) return;
  const wanted = { "+": size * STEP, "=": size * STEP, "-": size / STEP, 0: 1 }[event.key];
  if (!wanted) return;
  event.preventDefault();
  resize(wanted);
});

// A hand moves the paper: a mouse by dragging, two fingers its size; one finger scrolls by itself.
let grip;
frame.addEventListener("pointerdown", (event) => {
  if (event.pointerType !== "mouse" || event.button || frame.matches(".measuring, .marking")) return;
  grip = { x: event.clientX, y: event.clientY };
});
window.addEventListener("pointermove", (event) => {
  if (!grip || !event.buttons) return;
  frame.scrollLeft -= event.clientX - grip.x;
  window.scrollBy({ top: grip.y - event.clientY, behavior: "instant" });
  grip = { x: event.clientX, y: event.clientY };
});
window.addEventListener("pointerup", () => (grip = undefined));

let pinch;
const apart = ([one, other]) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
frame.addEventListener("touchstart", (event) => {
  pinch = event.touches.length === 2 ? { apart: apart(event.touches), size } : undefined;
});
frame.addEventListener("touchmove", (event) => {
  if (!pinch || event.touches.length !== 2) return;
  event.preventDefault();
  resize((pinch.size * apart(event.touches)) / pinch.apart);
}, { passive: false });

if (frame.id === "paper") {
  window.addEventListener("papertool", ({ detail }) => {
    if (detail.tool === "larger") resize(size * STEP);
    if (detail.tool === "smaller") resize(size / STEP);
    if (detail.tool === "redrawn") resize(size);
    if (detail.tool === "print") window.print();
  });
  // Paper wider than a sheet is printed in parts, each true to scale.
  window.addEventListener("beforeprint", () => {
    const svg = page();
    const { wide, high, left } = svg?.dataset ?? {};
    if (!svg || wide <= 280) return;
    const piece = (from, until) => {
      const drawn = svg.cloneNode(true);
      drawn.setAttribute("viewBox", `${from} 0 ${until - from} ${high}`);
      drawn.setAttribute("width", `${until - from}mm`);
      return drawn;
    };
    // Every part begins with the pulses; names of leads are drawn again where it begins.
    for (let from = 0; from < wide - left - 5; from += 250) {
      const part = document.createElement("div");
      part.className = "part";
      part.append(piece(-left, 0), piece(from, Math.min(from + 250, wide - left)));
      leaf().append(part);
    }
    frame.classList.add("inparts");
  });
  window.addEventListener("afterprint", () => {
    element.querySelectorAll(".part").forEach((part) => part.remove());
    frame.classList.remove("inparts");
  });
}

// A coarse tint is there at once; the finer one is asked for when the hand rests.
watch("value", () => {
  follow();
  clearTimeout(refining);
  present();
  refining = setTimeout(() => leaf()?.dataset.coarse && trigger("select", {}), 250);
});
