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

document.addEventListener(
  "change",
  (event) => {
    const field = event.target;
    if (field.type !== "file" || !field.files?.length || !field.closest(".toolbar")) return;
    const paper = document.querySelector("#paper");
    if (!element.closest(".toolbar").contains(field) || !paper) return;
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
  },
  true,
);
window.addEventListener("uploadanswered", done);
