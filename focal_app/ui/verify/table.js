// What a visitor unfolded in the table stays so when it comes anew. Runs after findings.js.
const kept = new Set();

element.addEventListener(
  "toggle",
  (event) => {
    const key = event.target.dataset?.keep;
    if (key) event.target.open ? kept.add(key) : kept.delete(key);
  },
  true,
);

watch("value", () => {
  for (const one of element.querySelectorAll("details[data-keep]")) {
    if (kept.has(one.dataset.keep)) one.open = true;
  }
});
