// @ts-check
// A file: wait until it has been looked at, then ask.

import { getJson, complain, elements, inWords, pause, postJson, the } from "./server.js";
import { wire } from "./form.js";
import { showHints } from "./hints.js";

const place = the("#file");

async function ready() {
  for (let wait = 100; !place.querySelector("form"); wait = Math.min(1000, wait * 1.3)) {
    const said = await getJson(`/files/${place.dataset.file}/columns`);
    if (said.state === "done") {
      place.replaceChildren(elements(said.html));
    } else if (said.finished) {
      the("#waiting").hidden = true;
      the("#back").hidden = false;
      throw new Error(said.sentence || "Cancelled.");
    } else {
      the("#stage").textContent = inWords(said);
      await pause(wait);
    }
  }
}

document.querySelector("#cancel")?.addEventListener("click", () => postJson(`/files/${place.dataset.file}/cancel`));
try {
  await ready();
  wire(the("form"));
  showHints(document);
} catch (error) {
  complain(the("#problem"), error);
}
