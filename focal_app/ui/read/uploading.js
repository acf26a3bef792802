// Says that a chosen recording is being read, from the choice of the files on until the page has
// the answer or a toast tells that there will be none. A file that is too large is not sent, and
// why stands where every refusal stands. Runs once, with `element` from Gradio.
const words = element.querySelector("[data-reading]").dataset;
let sign;
let watching;

const done = () => {
  clearInterval(watching);
  sign?.remove();
  sign = undefined;
};

const field = () => element.closest(".toolbar").querySelector('input[type="file"]');

const say = () => {
  done();
  sign = document.createElement("p");
  sign.className = "readingnow";
  sign.setAttribute("role", "status");
  sign.textContent = words.reading;
  element.closest(".toolbar").after(sign);
  const told = document.querySelectorAll(".toast-body").length;
  watching = setInterval(() => {
    if (document.querySelectorAll(".toast-body").length > told) done();
  }, 300);
};

// A refusal of the page's own, below the toolbar of the upload; it goes with the next click.
const refuse = (toolbar, sentence) => {
  const refused = document.createElement("div");
  refused.className = "trouble";
  refused.setAttribute("role", "alert");
  refused.textContent = sentence;
  toolbar.parentElement.querySelector('[id$="trouble"]').append(refused);
  document.addEventListener("click", () => refused.remove(), { once: true, capture: true });
};

const tooLarge = (files) => [...files].find((file) => file.size > 1e6 * words.most);

document.addEventListener(
  "change",
  (event) => {
    const { target } = event;
    const toolbar = target.type === "file" && target.closest(".toolbar");
    if (!toolbar || !target.files?.length) return;
    const large = tooLarge(target.files);
    if (large) {
      event.stopImmediatePropagation();
      target.value = "";
      refuse(toolbar, words.toolarge.replace("{}", (large.size / 1e6).toFixed(1)));
    } else if (target === field()) say();
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
