// Runs before the page is shown, so that it never appears in the wrong colors.
const root = document.documentElement;
root.classList.add("script");
try {
  root.dataset.theme = localStorage.getItem("theme") ?? "";
} catch {
  // Storage may be disabled. The page then follows the system.
}
