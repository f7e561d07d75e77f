// What scrolls can be reached by keyboard; what has no name of its own gets one.
document.addEventListener("DOMContentLoaded", () => {
  for (const box of document.querySelectorAll("pre, .table-wrapper, .math-wrapper")) {
    box.tabIndex = 0;
  }
  for (const head of document.querySelectorAll("th")) {
    if (!head.textContent.trim()) head.innerHTML = '<span class="unseen">name</span>';
  }
  if (!document.querySelector("h1")) {
    const head = Object.assign(document.createElement("h1"), { className: "unseen", textContent: document.title });
    document.querySelector("article")?.prepend(head);
  }
  document.querySelector(".sidebar-drawer")?.setAttribute("aria-label", "Pages");
  document.querySelector(".toc-drawer")?.setAttribute("aria-label", "On this page");
});
