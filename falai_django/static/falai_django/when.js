// A fieldset of class `falai-when-<input>-<value>` is shown while that input has that value. Without scripts all are.
"use strict";

const MARK = /^falai-when-([a-z_]+)-(.+)$/;

function watch(fieldset, name, value) {
  const input = document.getElementById(`id_${name}`);
  if (!input) {
    return;
  }
  const update = () => {
    fieldset.hidden = input.value !== value;
  };
  input.addEventListener("change", update);
  update();
}

document.addEventListener("DOMContentLoaded", () => {
  for (const fieldset of document.querySelectorAll("fieldset[class*='falai-when-']")) {
    for (const mark of fieldset.classList) {
      const found = MARK.exec(mark);
      // What has an error stays in sight, whatever is chosen.
      if (found && !fieldset.querySelector(".errorlist")) {
        watch(fieldset, found[1], found[2]);
      }
    }
  }
});
