// @ts-check
// What a reader can do with the columns of a page: see their charts, save them, look into the
// numbers. The report carries this file inside itself; `paribus serve` imports it as a module.

/**
 * @typedef {{keys: string[], rows: any[][]}} Table
 * @typedef {{name: string, spec: any, points: Table}} Column
 */

const dark = matchMedia("(prefers-color-scheme: dark)");
const narrow = matchMedia("(max-width: 34rem)");
const themes = JSON.parse(document.getElementById("themes")?.textContent ?? "{}");
const MOST_ROWS = 200;
const PAUSE = 30; // milliseconds
/** @type {WeakMap<Element, Column>} */
const opened = new WeakMap();
/** @type {Map<HTMLElement, Promise<any>>} */
const views = new Map();

/** @param {Table} table */
const unfold = ({ keys, rows }) =>
  rows.map((row) => Object.fromEntries(keys.map((key, k) => [key, row[k]])));

/**
 * The data of a section, unfolded when first asked for.
 * @param {Element} section
 * @returns {Column}
 */
function column(section) {
  let found = opened.get(section);
  if (!found) {
    const stored = section.querySelector('script[type="application/json"]')?.textContent ?? "{}";
    const { name, spec } = JSON.parse(stored);
    const points = spec.datasets.points;
    for (const key of Object.keys(spec.datasets)) spec.datasets[key] = unfold(spec.datasets[key]);
    spec.width = "container";
    found = { name, spec, points };
    opened.set(section, found);
  }
  return found;
}

/** @param {Element} part @returns {HTMLElement} */
const sectionOf = (part) => /** @type {HTMLElement} */ (part.closest("section"));

/** @param {string} name */
function look(name) {
  const config = structuredClone(themes[name]);
  if (narrow.matches) {
    config.axis.labelLimit = 100;
    config.axis.titleLimit = 260;
    config.legend.columns = 1;
  }
  return config;
}

/** Wait for the code that draws, where it comes as a script of its own. */
function runtime() {
  const script = document.getElementById("runtime");
  if (!script || "vegaEmbed" in globalThis) return Promise.resolve();
  return new Promise((done) => {
    script.addEventListener("load", done, { once: true });
  });
}

/**
 * Write the ends of an axis of dates as plain numbers: the interpreter of expressions takes
 * the number in datetime(...) for a year.
 * @param {{ scales?: Record<string, any>[] }} spec
 */
function withPlainDates(spec) {
  for (const scale of spec.scales ?? []) {
    for (const end of ["domainMin", "domainMax"]) {
      const time = /^datetime\((-?[\d.]+)\)$/.exec(scale[end]?.signal);
      if (time) scale[end] = Number(time[1]);
    }
  }
  return spec;
}

/**
 * Show on a tap what a pointer shows by lying there: fingers do not hover.
 * @param {any} view
 */
function showOnTap(view) {
  view.addEventListener("click", (/** @type {any} */ event, /** @type {any} */ item) => {
    if (item?.tooltip) view.tooltip()(view, event, item, item.tooltip);
  });
  return view;
}

/**
 * @param {HTMLElement} box
 * @param {string} [name]
 * @returns {Promise<any>}
 */
function draw(box, name = dark.matches ? "dark" : "light") {
  const options = {
    config: look(name), actions: false, renderer: "svg", ast: true, defaultStyle: false,
    patch: withPlainDates,
    tooltip: { theme: name, disableDefaultStyle: true },
  };
  const { spec } = column(sectionOf(box));
  const ready = runtime()
    .then(() => vegaEmbed(box.firstElementChild, spec, options))
    .then(({ view }) => {
      box.dataset.drawn = name;
      return showOnTap(view);
    });
  views.set(box, ready);
  return ready;
}

const watcher = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    watcher.unobserve(target);
    draw(/** @type {HTMLElement} */ (target));
  }
}, { rootMargin: "300px" });

let drawing = false;

/** Draw what nobody has scrolled to yet, a chart at a time, with a pause for the reader between. */
function drawNext() {
  const boxes = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".chart"));
  const box = Array.from(boxes).find((one) => !views.has(one));
  drawing = Boolean(box);
  if (!box) return;
  watcher.unobserve(box);
  draw(box).then(() => setTimeout(drawNext, PAUSE));
}

/** Draw again what has been drawn, in the colours and for the width of now. */
export function redraw() {
  for (const box of views.keys()) draw(box);
}
dark.addEventListener("change", redraw);
narrow.addEventListener("change", redraw);

/** Draw every chart in light, as paper needs it. */
export async function drawForPaper() {
  for (const box of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".chart"))) {
    watcher.unobserve(box);
    if (box.dataset.drawn !== "light") await draw(box, "light");
  }
}

/**
 * @param {string} address
 * @param {string} name
 * @param {string} ending
 */
function save(address, name, ending) {
  const link = document.createElement("a");
  const stem = name.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60) || "column";
  link.href = address;
  link.download = `${stem}.${ending}`;
  link.click();
}

// A spreadsheet must not take text for a formula.
/** @param {string} text */
const plain = (text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);
/** @param {unknown} value */
const cell = (value) =>
  typeof value === "string" ? `"${plain(value).replaceAll('"', '""')}"` : String(value ?? "");

/** @type {Record<string, string>} */
const heads = { marginal: "mean, nothing held still", share: "share of rows", count: "rows" };

/** @param {Element} section */
function table(section) {
  const { name, points } = column(section);
  const unshown = new Set(["piece", "drawn", "place"]);
  if (points.keys.includes("date")) unshown.add("x");
  if (!points.rows.some((row) => row[points.keys.indexOf("island")])) unshown.add("island");
  const wanted = points.keys.map((key, k) => ({ key, k })).filter(({ key }) => !unshown.has(key));
  const head = wanted.map(({ key }, k) => (k === 0 ? name : heads[key] ?? key.replace("_", " ")));
  return { head, rows: points.rows.map((row) => wanted.map(({ k }) => row[k])) };
}

/** @param {Element} section */
function csv(section) {
  const { head, rows } = table(section);
  const lines = [head, ...rows].map((row) => row.map(cell).join(","));
  const blob = new Blob(["\ufeff", lines.join("\r\n"), "\r\n"], { type: "text/csv" });
  return URL.createObjectURL(blob);
}

/**
 * @param {Element} section
 * @param {string} kind
 */
async function picture(section, kind) {
  const box = /** @type {HTMLElement} */ (section.querySelector(".chart"));
  const view = await (views.get(box) ?? draw(box));
  return view.toImageURL(kind, kind === "png" ? 2 : 1);
}

addEventListener("click", async ({ target }) => {
  if (!(target instanceof HTMLElement) || !target.dataset.save) return;
  const section = sectionOf(target);
  const ending = target.dataset.save.toLowerCase();
  const address = ending === "csv" ? csv(section) : await picture(section, ending);
  save(address, column(section).name, ending);
});

/**
 * How many decimals numbers below each other have: four digits of the largest, none for whole ones.
 * @param {unknown[]} values
 */
function decimalsOf(values) {
  const numbers = values.filter((value) => typeof value === "number");
  const largest = numbers.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  if (!largest || numbers.every(Number.isInteger)) return 0;
  return Math.min(10, Math.max(0, 3 - Math.floor(Math.log10(largest))));
}

/**
 * @param {unknown} value
 * @param {number} decimals
 */
const written = (value, decimals) =>
  typeof value === "number"
    ? value.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
    : String(value ?? "not known");

/**
 * @param {"th" | "td"} kind
 * @param {string[]} values
 */
function line(kind, values) {
  const row = document.createElement("tr");
  for (const value of values) {
    const part = document.createElement(kind);
    part.textContent = value;
    part.dir = "auto";
    row.append(part);
  }
  return row;
}

/**
 * @param {Element} section
 * @param {string} [wanted]
 */
function fill(section, wanted = "") {
  const { head, rows } = table(section);
  const sought = wanted.toLocaleLowerCase();
  const found = sought ? rows.filter(([a]) => String(a).toLocaleLowerCase().includes(sought)) : rows;
  const shown = found.slice(0, MOST_ROWS);
  const decimals = head.map((_, k) => decimalsOf(rows.map((row) => row[k])));
  const lines = shown.map((row) => line("td", row.map((value, k) => written(value, decimals[k]))));
  section.querySelector("details[data-table] table")?.replaceChildren(line("th", head), ...lines);
  const count = section.querySelector("[data-found]");
  if (count) count.textContent = `${shown.length} of ${found.length} shown`;
}

/**
 * Bring the columns inside an element to life; charts are drawn when scrolled to, or in time.
 * @param {ParentNode} root
 */
export function show(root) {
  for (const box of views.keys()) if (!box.isConnected) views.delete(box);
  let first = Promise.resolve();
  for (const box of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll(".chart"))) {
    if (views.size) watcher.observe(box);
    else first = draw(box); // at once, wherever it is
  }
  first.then(() => {
    if (!drawing) setTimeout(drawNext, PAUSE);
  });
  for (const part of /** @type {NodeListOf<HTMLDetailsElement>} */ (
    root.querySelectorAll("details[data-table]")
  )) {
    if (part.open) fill(sectionOf(part));
    else part.addEventListener("toggle", () => fill(sectionOf(part)), { once: true });
  }
  for (const box of /** @type {NodeListOf<HTMLInputElement>} */ (
    root.querySelectorAll("[data-search]")
  )) {
    box.addEventListener("input", () => fill(sectionOf(box), box.value));
  }
}
