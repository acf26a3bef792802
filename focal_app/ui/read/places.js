// Places that the layout hides are a click away. Runs once, with `element` and `trigger`.
element.addEventListener("click", (event) => {
  const place = event.target.closest("button[data-layout]");
  if (place) trigger("select", { name: "layout", value: place.dataset.layout });
});
