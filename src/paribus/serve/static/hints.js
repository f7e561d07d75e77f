// @ts-check
// Hints for the first time, gone for good once they are read; and text to copy.

/**
 * Show the hints in an element that this browser has not seen yet.
 * @param {ParentNode} root
 */
export function showHints(root) {
  for (const hint of /** @type {NodeListOf<HTMLElement>} */ (root.querySelectorAll("[data-hint]"))) {
    const key = `paribus-hint-${hint.dataset.hint}`;
    hint.hidden = localStorage.getItem(key) !== null;
    hint.querySelector("[data-seen]")?.addEventListener("click", () => {
      localStorage.setItem(key, "seen");
      hint.hidden = true;
    });
  }
}

addEventListener("click", async ({ target }) => {
  if (!(target instanceof HTMLElement) || !target.dataset.copy) return;
  const text = document.getElementById(target.dataset.copy)?.textContent ?? "";
  try {
    await navigator.clipboard.writeText(text);
    target.textContent = "Copied";
  } catch {
    target.textContent = "Select the text and copy it";
  }
});
