// An explanation beside what it explains, while the mouse or the focus is on that; Escape takes it away.

import { h } from "./dom.js";

const GAP = 6;
const bubble = h("div", { class: "tip", role: "tooltip", hidden: true });

/** The element, with its explanation. */
export function explained(element, text) {
  element.setAttribute("aria-description", text);
  element.classList.add("explained");
  for (const event of ["mouseenter", "focus"]) element.addEventListener(event, () => show(element, text));
  for (const event of ["mouseleave", "blur"]) element.addEventListener(event, hide);
  return element;
}

function show(element, text) {
  bubble.textContent = text;
  bubble.hidden = false;
  document.body.append(bubble);
  const [at, own] = [element.getBoundingClientRect(), bubble.getBoundingClientRect()];
  const right = document.documentElement.clientWidth - own.width - GAP;
  const above = at.top - own.height - GAP;
  bubble.style.left = `${Math.max(GAP, Math.min(at.left, right))}px`;
  bubble.style.top = `${above >= GAP ? above : at.bottom + GAP}px`;
}

function hide() {
  bubble.hidden = true;
}

addEventListener("keydown", (event) => {
  if (event.key === "Escape") hide();
});
addEventListener("scroll", hide, { capture: true, passive: true });
