// @ts-check
// Two runs laid over each other, as soon as both are there.

import { show } from "./charts.js";
import { getJson, complain, elements, inWords, pause, the } from "./server.js";

const { a, b } = the("#laid").dataset;

async function follow() {
  const bar = the("#progress");
  for (;;) {
    const said = await getJson(`/beside/laid?a=${a}&b=${b}`);
    if (said.html) return said.html;
    if (said.finished) throw new Error(said.sentence || "One of the two runs was cancelled.");
    the("#stage").textContent = said.run ? `Run ${said.run}. ${inWords(said)}` : inWords(said);
    if (said.total && said.done) [bar.max, bar.value] = [said.total, said.done];
    await pause(300);
  }
}

try {
  const html = await follow();
  the("#columns").replaceChildren(elements(html));
  show(the("#columns"));
} catch (error) {
  complain(the("#problem"), error);
} finally {
  the("#going").hidden = true;
}
