/**
 * Keeps the lists of the development pages up to date, and copies commands.
 *
 * @module
 */

const live = document.querySelector<HTMLElement>('[data-live="true"]');
const pause = document.querySelector<HTMLButtonElement>("[data-pause]");
const copy = document.querySelector<HTMLButtonElement>("[data-copy]");
let isPaused = false;

/** Replaces the list by that of the server, unless the reader is using it. */
async function refresh(list: HTMLElement): Promise<void> {
  if (isPaused || document.hidden || list.contains(document.activeElement)) return;
  const response = await fetch(location.href);
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const found = page.querySelector('[data-live="true"]');
  if (found !== null && found.innerHTML !== list.innerHTML) list.innerHTML = found.innerHTML;
}

if (live !== null) {
  // A server that is restarting does not respond.
  setInterval(() => void refresh(live).catch(() => {}), 1_000);
}
if (pause !== null) {
  pause.hidden = false;
  pause.addEventListener("click", () => {
    isPaused = !isPaused;
    pause.textContent = isPaused ? "Continue" : "Pause";
  });
}
if (copy !== null) {
  copy.hidden = false;
  copy.addEventListener("click", async () => {
    await navigator.clipboard.writeText(copy.parentElement?.previousElementSibling?.textContent ?? "");
    copy.textContent = "Copied";
  });
}
