// The toolbar of the paper: its settings are told to the server, its buttons to paper.js.
// Runs once, with `element`, `trigger` and `watch` from Gradio.
let held;

element.addEventListener("change", (event) => {
  const field = event.target;
  held = field.name;
  trigger("select", {
    name: field.name,
    value: field.type === "checkbox" ? String(field.checked) : field.value,
  });
});

element.addEventListener("click", (event) => {
  const tool = event.target.closest("[data-tool]");
  if (!tool) return;
  const detail = { tool: tool.dataset.tool, byKey: event.detail === 0 };
  window.dispatchEvent(new CustomEvent("papertool", { detail }));
});

// The toolbar is written anew with the settings: who set one goes on where they were.
watch("value", () =>
  requestAnimationFrame(() => {
    // A field that was set by hand keeps that in the browser, whatever is written: as it says, then.
    element.querySelectorAll("option").forEach((one) => (one.selected = one.defaultSelected));
    element.querySelectorAll("input").forEach((one) => (one.checked = one.defaultChecked));
    if (held && document.activeElement === document.body) {
      element.querySelector(`[name="${held}"]`)?.focus();
    }
    window.dispatchEvent(new CustomEvent("papertool", { detail: { tool: "redrawn" } }));
  }),
);
