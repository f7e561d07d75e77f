// @ts-check
// Asking the server, and saying what it answers.

/**
 * Find an element that the page is known to have.
 * @param {string} selector
 * @param {ParentNode} [root]
 * @returns {any}
 */
export function the(selector, root = document) {
  const found = root.querySelector(selector);
  if (!found) throw new Error(`The page lacks ${selector}.`);
  return found;
}

/**
 * Ask for JSON; what is wrong comes as an Error whose message can be shown.
 * @param {string} address
 * @param {RequestInit} [how]
 * @returns {Promise<any>}
 */
export async function getJson(address, how = {}) {
  let answer;
  try {
    answer = await fetch(address, { headers: { accept: "application/json" }, ...how });
  } catch {
    throw new Error("The page's server does not answer. Is paribus still running in the terminal?");
  }
  if (answer.status === 401) throw new Error(await answer.text());
  const said = await answer.json().catch(() => ({ sentence: "The answer is not understood." }));
  if (!answer.ok) throw new Error(said.sentence);
  return said;
}

/**
 * Send settings.
 * @param {string} address
 * @param {unknown} [settings]
 */
export function postJson(address, settings = {}) {
  const headers = { "content-type": "application/json", accept: "application/json" };
  return getJson(address, { method: "POST", headers, body: JSON.stringify(settings) });
}

/**
 * Show what went wrong, or nothing.
 * @param {HTMLElement} place
 * @param {unknown} problem
 */
export function complain(place, problem) {
  place.hidden = !problem;
  place.textContent = problem instanceof Error ? problem.message : String(problem ?? "");
}

/**
 * Turn a part of a page, written and escaped by the server, into elements.
 * @param {string} html
 */
export function elements(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content;
}

/** @param {number} milliseconds */
export const pause = (milliseconds) =>
  new Promise((done) => {
    setTimeout(done, milliseconds);
  });

/**
 * Say how far a job is.
 * @param {any} said
 * @returns {string}
 */
export function inWords(said) {
  if (said.state === "waiting") {
    const many = said.before === 1 ? "1 other comes" : `${said.before} others come`;
    return said.before ? `In the queue: ${many} first.` : "Next in the queue.";
  }
  if (said.total && said.done) return `${said.done} of ${said.total} columns found.`;
  return said.stage ? `${said.stage} …` : "Starting …";
}
