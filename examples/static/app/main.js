function show() {
  document.getElementById("path").textContent = location.pathname;
}

addEventListener("popstate", show);
document.querySelector("nav").addEventListener("click", (event) => {
  if (!(event.target instanceof HTMLAnchorElement)) return;
  event.preventDefault();
  history.pushState(null, "", event.target.href);
  show();
});
show();
