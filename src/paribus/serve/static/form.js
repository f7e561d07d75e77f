// @ts-check
// The form that asks a question of a file.

import { complain, postJson, the } from "./server.js";

/** @param {string[]} values @param {string | undefined} chosen */
const options = (values, chosen) => values.map((value) => new Option(value, value, false, value === chosen));

/**
 * Bring a form to life: what it shows follows what is chosen, and it starts a run.
 * @param {HTMLFormElement} form
 */
export function wire(form) {
  const columns = new Map(
    JSON.parse(the("[data-columns]", form).textContent).map((/** @type {any} */ c) => [c.name, c]),
  );
  const before = JSON.parse(the("[data-settings]", form).textContent);
  const parts = /** @type {any} */ (form.elements);
  const rows = /** @type {NodeListOf<HTMLElement>} */ (form.querySelectorAll("[data-row]"));
  const kinds = /** @type {NodeListOf<HTMLSelectElement>} */ (form.querySelectorAll("[data-column]"));
  const problem = the("[data-problem]", form);

  function forced() {
    return Object.fromEntries([...kinds].filter((k) => k.value).map((k) => [k.dataset.column, k.value]));
  }

  /** The target is marked in the list; one with classes asks which. */
  function followTarget() {
    const target = parts.target.value;
    for (const row of rows) {
      const is = row.dataset.row === target;
      row.classList.toggle("target", is);
      the(".is-target", row).hidden = !is;
      the("[name=use]", row).hidden = is;
    }
    const column = columns.get(target);
    const classes = column.kind === "category" || forced()[target] === "categorical";
    const several = classes && forced()[target] !== "numeric" && column.values.length > 2;
    the("[data-class]", form).hidden = !several;
    parts.class.replaceChildren(...(several ? options(column.values, before.class) : []));
  }

  /** Rows are chosen by a value, or between two ends. */
  function followOnly() {
    const column = columns.get(parts.only.value);
    const by = column ? column.kind : "";
    the("[data-values]", form).hidden = by !== "category";
    the("[data-ends]", form).hidden = by !== "number" && by !== "date";
    const same = before.only && before.only.column === parts.only.value ? before.only : {};
    if (by === "category") parts.values.replaceChildren(...options(column.values, same.values?.[0]));
    if (by === "number" || by === "date") {
      [parts.low.placeholder, parts.high.placeholder] = column.ends;
      [parts.low.value, parts.high.value] = [same.low ?? "", same.high ?? ""];
    }
  }

  function chosen() {
    const target = parts.target.value;
    const used = new Set([...form.querySelectorAll("[name=use]:checked")].map((/** @type {any} */ b) => b.value));
    const only = parts.only.value && {
      column: parts.only.value, values: [parts.values.value].filter(Boolean),
      low: parts.low.value.trim(), high: parts.high.value.trim(),
    };
    return {
      target, only, kinds: forced(), level: Number(parts.level.value), class: parts.class.value,
      left_out: [...columns.keys()].filter((name) => name !== target && !used.has(name)),
    };
  }

  parts.only.value = before.only?.column ?? "";
  followTarget();
  followOnly();
  parts.target.addEventListener("change", followTarget);
  parts.only.addEventListener("change", followOnly);
  for (const kind of kinds) kind.addEventListener("change", followTarget);
  form.querySelector("[data-find]")?.addEventListener("input", ({ target }) => {
    const wanted = /** @type {HTMLInputElement} */ (target).value.toLowerCase();
    for (const row of rows) row.hidden = !row.dataset.row?.toLowerCase().includes(wanted);
  });
  form.querySelector("[data-sheet]")?.addEventListener("change", async ({ target }) => {
    const sheet = /** @type {HTMLSelectElement} */ (target).value;
    location.assign((await postJson(`/files/${form.dataset.file}/sheet`, { sheet })).address);
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    complain(problem, "");
    try {
      location.assign((await postJson(`/files/${form.dataset.file}/runs`, chosen())).address);
    } catch (error) {
      complain(problem, error);
      problem.scrollIntoView({ block: "center" });
    }
  });
}
