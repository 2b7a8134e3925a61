// An explanation beside what it explains, while the mouse or the focus is on that; Escape takes it away.

import { h } from "./dom.js";

const GAP = 6;
const bubble = h("div", { class: "tip", role: "tooltip", hidden: true });

/** The element, with its explanation. area: what else around it the mouse may point at. */
export function explained(element, text, area = element) {
  element.setAttribute("aria-description", text);
  element.classList.add("explained");
  const [shows, hides] = [() => show(element, text), hide];
  area.addEventListener("mouseenter", shows);
  area.addEventListener("mouseleave", hides);
  element.addEventListener("focus", shows);
  element.addEventListener("blur", hides);
  return element;
}

let current = null;

function show(element, text) {
  current = element;
  bubble.textContent = text;
  bubble.hidden = false;
  document.body.append(bubble);
  put();
}

/** Above what it explains, or below where there is no room; within the window in any case. */
function put() {
  const [at, own] = [current.getBoundingClientRect(), bubble.getBoundingClientRect()];
  const right = document.documentElement.clientWidth - own.width - GAP;
  const above = at.top - own.height - GAP;
  bubble.style.left = `${Math.max(GAP, Math.min(at.left, right))}px`;
  bubble.style.top = `${above >= GAP ? above : at.bottom + GAP}px`;
}

function hide() {
  current = null;
  bubble.hidden = true;
}

addEventListener("keydown", (event) => {
  if (event.key === "Escape") hide();
});
// Also when the focus makes the page scroll.
addEventListener("scroll", () => current && put(), { capture: true, passive: true });
