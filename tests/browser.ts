/**
 * A real browser for the tests of the examples: one page of headless Chromium, closed whatever happens.
 *
 * @module
 */

import { type Browser, chromium, type Page } from "npm:playwright-core@^1";

const executable = "/usr/bin/chromium";

const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * Opens a page in a fresh Chromium, runs a test with it, then closes page and browser.
 *
 * A script of the page that throws fails the test too, even when the work itself did not: a page that looks right
 * and is broken underneath must not pass.
 *
 * @param work What to do with the page.
 * @returns What the work returned.
 */
export async function withPage<T>(work: (page: Page) => T | Promise<T>): Promise<T> {
  const browser = await launch();
  try {
    const context = await browser.newContext({ viewport: { width: 1000, height: 700 } });
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    const failures: Error[] = [];
    page.on("pageerror", (error) => failures.push(error));
    const result = await work(page);
    await context.close();
    if (failures.length > 0) throw new AggregateError(failures, `A script of the page failed: ${failures[0]?.message}`);
    return result;
  } finally {
    await browser.close();
  }
}

async function launch(): Promise<Browser> {
  try {
    await Deno.lstat(executable);
  } catch (error) {
    throw new Error(
      `Cannot start the browser: "${executable}" is absent, install the Debian package "chromium"`,
      { cause: error },
    );
  }
  return await chromium.launch({ executablePath: executable, headless: true, args: flags });
}
