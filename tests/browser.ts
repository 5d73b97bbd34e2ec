/**
 * Runs tests in a real browser: a page in headless Chromium, which is always closed.
 *
 * @module
 */

import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "npm:playwright-core@^1";

/** The shell is Chromium without windows, and loads a page in about half of the CPU time. */
const executables = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

/** The path of the browser, or an empty string if there is none. */
export const executable: string = executables.find((path) => existsSync(path)) ?? "";

/** The time limit for each step. It is long, because a browser is slow on a busy machine. */
const patience = 60_000;

const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // RenderDocument creates a frame for each page load, which takes a sixth of its CPU time. This list replaces
  // Playwright's, so it repeats the features that matter to pages.
  "--disable-features=RenderDocument,PaintHolding,HttpsUpgrades,ThirdPartyStoragePartitioning",
];

/** The browser of a test file. Programs that are not tests have none. */
let shared: Browser | undefined;
Deno.test.beforeAll(async () => void (shared = await launch()));
Deno.test.afterAll(() => shared?.close());

/**
 * Opens a page with a new profile in Chromium, runs a test with it, and closes the page. The pages of a test file share
 * a browser, but no cookies, caches or permissions.
 *
 * If a script on the page throws, the test fails, even if the callback succeeded. A page that looks right but has
 * errors must not pass.
 *
 * @param work The callback that uses the page.
 * @returns The result of the callback.
 */
export async function withPage<T>(work: (page: Page) => T | Promise<T>): Promise<T> {
  const browser = shared ?? await launch();
  const context = await browser.newContext({ viewport: { width: 1000, height: 700 } });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(patience);
    const failures: Error[] = [];
    page.on("pageerror", (error) => failures.push(error));
    const result = await work(page);
    await context.close();
    if (failures.length > 0) throw new AggregateError(failures, `A script of the page failed: ${failures[0]?.message}`);
    return result;
  } finally {
    await context.close();
    if (browser !== shared) await browser.close();
  }
}

async function launch(): Promise<Browser> {
  if (executable === "") {
    throw new Error('Cannot start the browser: install the Debian package "chromium-headless-shell" or "chromium"');
  }
  return await chromium.launch({ executablePath: executable, headless: true, args: flags, timeout: patience });
}
