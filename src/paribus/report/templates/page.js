// The report's own part: everything is shown at once, and the page is made to be printed.
show(document);
showProfiles(document);

// Of very many columns the strongest are laid out; a template holds each of the others.
/** @param {string} address */
function open(address) {
  const kept = document.getElementById(`${address.slice(1)}-section`);
  if (!(kept instanceof HTMLTemplateElement)) return;
  const section = kept.content.querySelector("section");
  kept.replaceWith(kept.content);
  if (section) show(section);
}
addEventListener("click", (event) => {
  const link = event.target instanceof Element && event.target.closest('a[href^="#c"]');
  if (link) open(link.getAttribute("href") ?? "");
});
if (location.hash) {
  open(location.hash);
  document.getElementById(location.hash.slice(1))?.scrollIntoView();
}

const ranked = /** @type {HTMLElement[]} */ ([...document.querySelectorAll(".ranking tbody tr")]);
const unranked = new Set(ranked.filter((row) => row.hidden));
const all = document.getElementById("all");
all?.addEventListener("click", () => {
  unranked.clear();
  for (const row of ranked) row.hidden = false;
  all.hidden = true;
});
document.getElementById("find")?.addEventListener("input", (event) => {
  const wanted = /** @type {HTMLInputElement} */ (event.target).value.trim().toLowerCase();
  for (const row of ranked) {
    const name = row.querySelector(".name")?.textContent?.toLowerCase() ?? "";
    row.hidden = wanted ? !name.includes(wanted) : unranked.has(row);
  }
});

async function print() {
  await drawForPaper();
  window.print();
  if (dark.matches) redraw();
}
document.getElementById("print").addEventListener("click", print);
addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key === "p") {
    event.preventDefault();
    print();
  }
});
