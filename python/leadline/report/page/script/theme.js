// Light, dark, or as the system says; charts are drawn again when it changes.

import { h } from "./dom.js";

const CHOICES = ["as the system", "light", "dark"];
const listeners = [];
let chosen = 0;

export function onThemeChange(listener) {
  listeners.push(listener);
}

function changed() {
  for (const listener of listeners) listener();
}

function apply(choice) {
  if (choice) document.documentElement.dataset.theme = CHOICES[choice];
  else delete document.documentElement.dataset.theme;
  changed();
}

export function themeButton() {
  const button = h("button", { type: "button", class: "theme" });
  const name = () => (button.textContent = `Colours: ${CHOICES[chosen]}`);
  button.addEventListener("click", () => {
    chosen = (chosen + 1) % CHOICES.length;
    apply(chosen);
    name();
  });
  name();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  // On paper it is always light.
  addEventListener("beforeprint", () => apply(1));
  addEventListener("afterprint", () => apply(chosen));
  return button;
}
