// @ts-check
// A look at the columns before they are explained: cards with a switch each.

import { complain, elements, postJson, the } from "./server.js";

const REST = 300; // milliseconds without a change before the columns are looked at again
const ABOUT = new Set(["target", "use", "kind", "only", "values", "low", "high", "group", "weights", "counts", "exposure", "itself", "scale"]);

/**
 * Keep the cards of a form up to date.
 * @param {HTMLFormElement} form
 * @param {any} before what the last run undid and left out
 * @param {() => any} chosen the settings so far
 * @param {(ask: string, column: string) => void} answer
 * @param {() => void} changed
 */
export function wireLook(form, before, chosen, answer, changed) {
  const place = the("[data-look]", form);
  const off = new Set(before.keep);
  const odd = new Set(before.without_rows);
  let asked = 0;
  let timer = 0;
  let seen = false;

  /** @param {string} name @returns {HTMLInputElement[]} */
  const switches = (name) => [...place.querySelectorAll(`[name=${name}]`)];

  async function take() {
    asked += 1;
    const mine = asked;
    place.setAttribute("aria-busy", "true");
    try {
      const settings = { ...chosen(), together: [], keep: [], without_rows: [] };
      const said = await postJson(`/files/${form.dataset.file}/look`, settings);
      if (mine !== asked) return;
      place.replaceChildren(elements(said.html));
      seen = true;
      for (const box of switches("look")) box.checked = !JSON.parse(box.value).some((/** @type {string} */ u) => off.has(u));
      for (const box of switches("odd")) box.checked = JSON.parse(box.value).every((/** @type {number} */ r) => odd.has(r));
    } catch (error) {
      if (mine === asked) complain(place.firstElementChild, error);
    }
    place.removeAttribute("aria-busy");
    changed();
  }

  form.addEventListener("change", ({ target }) => {
    const box = /** @type {HTMLInputElement} */ (target);
    if (box.name === "look") {
      for (const undo of JSON.parse(box.value)) off[box.checked ? "delete" : "add"](undo);
      changed();
    }
    if (!ABOUT.has(box.name)) return;
    clearTimeout(timer);
    timer = setTimeout(take, REST);
  });
  place.addEventListener("click", ({ target }) => {
    const button = /** @type {HTMLElement} */ (target);
    if (button.dataset?.answer) answer(button.dataset.answer, button.dataset.of ?? "");
  });

  return {
    take,
    /** What is undone, as far as it is proposed; before the look is there, what the last run undid. */
    undone: () =>
      seen ? switches("look").flatMap((box) => (box.checked ? [] : JSON.parse(box.value))) : [...off],
    rows: () => switches("odd").flatMap((box) => (box.checked ? JSON.parse(box.value) : [])),
    /** Columns that the look leaves out. */
    leftOut: () =>
      switches("look").flatMap((box) => (box.checked ? (box.closest("li")?.dataset.out ?? []) : [])),
  };
}
