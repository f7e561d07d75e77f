// @ts-check
// Two profiles: choose values of the columns and read the difference between the two. The report
// carries this file inside itself; `paribus serve` imports it as a module.

/**
 * A column: what can be chosen, what each goes with, half the interval between any two (null where
 * they cannot be compared), where they and some rows of the table lie.
 * @typedef {{name: string, labels: string[], effect: number[], half: (number | null)[][],
 *   place: number[], rows: number[], within: number, first: number, differs: string[]}} Choice
 * @typedef {{columns: Choice[], object: string, unit: string, ratio: boolean, sure: string,
 *   rows: number, all: boolean}} Profiles
 * @typedef {{choice: Choice, stops: number[]}} Change
 */

/** @param {number} value */
const shortly = (value) => value.toLocaleString("en", { maximumSignificantDigits: 3 });

/** @param {string[]} parts */
const joined = (parts) => new Intl.ListFormat("en-GB").format(parts);

/**
 * Whether some row lies near all values chosen for a profile.
 * @param {Change[]} chosen
 * @param {number} side
 * @param {number} rows
 */
function isAlike(chosen, side, rows) {
  for (let row = 0; row < rows; row++) {
    const near = chosen.every(
      ({ choice, stops }) => Math.abs(choice.rows[row] - choice.place[stops[side]]) <= choice.within,
    );
    if (near) return true;
  }
  return false;
}

/**
 * The difference and its interval in words: effects are added up, and so are their intervals.
 * @param {Profiles} profiles
 * @param {Change[]} changes
 * @param {number} half
 */
function differenceInWords({ object, unit, ratio, sure }, changes, half) {
  const sum = changes.reduce((total, { choice, stops: [a, b] }) => total + choice.effect[b] - choice.effect[a], 0);
  const side = sum < 0 ? -1 : 1;
  const [value, ...ends] = [sum, sum - side * half, sum + side * half].map(
    (x) => side * (ratio ? 100 * Math.expm1(x / 100) : x),
  );
  const named = changes.map(
    ({ choice: { name, labels }, stops: [a, b] }) => `${name} = ${labels[b]} instead of ${labels[a]}`,
  );
  return (
    `With ${joined(named)}, ${object} about ${shortly(value)}${unit} ${side < 0 ? "lower" : "higher"} ` +
    `(${sure} % interval ${ends.map(shortly).join(" to ")}), other columns held still.`
  );
}

/**
 * What is to be said of two profiles.
 * @param {Profiles} profiles
 * @param {number[][]} stops
 */
function profilesInWords(profiles, stops) {
  const chosen = profiles.columns
    .map((choice, k) => ({ choice, stops: stops[k] }))
    .filter(({ choice, stops: [a, b] }) => a !== b || a !== choice.first);
  const changes = chosen.filter(({ stops: [a, b] }) => a !== b);
  if (!changes.length) return "Both profiles are the same: choose another value in one of them.";
  let half = 0;
  for (const { choice, stops: [a, b] } of changes) {
    const own = choice.half[Math.max(a, b)][Math.min(a, b)];
    if (own === null) {
      return `No rows compare ${choice.name} = ${choice.labels[b]} with ${choice.labels[a]}, so no difference is told.`;
    }
    half += own;
  }
  const names = joined(chosen.map(({ choice }) => choice.name));
  for (const [side, which] of chosen.length > 1 ? ["first", "second"].entries() : []) {
    if (isAlike(chosen, side, profiles.rows)) continue;
    const none = profiles.all ? "No row of the table" : `None of ${profiles.rows.toLocaleString("en")} rows drawn at random`;
    return `${none} is like the ${which} profile in ${names}, so no difference is told.`;
  }
  const differing = changes.filter(({ choice }) => choice.differs.length);
  const left = differing.map(
    ({ choice }) => ` What ${choice.name} goes with differs with ${joined(choice.differs)}; this is the average.`,
  );
  return differenceInWords(profiles, changes, half) + left.join("");
}

/**
 * Bring the part that compares two profiles to life, if there is one.
 * @param {ParentNode} root
 */
export function showProfiles(root) {
  const section = /** @type {HTMLElement | null} */ (root.querySelector("#profiles"));
  const said = section?.querySelector("[role=status]");
  if (!section || !said) return;
  /** @type {Profiles} */
  const profiles = JSON.parse(section.querySelector("script")?.textContent ?? "{}");
  const inputs = /** @type {NodeListOf<HTMLInputElement | HTMLSelectElement>} */ (
    section.querySelectorAll("[data-side]")
  );
  const tell = () => {
    /** @type {number[][]} */
    const stops = profiles.columns.map(() => []);
    for (const input of inputs) {
      const [k, stop] = [Number(input.dataset.choice), Number(input.value)];
      stops[k][Number(input.dataset.side)] = stop;
      if (input instanceof HTMLSelectElement) continue;
      const label = profiles.columns[k].labels[stop];
      input.setAttribute("aria-valuetext", label);
      if (input.nextElementSibling) input.nextElementSibling.textContent = label;
    }
    said.textContent = profilesInWords(profiles, stops);
  };
  section.addEventListener("input", tell);
  section.hidden = false;
  tell();
}
