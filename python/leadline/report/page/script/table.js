// Tables that sort, filter, show a first part of many rows and fit their place: columns that have no room are in the
// rows that one opens. Everything in them can be reached with the keyboard. Headings and what they mean: report/columns.py.

import { h } from "./dom.js";
import { count, plural } from "./format.js";
import { COLUMNS } from "./given.js";
import { explained } from "./tip.js";

const FIRST = 20;
const STEP = 200;
const FILTER_FROM = 9; // rows: fewer are seen at a glance
const ITS_OWN = "button, a, input, label, summary, select"; // what a click is for, if it is not for the row

const tables = new Map(); // by place
let onPaper = false;

/**
 * of: the table's name in report/columns.py.   label: describes the table for readers who cannot see its place.
 * one, several: the name of a row ("call site").
 * columns: [{ id, value(row) to sort by, cell(row) -> text or element, text: left-aligned words, head: names the row,
 *   keep: above 0 if it stays longer than others where there is little room, key: what explains the column's pictures below the table }]
 * words(row): what the filter looks at.   detail(row): more about a row, made when it is opened; null: nothing.
 * The rows come in the order they are shown in until a heading is pressed.
 */
export function table(options) {
  return new Table(options).element;
}

/** Fits every table to its place; called once they are in the document. Later changes of size are observed. */
export function fitTables() {
  for (const each of tables.values()) each.fit();
}

class Table {
  constructor({ of, label, columns, rows, one, several, words, detail, first = FIRST }) {
    Object.assign(this, { of, columns, rows, one, several: several ?? `${one}s`, words, detail });
    this.shown = first;
    this.sorted = null;
    this.filter = "";
    this.without = new Set();
    this.body = h("tbody");
    this.headings = columns.map((column) => this.heading(column));
    this.status = h("span", { role: "status" });
    this.more = h("button", { type: "button", class: "more", on: { click: () => this.showMore() } });
    this.opener = h("td", { class: "opener" });
    this.place = h(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": label },
      h("table", null, h("thead", null, h("tr", null, this.opener, this.headings)), this.body),
    );
    this.keys = columns.map((column) => (column.key ? h("p", { class: "key" }, column.key()) : null));
    this.element = h(
      "div",
      { class: "table" },
      this.filterField(label),
      this.place,
      h("p", { class: "rest" }, this.status, this.more),
      this.keys,
    );
    this.draw();
    tables.set(this.place, this);
    sizes.observe(this.place);
  }

  heading(column) {
    const [title, meaning] = headOf(this.of, column.id);
    const head = column.value
      ? h("button", { type: "button", on: { click: () => this.sortBy(column) } }, title)
      : h("span", { tabindex: 0 }, title);
    const cell = h("th", { scope: "col", class: column.text ? "text" : "number" }, head);
    explained(head, meaning, cell);
    return cell;
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
    const before = this.lines.length;
    this.shown = before + STEP;
    this.draw();
    this.lines[before]?.line.querySelector("th, td")?.scrollIntoView({ block: "nearest" });
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
    const left = rows.length - Math.min(rows.length, this.shown);
    this.lines = rows.slice(0, this.shown).map((row) => new Line(this, row));
    this.body.replaceChildren(...this.lines.flatMap(({ line, beneath }) => [line, beneath]));
    if (!rows.length)
      this.body.append(h("tr", null, h("td", { colspan: this.columns.length + 1, class: "text" }, "No match.")));
    const of = this.filter ? `${plural(rows.length, this.one, this.several)} of ${count(this.rows.length)} match` : "";
    this.status.textContent = left ? `${of ? of + "; " : ""}${count(left)} more not shown` : of;
    this.more.hidden = !left;
    this.more.textContent = `Show ${count(Math.min(left, STEP))} more`;
    this.leaveOut(this.without);
    this.fit();
  }

  get openable() {
    return Boolean(this.detail) || this.without.size > 0;
  }

  /** Leaves out columns, those of least `keep` and of these the last first, until the others have room. */
  fit() {
    const { place } = this;
    if (!place.clientWidth || onPaper) return; // not shown now, or shown whole
    this.width = place.clientWidth;
    this.leaveOut(new Set());
    const last = [...this.columns].reverse().filter((column) => !column.head);
    for (const column of last.sort((a, b) => (a.keep ?? 0) - (b.keep ?? 0))) {
      if (place.scrollWidth <= place.clientWidth) break;
      this.leaveOut(new Set([...this.without, column]));
    }
  }

  leaveOut(without) {
    this.without = without;
    this.columns.forEach((column, i) => {
      this.headings[i].hidden = without.has(column);
      if (this.keys[i]) this.keys[i].hidden = without.has(column);
    });
    this.opener.hidden = !this.openable;
    for (const line of this.lines) line.leaveOut(without);
  }
}

/** A row, and below it what is to be seen once it is opened. */
class Line {
  constructor(table, row) {
    Object.assign(this, { table, row });
    this.cells = table.columns.map((column) =>
      h(
        column.head ? "th" : "td",
        { scope: column.head ? "row" : null, class: column.text ? "text" : "number" },
        column.cell(row),
      ),
    );
    const name = this.cells[table.columns.findIndex((column) => column.head)]?.textContent ?? "";
    this.button = h("button", {
      type: "button",
      class: "open",
      "aria-expanded": "false",
      "aria-label": `Details of ${name}`,
      on: { click: () => this.toggle() },
    });
    this.opener = h("td", { class: "opener" }, this.button);
    this.line = h("tr", { class: "row", on: { click: (event) => this.clicked(event) } }, this.opener, this.cells);
    this.others = h("dl", { class: "others" });
    this.beneath = h("tr", { class: "detail", hidden: true });
  }

  /** A click on the row opens it, but not one that ends the marking of text, or that is for something within. */
  clicked(event) {
    if (!this.table.openable || event.target.closest(ITS_OWN) || !getSelection().isCollapsed) return;
    this.toggle();
  }

  toggle() {
    const { table, row, beneath } = this;
    if (!beneath.firstChild) {
      const inside = h("div", { class: "inside" }, this.others, table.detail?.(row));
      beneath.append(h("td", { colspan: table.columns.length + 1 }, inside));
    }
    beneath.hidden = !beneath.hidden;
    this.button.setAttribute("aria-expanded", String(!beneath.hidden));
    this.list();
  }

  leaveOut(without) {
    for (const [i, column] of this.table.columns.entries()) this.cells[i].hidden = without.has(column);
    this.opener.hidden = !this.table.openable;
    this.line.classList.toggle("openable", this.table.openable);
    if (!this.table.openable) this.beneath.hidden = true;
    this.list();
  }

  /** The columns for which there is no room. */
  list() {
    if (this.beneath.hidden) return;
    const { table, row } = this;
    const says = (i) => this.cells[i].hasChildNodes() && (this.cells[i].textContent || this.cells[i].querySelector("[title]"));
    const left = table.columns.filter((column, i) => table.without.has(column) && says(i));
    this.others.replaceChildren(
      ...left.map((column) => h("div", null, h("dt", null, headOf(table.of, column.id)[0]), h("dd", null, column.cell(row)))),
    );
    this.others.hidden = !left.length;
  }
}

function headOf(of, id) {
  const head = COLUMNS[of]?.[id];
  if (!head) throw new Error(`report/columns.py has no column ${id} of ${of}`);
  return head;
}

// In the next frame: browsers report an error if a size changes while sizes are being reported.
const sizes = new ResizeObserver((entries) => {
  requestAnimationFrame(() => {
    for (const { target } of entries) {
      const each = tables.get(target);
      if (target.isConnected && target.clientWidth !== each?.width) each?.fit();
      if (!target.isConnected && each?.width) drop(target); // another one is in its place
    }
  });
});
function drop(place) {
  tables.delete(place);
  sizes.unobserve(place);
}

// On paper nothing can be opened, and type is smaller.
addEventListener("beforeprint", () => {
  onPaper = true;
  for (const each of tables.values()) each.leaveOut(new Set());
});
addEventListener("afterprint", () => {
  onPaper = false;
  fitTables();
});

/** Ascending; unknown values come first, numbers before words, "2" before "10". */
function compare(a, b) {
  const [none, other] = [a === null || a === undefined, b === null || b === undefined];
  if (none || other) return Number(other) - Number(none);
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return String(a).localeCompare(String(b), "en", { numeric: true });
}
