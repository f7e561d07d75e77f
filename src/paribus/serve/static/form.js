// @ts-check
// The form that asks a question of a file.

import { wireLook } from "./look.js";
import { complain, postJson, the } from "./server.js";

/** @type {Record<string, string>} */
const ROLE_MARKS = { weights: "weights", counts: "counts", cluster: "groups rows", within: "groups rows", exposure: "divides" };

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
  const together = /** @type {NodeListOf<HTMLInputElement>} */ (form.querySelectorAll("[name=together]"));
  const problem = the("[data-problem]", form);

  function forced() {
    return Object.fromEntries([...kinds].filter((k) => k.value).map((k) => [k.dataset.column, k.value]));
  }

  /** What the rows stand for and which belong together, as columns by their role. */
  function roles() {
    const group = parts.itself.checked ? "within" : "cluster";
    const given = { weights: parts.weights.value, counts: parts.counts.value, exposure: parts.exposure.value, [group]: parts.group.value };
    return Object.fromEntries(Object.entries(given).filter(([, name]) => name));
  }

  /** Columns with a role are marked in the list; they and unused ones cannot move together. */
  function followRoles() {
    const target = parts.target.value;
    const marks = new Map(Object.entries(roles()).map(([role, name]) => [name, ROLE_MARKS[role]]));
    for (const name of look.leftOut()) if (!marks.has(name)) marks.set(name, "left out");
    marks.set(target, "target");
    for (const row of rows) {
      const mark = marks.get(row.dataset.row ?? "");
      row.classList.toggle("target", row.dataset.row === target);
      the(".is-target", row).hidden = !mark;
      the(".is-target", row).textContent = mark ?? "";
      the("[name=use]", row).hidden = Boolean(mark);
    }
    the("[data-itself]", form).hidden = !parts.group.value;
    const used = chosenColumns();
    for (const box of together) box.disabled = marks.has(box.value) || !used.has(box.value);
  }

  function chosenColumns() {
    return new Set([...form.querySelectorAll("[name=use]:checked")].map((/** @type {any} */ b) => b.value));
  }

  /** A target with classes asks which. */
  function followTarget() {
    followRoles();
    const target = parts.target.value;
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

  /** A category may be compared with one of its levels. */
  function followReference() {
    const name = parts.reference.value;
    the("[data-reference]", form).hidden = !name;
    parts.reference_level.replaceChildren(...(name ? options(columns.get(name).values, before.relative_to[name]) : []));
  }

  function chosen() {
    const target = parts.target.value;
    const used = chosenColumns();
    const said = roles();
    const named = new Set([target, ...Object.values(said)]);
    const only = parts.only.value && {
      column: parts.only.value, values: [parts.values.value].filter(Boolean),
      low: parts.low.value.trim(), high: parts.high.value.trim(),
    };
    return {
      target, only, kinds: forced(), level: Number(parts.level.value), class: parts.class.value,
      left_out: [...columns.keys()].filter((name) => !named.has(name) && !used.has(name)),
      roles: said, together: [...together].filter((b) => b.checked && !b.disabled).map((b) => b.value),
      by: parts.by.value, scale: parts.scale.value, doubling: parts.doubling.checked,
      relative_to: parts.reference.value ? { [parts.reference.value]: parts.reference_level.value } : {},
      without_rows: [...new Set([...(parts.without?.checked ? before.without_rows : []), ...look.rows()])],
      keep: look.undone(),
    };
  }

  /** What answers a question of the look: a control of this form. */
  function answer(/** @type {string} */ ask, /** @type {string} */ column) {
    const control = {
      cluster: parts.group, weights: parts.weights, rate: parts.exposure, "per cent": parts.scale, drop: boxOf(column),
    }[ask];
    if (ask === "drop") control.checked = false;
    else control.value = ask === "per cent" ? "log" : column;
    control.closest("details")?.setAttribute("open", "");
    control.dispatchEvent(new Event("change", { bubbles: true }));
  }

  function boxOf(/** @type {string} */ column) {
    return [...form.querySelectorAll("[name=use]")].find((/** @type {any} */ b) => b.value === column);
  }

  const look = wireLook(form, before, chosen, answer, followRoles);

  parts.only.value = before.only?.column ?? "";
  parts.reference.value = Object.keys(before.relative_to)[0] ?? "";
  followTarget();
  followOnly();
  followReference();
  parts.target.addEventListener("change", followTarget);
  parts.only.addEventListener("change", followOnly);
  parts.reference.addEventListener("change", followReference);
  for (const box of [parts.group, parts.itself, parts.weights, parts.counts, parts.exposure]) box.addEventListener("change", followRoles);
  for (const box of form.querySelectorAll("[name=use]")) box.addEventListener("change", followRoles);
  for (const kind of kinds) kind.addEventListener("change", followTarget);
  look.take();
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
  form.hidden = false;
}
