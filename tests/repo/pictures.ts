// deno-lint-ignore-file no-console -- a program of the command line speaks on the terminal
/**
 * `deno task pictures FOLDER`: takes pictures of every page that fw and its examples serve, in Chromium, at the width
 * of a phone and of a desk, light and dark; says which page is wider than the window.
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

/** What is wrong with a page as it was shown. */
export interface Flaw {
  readonly page: string;
  readonly flaw: string;
}

/**
 * Shows every page in every way.
 *
 * @param take Is given the page and a name for its picture.
 * @returns What is wrong with them.
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
        // A page that listens to its server would keep it from ending.
        await page.goto("about:blank");
      });
      await app.Shutdown();
    }
  });
  return flaws;
}

async function flawsOf(page: Page, scheme: string | undefined): Promise<string[]> {
  // The code runs in the browser, so it is text to the compiler of this program.
  const seen = await page.evaluate(`({
    wide: document.documentElement.scrollWidth > innerWidth,
    schemes: getComputedStyle(document.documentElement).colorScheme,
    type: document.contentType,
  })`) as { wide: boolean; schemes: string; type: string };
  const flaws: string[] = [];
  if (seen.wide) flaws.push("is wider than the window");
  if (scheme !== undefined && seen.type === "text/html" && !seen.schemes.includes(scheme)) {
    flaws.push(`has no ${scheme} colours`);
  }
  return flaws;
}

if (import.meta.main) {
  const [folder] = Deno.args;
  if (folder === undefined) {
    throw new Error('Cannot take pictures: no folder is given, as in "deno task pictures FOLDER"');
  }
  await Deno.mkdir(folder, { recursive: true });
  const flaws = await showAll(async (page, name) => {
    await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  });
  for (const { page, flaw } of flaws) console.log(`${page} ${flaw}`);
  console.log(`${flaws.length} flaws`);
}
