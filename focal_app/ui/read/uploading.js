// Says that a chosen recording is being read, from the choice of the files on until the page has
// the answer or a toast tells that there will be none. Runs once, with `element` from Gradio.
const words = element.querySelector("[data-reading]").dataset.reading;
let sign;
let watching;

const done = () => {
  clearInterval(watching);
  sign?.remove();
  sign = undefined;
};

const field = () => element.closest(".toolbar").querySelector('input[type="file"]');

const say = () => {
  const paper = document.querySelector("#paper");
  if (!paper) return;
  done();
  sign = document.createElement("p");
  sign.className = "readingnow";
  sign.setAttribute("role", "status");
  sign.textContent = words;
  paper.before(sign);
  const told = document.querySelectorAll(".toast-body").length;
  watching = setInterval(() => {
    if (document.querySelectorAll(".toast-body").length > told) done();
  }, 300);
};

document.addEventListener(
  "change",
  (event) => {
    if (event.target.type === "file" && event.target.files?.length && event.target === field()) say();
  },
  true,
);
window.addEventListener("uploadanswered", done);

// Files that are dropped on the paper go the way of files that are chosen.
const onPaper = (event) =>
  event.dataTransfer?.types.includes("Files") && event.target.closest?.("#paper, #recording");
const mark = (on) => document.querySelector("#paper")?.classList.toggle("dropping", on);

document.addEventListener("dragover", (event) => {
  const over = Boolean(onPaper(event));
  mark(over);
  if (over) event.preventDefault();
});
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) mark(false);
});
document.addEventListener("drop", (event) => {
  mark(false);
  if (!onPaper(event) || !field()) return;
  event.preventDefault();
  field().files = event.dataTransfer.files;
  field().dispatchEvent(new Event("change", { bubbles: true }));
});
