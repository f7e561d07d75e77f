// @ts-check
// The first page: a file dropped or chosen is sent with a bar that shows how far it is.

import { complain, postJson, the } from "./server.js";

const drop = the("#drop");
const problem = the("#problem");
const sending = the("#sending");
const limit = Number.parseFloat(drop.dataset.limit) * 1e9;

/**
 * Send a file as it is; fetch cannot say how far it is, the older way can.
 * @param {File} file
 * @returns {Promise<string>}
 */
function upload(file) {
  const request = new XMLHttpRequest();
  request.open("POST", "/files");
  request.setRequestHeader("x-file-name", encodeURIComponent(file.name));
  request.setRequestHeader("accept", "application/json");
  request.responseType = "json";
  request.upload.addEventListener("progress", ({ loaded, total }) => {
    the("#sent").value = loaded / total;
    the("#how-far").textContent = `${Math.round((100 * loaded) / total)} % of ${file.name}`;
  });
  return new Promise((good, bad) => {
    request.addEventListener("load", () => {
      if (request.status === 200) good(request.response.address);
      else bad(new Error(request.response?.sentence ?? "The file could not be sent."));
    });
    request.addEventListener("error", () => bad(new Error("The file could not be sent.")));
    request.send(file);
  });
}

/** @param {File | undefined} file */
async function take(file) {
  if (!file) return;
  complain(problem, "");
  if (file.size > limit) {
    complain(problem, `${file.name} is larger than ${drop.dataset.limit}, the limit for files sent ` +
      "to the page. Open it from the terminal with: paribus serve FILE");
    return;
  }
  sending.hidden = false;
  try {
    location.assign(await upload(file));
  } catch (error) {
    complain(problem, error);
    sending.hidden = true;
  }
}

the("#file").addEventListener("change", ({ target }) => take(target.files[0]));
take(the("#file").files[0]); // chosen before this script was here
for (const kind of ["dragover", "dragenter"]) {
  addEventListener(kind, (event) => {
    event.preventDefault();
    drop.classList.add("over");
  });
}
for (const kind of ["dragleave", "drop"]) {
  addEventListener(kind, () => drop.classList.remove("over"));
}
addEventListener("drop", (event) => {
  event.preventDefault();
  take(event.dataTransfer?.files[0]);
});

for (const button of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-remove], [data-sample]"))) {
  const { remove, sample } = button.dataset;
  button.addEventListener("click", async () => {
    try {
      location.assign((await postJson(remove ? `/files/${remove}/remove` : `/samples/${sample}`)).address);
    } catch (error) {
      complain(problem, error);
    }
  });
}
