// The report's own part: everything is shown at once, and the page is made to be printed.
show(document);

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
