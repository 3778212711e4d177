"use strict";
// The pages work without this file. It shows that a form is on its way, sends it once, and adds
// two keys: "/" goes to the first box, Ctrl+Enter sends a request.

const busy = (form) => {
  for (const button of form.querySelectorAll("button")) button.disabled = true;
  const told = form.querySelector(".busy");
  if (told) told.textContent = form.dataset.busy;
};

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post") return;
  if (form.dataset.sent) event.preventDefault();
  else {
    form.dataset.sent = "yes";
    busy(form);
  }
});

// A page that the browser has kept shows its forms as they were before they were sent.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});

document.addEventListener("keydown", (event) => {
  const box = event.target.closest("input, textarea, select");
  if (event.key === "/" && !box && !event.ctrlKey && !event.metaKey && !event.altKey) {
    const first = document.querySelector("main input[type=search], main textarea");
    if (first) {
      event.preventDefault();
      first.focus();
    }
  }
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && box && box.form) {
    box.form.requestSubmit();
  }
});

for (const box of document.querySelectorAll(".filter input[type=checkbox]")) {
  box.addEventListener("change", () => box.form.requestSubmit());
}

document.documentElement.dataset.ready = "yes";
