// Places that the layout hides, and waves that are not marked, are a click away. Runs once, with
// `element` and `trigger`.
element.addEventListener("click", (event) => {
  const { layout, switch: name } = event.target.closest("button.show")?.dataset ?? {};
  if (layout) trigger("select", { name: "layout", value: layout });
  if (name) trigger("select", { name, value: "true" });
});
