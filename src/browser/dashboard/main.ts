/**
 * Keeps the lists of the development pages up to date, and copies commands.
 *
 * @module
 */

const live = document.querySelector<HTMLElement>('[data-live="true"]');
const pause = document.querySelector<HTMLButtonElement>("[data-pause]");
const copy = document.querySelector<HTMLButtonElement>("[data-copy]");
let isPaused = false;

/** Reports whether the reader has paused the list, or is using it. */
function isInUse(list: HTMLElement): boolean {
  const isFocused = list.querySelector(":focus:not(.scroll)") !== null;
  return isPaused || document.hidden || isFocused || getSelection()?.isCollapsed === false;
}

/** Replaces the list, and the number of problems, by those of the server. */
async function refresh(list: HTMLElement): Promise<void> {
  if (isInUse(list)) return;
  const response = await fetch(location.href);
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  if (isInUse(list)) return;
  // A table keeps its scroll position.
  const rows = '[data-live="true"] tbody';
  const head = '[data-live="true"] thead';
  const hasRows = document.querySelector(head)?.innerHTML === page.querySelector(head)?.innerHTML;
  for (const part of [hasRows ? rows : '[data-live="true"]', 'nav a[href$="/problems"]']) {
    const [old, found] = [document.querySelector(part), page.querySelector(part)];
    if (old !== null && found !== null && old.innerHTML !== found.innerHTML) old.innerHTML = found.innerHTML;
  }
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
