// @ts-check
// A run: columns appear as they are found, then the whole in its order.

import { show } from "./charts.js";
import { showProfiles } from "./profiles.js";
import { getJson, complain, elements, inWords, pause, postJson, the } from "./server.js";
import { wire } from "./form.js";
import { showHints } from "./hints.js";

const place = the("#run");
const address = `/runs/${place.dataset.run}`;
const ranking = the("#ranking-place");
const columns = the("#columns");
const GLANCE = 300; // milliseconds between two looks

/** The section that the reader is looking at, by its name, and where on the screen it is. */
function lookedAt() {
  for (const section of columns.querySelectorAll("section.column")) {
    const { top, bottom } = section.getBoundingClientRect();
    if (bottom > 0 && top < innerHeight) return { name: section.querySelector("bdi")?.textContent, top };
  }
  return null;
}

/** Put the finished results in the place of those so far, without moving what is looked at. */
function finish(/** @type {string} */ html) {
  const seen = scrollY > 0 ? lookedAt() : null;
  ranking.replaceChildren();
  columns.replaceChildren(elements(html));
  show(columns);
  showProfiles(columns);
  for (const section of seen ? columns.querySelectorAll("section.column") : []) {
    if (section.querySelector("bdi")?.textContent === seen?.name) {
      scrollBy({ top: section.getBoundingClientRect().top - (seen?.top ?? 0), behavior: "instant" });
    }
  }
  for (const id of ["#take", "#compare-part"]) {
    const part = /** @type {HTMLElement | null} */ (document.querySelector(id));
    if (part) part.hidden = false;
  }
  showHints(place);
}

/** Add the columns found since the last look. */
function add(/** @type {any} */ said) {
  if (!said.columns?.length) return;
  ranking.replaceChildren(elements(said.ranking));
  for (const html of said.columns) {
    const found = elements(html);
    const sections = [...found.querySelectorAll("section")];
    columns.append(found);
    for (const section of sections) show(section);
  }
}

async function follow() {
  const bar = the("#progress");
  for (let after = 1; ; ) {
    const said = await getJson(`${address}/progress?after=${after}`);
    place.dataset.state = said.state;
    the("#stage").textContent = inWords(said);
    if (said.total && said.done) [bar.max, bar.value] = [said.total, said.done];
    if (said.state === "done") return finish(said.html);
    add(said);
    after += said.columns.length;
    if (said.state === "failed") throw new Error(said.sentence);
    if (said.state === "cancelled") throw new Error("Cancelled. What was found so far is below.");
    await pause(GLANCE);
  }
}

the("#open-again").addEventListener("click", () => the("#again").showModal());
the("#close-again").addEventListener("click", () => the("#again").close());
the("#cancel").addEventListener("click", async () => {
  the("#stage").textContent = "Cancelling …";
  await postJson(`${address}/cancel`);
});
document.querySelector("#whole")?.addEventListener("click", async () => {
  location.assign((await postJson(`${address}/whole`)).address);
});

columns.addEventListener("click", async ({ target }) => {
  if (!(target instanceof HTMLElement) || !target.dataset.without) return;
  const without_rows = JSON.parse(target.dataset.without);
  location.assign((await postJson(`${address}/without`, { without_rows })).address);
});

columns.addEventListener("submit", async (/** @type {SubmitEvent} */ event) => {
  const form = /** @type {HTMLFormElement} */ (event.target);
  if (!form.dataset.pair) return;
  event.preventDefault();
  const [stage, button] = [the("[role=status]", form), the("button", form)];
  const settings = { first: form.dataset.pair, second: the("select", form).value };
  button.disabled = true;
  stage.textContent = "Looking at both …";
  try {
    const found = elements((await postJson(`${address}/pair`, settings)).html);
    const parts = [...found.querySelectorAll("section.groups")];
    form.before(found);
    for (const part of parts) show(part);
    stage.textContent = "";
  } catch (error) {
    complain(stage, error);
    stage.hidden = false;
  } finally {
    button.disabled = false;
  }
});

async function compare(/** @type {boolean} */ begin) {
  const stage = the("#compare-stage");
  try {
    let said = begin ? await postJson(`${address}/compare`) : await getJson(`${address}/compare`);
    if (said.state === "none") return;
    the("#compare").disabled = true;
    the("#cancel-compare").hidden = false;
    while (!said.finished) {
      stage.textContent = inWords(said);
      await pause(2 * GLANCE);
      said = await getJson(`${address}/compare`);
    }
    if (said.state !== "done") throw new Error(said.sentence || "Cancelled.");
    stage.textContent = "Done: see below each column.";
    placeCompared(elements(said.html));
  } catch (error) {
    the("#compare").disabled = false;
    complain(stage, error);
  } finally {
    the("#cancel-compare").hidden = true;
  }
}

/** Put what models say below the column that it is about. */
function placeCompared(/** @type {DocumentFragment} */ found) {
  const names = new Map(
    [...columns.querySelectorAll("section.column")].map((s) => [s.querySelector("bdi")?.textContent, s]),
  );
  for (const part of found.querySelectorAll("section")) {
    names.get(part.dataset.name)?.append(part);
    show(part);
  }
}
the("#compare").addEventListener("click", () => compare(true));
the("#cancel-compare").addEventListener("click", () => postJson(`${address}/cancel`));

const form = /** @type {HTMLFormElement | null} */ (document.querySelector("form.settings"));
if (form) wire(form);
try {
  await follow();
  await compare(false);
} catch (error) {
  complain(the("#problem"), error);
} finally {
  the("#going").hidden = true;
}
