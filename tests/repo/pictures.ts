// deno-lint-ignore-file no-console -- this is a command-line program
/**
 * `deno task pictures FOLDER`: takes screenshots of every page that fw and its examples serve, in Chromium, at phone
 * and desktop width, in light and dark mode. Reports pages that are wider than the window.
 *
 * @module
 */

import { join } from "@std/path";
import type { Page } from "npm:playwright-core@^1";
import { withPage } from "../browser.ts";
import { overSocket } from "../serving.ts";
import { appOf, shown } from "./pages.ts";

const widths = [390, 1280];
const schemes = ["light", "dark"] as const;

/** A problem with a page. */
export interface Flaw {
  readonly page: string;
  readonly flaw: string;
}

/**
 * Shows every page in every mode.
 *
 * @param take Called with the page and a name for its screenshot.
 * @returns The problems found.
 */
export async function showAll(take: (page: Page, name: string) => Promise<void>): Promise<Flaw[]> {
  const flaws: Flaw[] = [];
  await withPage(async (page) => {
    for (const each of shown) {
      const { name, paths, user, headers = {}, isBare = false, fill } = each;
      const app = await appOf(each);
      app.Logger().SetLevel("disable");
      await overSocket(app, async (ask, port) => {
        await fill?.(ask);
        await page.setExtraHTTPHeaders({ ...headers });
        for (const path of paths) {
          const file = (name + path).slice(0, 60).replace(/\/$/, "").replaceAll("/", "-");
          const url = `http://${user === undefined ? "" : `${user}@`}127.0.0.1:${port}${path}`;
          for (const width of widths) {
            for (const colorScheme of schemes) {
              await page.emulateMedia({ colorScheme });
              await page.setViewportSize({ width, height: 800 });
              await page.goto(url, { waitUntil: "load" });
              for (const flaw of await flawsOf(page, isBare ? undefined : colorScheme)) {
                flaws.push({ page: `${file}-${width}-${colorScheme}`, flaw });
              }
              await take(page, `${file}-${width}-${colorScheme}`);
            }
          }
        }
        // A page that is connected to its server would prevent the server from stopping.
        await page.goto("about:blank");
      });
      await app.Shutdown();
    }
  });
  return flaws;
}

async function flawsOf(page: Page, scheme: string | undefined): Promise<string[]> {
  // The code runs in the browser, so it is a string here.
  const seen = await page.evaluate(`({
    wide: document.documentElement.scrollWidth > innerWidth,
    schemes: getComputedStyle(document.documentElement).colorScheme,
    type: document.contentType,
  })`) as { wide: boolean; schemes: string; type: string };
  const flaws: string[] = [];
  if (seen.wide) flaws.push("is wider than the window");
  if (scheme !== undefined && seen.type === "text/html" && !seen.schemes.includes(scheme)) {
    flaws.push(`has no ${scheme} colors`);
  }
  return flaws;
}

if (import.meta.main) {
  const [folder] = Deno.args;
  if (folder === undefined) {
    throw new Error('Cannot take screenshots: no folder is given, as in "deno task pictures FOLDER"');
  }
  await Deno.mkdir(folder, { recursive: true });
  const flaws = await showAll(async (page, name) => {
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  });
  for (const { page, flaw } of flaws) console.log(`${page} ${flaw}`);
  console.log(`${flaws.length} flaws`);
}
