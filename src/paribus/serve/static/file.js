// @ts-check
// A file: wait until it has been looked at, then ask.

import { ask, complain, elements, inWords, pause, the } from "./ask.js";
import { wire } from "./form.js";
import { showHints } from "./hints.js";

const place = the("#file");

async function ready() {
  for (let wait = 100; !place.querySelector("form"); wait = Math.min(1000, wait * 1.3)) {
    const said = await ask(`/files/${place.dataset.file}/columns`);
    if (said.state === "done") {
      place.replaceChildren(elements(said.html));
    } else if (said.finished) {
      the("#waiting").hidden = true;
      the("#back").hidden = false;
      throw new Error(said.sentence);
    } else {
      the("#stage").textContent = inWords(said);
      await pause(wait);
    }
  }
}

try {
  await ready();
  wire(the("form"));
  showHints(document);
} catch (error) {
  complain(the("#problem"), error);
}
