"use strict";
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const narrow = matchMedia("(max-width: 34rem)");
  const themes = JSON.parse(document.getElementById("themes").textContent);
  const boxes = [...document.querySelectorAll(".chart")];
  const opened = new Map();
  const views = new Map();
  const MOST_ROWS = 200;

  const unfold = ({ keys, rows }) =>
    rows.map((row) => Object.fromEntries(keys.map((key, k) => [key, row[k]])));

  function column(id) {
    if (!opened.has(id)) {
      const { name, spec } = JSON.parse(document.getElementById(`${id}-data`).textContent);
      const points = spec.datasets.points;
      for (const key of Object.keys(spec.datasets)) spec.datasets[key] = unfold(spec.datasets[key]);
      spec.width = "container";
      opened.set(id, { name, spec, points });
    }
    return opened.get(id);
  }

  function look(name) {
    const config = structuredClone(themes[name]);
    if (narrow.matches) {
      config.axis.labelLimit = 100;
      config.axis.titleLimit = 260;
      config.legend.columns = 1;
    }
    return config;
  }

  function draw(box, name = dark.matches ? "dark" : "light") {
    const id = box.dataset.column;
    const options = {
      config: look(name), actions: false, renderer: "svg", ast: true, tooltip: { theme: name },
    };
    const ready = vegaEmbed(box.firstElementChild, column(id).spec, options).then(({ view }) => {
      box.dataset.drawn = name;
      return view;
    });
    views.set(id, ready);
    return ready;
  }

  const watcher = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      watcher.unobserve(target);
      draw(target);
    }
  }, { rootMargin: "300px" });
  boxes.slice(0, 1).forEach((box) => draw(box));
  boxes.slice(1).forEach((box) => watcher.observe(box));

  function again() {
    boxes.filter((box) => views.has(box.dataset.column)).forEach((box) => draw(box));
  }
  dark.addEventListener("change", again);
  narrow.addEventListener("change", again);

  async function print() {
    boxes.forEach((box) => watcher.unobserve(box));
    for (const box of boxes) if (box.dataset.drawn !== "light") await draw(box, "light");
    window.print();
    if (dark.matches) again();
  }
  document.getElementById("print").addEventListener("click", print);
  addEventListener("keydown", (event) => {
    if ((event.ctrlKey || event.metaKey) && event.key === "p") {
      event.preventDefault();
      print();
    }
  });

  function save(address, id, ending) {
    const link = document.createElement("a");
    const stem = column(id).name.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60) || "column";
    link.href = address;
    link.download = `${stem}.${ending}`;
    link.click();
  }

  // A spreadsheet must not take text for a formula.
  const plain = (text) => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);
  const cell = (value) =>
    typeof value === "string" ? `"${plain(value).replaceAll('"', '""')}"` : String(value ?? "");

  const heads = { marginal: "mean, nothing held still", share: "share of rows", count: "rows" };
  function table(id) {
    const { name, points } = column(id);
    const unshown = new Set(["piece", "drawn"]);
    if (points.keys.includes("date")) unshown.add("x");
    if (!points.rows.some((row) => row[points.keys.indexOf("island")])) unshown.add("island");
    const wanted = points.keys.map((key, k) => [key, k]).filter(([key]) => !unshown.has(key));
    const head = wanted.map(([key], k) => (k === 0 ? name : heads[key] ?? key.replace("_", " ")));
    return { head, rows: points.rows.map((row) => wanted.map(([, k]) => row[k])) };
  }

  function csv(id) {
    const { head, rows } = table(id);
    const lines = [head, ...rows].map((row) => row.map(cell).join(","));
    const blob = new Blob(["\ufeff", lines.join("\r\n"), "\r\n"], { type: "text/csv" });
    return URL.createObjectURL(blob);
  }

  async function picture(id, kind) {
    const box = boxes.find((b) => b.dataset.column === id);
    const view = await (views.get(id) ?? draw(box));
    return view.toImageURL(kind, kind === "png" ? 2 : 1);
  }

  addEventListener("click", async ({ target }) => {
    const { save: kind, column: id } = target.dataset ?? {};
    if (!kind) return;
    const ending = kind.toLowerCase();
    save(kind === "CSV" ? csv(id) : await picture(id, ending), id, ending);
  });

  const written = (value) =>
    typeof value === "number"
      ? value.toLocaleString("en", { maximumSignificantDigits: 5 })
      : String(value ?? "not known");

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

  function fill(id, wanted = "") {
    const place = document.querySelector(`details[data-table="${id}"] table`);
    const { head, rows } = table(id);
    const sought = wanted.toLocaleLowerCase();
    const found = sought ? rows.filter(([a]) => String(a).toLocaleLowerCase().includes(sought)) : rows;
    const shown = found.slice(0, MOST_ROWS);
    place.replaceChildren(line("th", head), ...shown.map((row) => line("td", row.map(written))));
    const count = document.querySelector(`[data-found="${id}"]`);
    if (count) count.textContent = `${shown.length} of ${found.length} shown`;
  }

  document.querySelectorAll("details[data-table]").forEach((part) => {
    const id = part.dataset.table;
    if (part.open) fill(id);
    else part.addEventListener("toggle", () => fill(id), { once: true });
  });
  document.querySelectorAll("[data-search]").forEach((box) => {
    box.addEventListener("input", () => fill(box.dataset.search, box.value));
  });
})();
