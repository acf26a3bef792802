// The keyboard where Gradio leaves it alone. Runs once for the whole page.

// Gradio names every radio button apart, which makes each a stop of its own: the buttons of one
// question share a name here, so that Tab passes them and the arrows choose among them.
const group = () => {
  document.querySelectorAll("fieldset").forEach((question, number) => {
    const name = `question-${number}`;
    question.querySelectorAll('input[type="radio"]').forEach((choice) => {
      if (choice.name !== name) choice.name = name;
    });
  });
};

// A long list of choices scrolls, and Chromium makes whatever scrolls a stop of its own, which would
// hold the list open over the page: Tab goes on to what comes next.
const skipLists = () => {
  document.querySelectorAll('[role="listbox"]').forEach((list) => {
    list.tabIndex = -1;
  });
};

// Gradio leaves a list from which several can be chosen open behind the keyboard.
const close = (field) => {
  if (field.getAttribute("aria-expanded") !== "true" || field === document.activeElement) return;
  field.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
};

document.addEventListener("keydown", group, true);
document.addEventListener("keydown", skipLists, true);
document.addEventListener("focusout", (event) => {
  const field = event.target;
  if (field.getAttribute?.("role") === "combobox") setTimeout(() => close(field), 100);
});
