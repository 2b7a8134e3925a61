// Tables that sort, filter and show a first part of many rows. Everything in them can be reached with the keyboard.

import { h } from "./dom.js";
import { count, plural } from "./format.js";

const FIRST = 20;
const STEP = 200;
const FILTER_FROM = 9; // rows: fewer are seen at a glance

/**
 * label: describes the table for readers who cannot see its place.   one, several: the name of a row ("call site").
 * columns: [{ title, hint, value(row) to sort by, cell(row) -> text or element, text: left-aligned words, head: names the row }]
 * words(row): what the filter looks at.   detail(row): more about a row, made when it is opened; null: nothing.
 * The rows come in the order they are shown in until a heading is pressed.
 */
export function table(options) {
  return new Table(options).element;
}

class Table {
  constructor({ label, columns, rows, one, several, words, detail, first = FIRST, wide = false }) {
    Object.assign(this, { columns, rows, one, several: several ?? `${one}s`, words, detail });
    this.shown = first;
    this.sorted = null;
    this.filter = "";
    this.body = h("tbody");
    this.headings = columns.map((column) => this.heading(column));
    this.status = h("span", { role: "status" });
    this.more = h("button", { type: "button", class: "more", on: { click: () => this.showMore() } });
    const head = h("tr", null, detail ? h("td", { class: "opener" }) : null, this.headings);
    this.element = h(
      "div",
      { class: "table" },
      this.filterField(label),
      h(
        "div",
        { class: "scroll", tabindex: 0, role: "region", "aria-label": label },
        h("table", { class: wide ? "wide" : null }, h("thead", null, head), this.body),
      ),
      h("p", { class: "rest" }, this.status, this.more),
    );
    this.draw();
  }

  heading(column) {
    const press = h(
      "button",
      { type: "button", title: column.hint, on: { click: () => this.sortBy(column) } },
      column.title,
    );
    return h("th", { scope: "col", class: column.text ? "text" : "number" }, column.value ? press : column.title);
  }

  filterField(label) {
    if (this.rows.length < FILTER_FROM || !this.words) return null;
    const type = (event) => {
      this.filter = event.target.value.trim().toLowerCase();
      this.draw();
    };
    return h("input", {
      type: "search",
      class: "filter",
      placeholder: `Filter ${count(this.rows.length)} ${this.several}`,
      "aria-label": `Filter: ${label}`,
      spellcheck: "false",
      autocomplete: "off",
      on: { input: type },
    });
  }

  sortBy(column) {
    const again = this.sorted?.column === column;
    const falling = again ? !this.sorted.falling : !column.text;
    this.sorted = { column, falling };
    this.columns.forEach((each, i) => {
      if (each === column) this.headings[i].setAttribute("aria-sort", falling ? "descending" : "ascending");
      else this.headings[i].removeAttribute("aria-sort");
    });
    this.draw();
  }

  showMore() {
    const before = this.body.querySelectorAll("tr.row").length;
    this.shown = before + STEP;
    this.draw();
    this.body.querySelectorAll("tr.row")[before]?.querySelector("th, td")?.scrollIntoView({ block: "nearest" });
  }

  matching() {
    const wanted = this.filter.split(/\s+/).filter(Boolean);
    let rows = this.rows;
    if (wanted.length) {
      rows = rows.filter((row) => {
        const words = this.words(row).toLowerCase();
        return wanted.every((word) => words.includes(word));
      });
    }
    if (!this.sorted) return rows;
    const { column, falling } = this.sorted;
    return [...rows].sort((a, b) => (falling ? -1 : 1) * compare(column.value(a), column.value(b)));
  }

  draw() {
    const rows = this.matching();
    const visible = rows.slice(0, this.shown);
    const left = rows.length - visible.length;
    this.body.replaceChildren(...visible.flatMap((row) => this.lines(row)));
    if (!rows.length)
      this.body.append(h("tr", null, h("td", { colspan: this.columns.length + 1, class: "text" }, "Nothing matches.")));
    const of = this.filter ? `${plural(rows.length, this.one, this.several)} of ${count(this.rows.length)} match` : "";
    this.status.textContent = left ? `${of ? of + "; " : ""}${count(left)} more not shown` : of;
    this.more.hidden = !left;
    this.more.textContent = `Show ${count(Math.min(left, STEP))} more`;
  }

  lines(row) {
    const cells = this.columns.map((column) =>
      h(
        column.head ? "th" : "td",
        { scope: column.head ? "row" : null, class: column.text ? "text" : "number" },
        column.cell(row),
      ),
    );
    if (!this.detail) return [h("tr", { class: "row" }, cells)];
    const line = h("tr", { class: "row" });
    const beneath = h("tr", { class: "detail", hidden: true });
    const toggle = (event) => {
      if (beneath.hidden && !beneath.firstChild) {
        beneath.append(h("td", { colspan: this.columns.length + 1 }, h("div", { class: "inside" }, this.detail(row))));
      }
      beneath.hidden = !beneath.hidden;
      event.currentTarget.setAttribute("aria-expanded", String(!beneath.hidden));
    };
    const name = cells[this.columns.findIndex((column) => column.head)]?.textContent ?? "";
    const button = h("button", {
      type: "button",
      class: "open",
      "aria-expanded": "false",
      "aria-label": `Details of ${name}`,
      on: { click: toggle },
    });
    line.append(h("td", { class: "opener" }, button), ...cells);
    return [line, beneath];
  }
}

/** Ascending; unknown values come first, numbers before words, "2" before "10". */
function compare(a, b) {
  const [none, other] = [a === null || a === undefined, b === null || b === undefined];
  if (none || other) return Number(other) - Number(none);
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}
