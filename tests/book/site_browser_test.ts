import { assert, assertEquals } from "@std/assert";
import axe from "npm:axe-core@^4";
import type { Page } from "npm:playwright-core@^1";
import { withPage } from "../browser.ts";
import { overSocket, quiet } from "../serving.ts";
import { newSite, read, writeSite } from "./site.ts";

/** The files of the static site. All tests share them. */
const files = await Deno.makeTempDir();
Deno.test.beforeAll(() => writeSite(newSite({ Site: "http://127.0.0.1/docs/fw/" }), files));
Deno.test.afterAll(() => Deno.remove(files, { recursive: true }));

/** Serves the static site below a path with a plain file server, and opens a page. */
async function withStatic(run: (page: Page, root: string) => Promise<void>): Promise<void> {
  const host = quiet();
  host.HandleDir("/docs/fw", files);
  const lost = await Deno.readTextFile(`${files}/404.html`);
  host.OnErrorCode(404, (ctx) => ctx.HTML(lost));
  await overSocket(host, (_, port) =>
    withPage(async (page) => {
      await run(page, `http://127.0.0.1:${port}/docs/fw/`);
      await page.goto("about:blank");
    }));
}

/** Serves the site and opens a page. */
async function withSite(run: (page: Page, root: string) => Promise<void>): Promise<void> {
  await overSocket(newSite(), (_, port) =>
    withPage(async (page) => {
      await run(page, `http://127.0.0.1:${port}/`);
      await page.goto("about:blank");
    }));
}

const { kinds } = read();
/** The home page, the search page, and a page and the list of each kind. */
const paths = [
  "",
  "search.html?q=session",
  ...kinds.flatMap(({ path, groups }) => [path, groups[0]?.pages[0]?.path ?? ""]),
];

for (const [name, serve] of [["server", withSite], ["static site", withStatic]] as const) {
  Deno.test(`book ${name}: pages have no console messages, no layout shift, and fit into the window`, async () => {
    await serve(async (page, root) => {
      const messages: string[] = [];
      page.on("console", (message) => messages.push(`${page.url()}: ${message.text()}`));
      for (const width of [390, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        for (const path of paths) {
          await page.goto(root + path, { waitUntil: "networkidle" });
          const seen = await page.evaluate(`new Promise((resolve) => {
            let shift = 0;
            new PerformanceObserver((list) => { for (const entry of list.getEntries()) shift += entry.value; })
              .observe({ type: "layout-shift", buffered: true });
            requestAnimationFrame(() => setTimeout(() => resolve([shift, document.documentElement.scrollWidth > innerWidth])));
          })`);
          assertEquals(seen, [0, false], `${path} at ${width}`);
        }
      }
      assertEquals(messages, []);
    });
  });

  Deno.test(`book ${name}: the search is used with the keyboard`, async () => {
    await serve(async (page, root) => {
      await page.goto(root + (kinds.at(-1)?.path ?? ""));
      await page.waitForSelector("html.script");
      await page.keyboard.press("/");
      await page.keyboard.type("sessions");
      await page.waitForSelector("#hits [role=option]");
      const hits = await page.evaluate(
        `Array.from(document.querySelectorAll("#hits a"), ({ href }) => href)`,
      ) as string[];
      assert(hits.length > 1);
      assertEquals(await page.getAttribute("#question", "aria-activedescendant"), "hit-0");
      await page.keyboard.press("ArrowDown");
      assertEquals(await page.getAttribute("#question", "aria-activedescendant"), "hit-1");
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("Escape");
      assert(await page.locator("#hits").isHidden());
      await page.keyboard.type(" ");
      await page.waitForSelector("#hits [role=option]");
      await page.keyboard.press("Enter");
      await page.waitForURL(hits[0] ?? "");
    });
  });
}

Deno.test("book site: no page scrolls sideways on a phone, and programs of how-to guides fit into 1280 pixels", async () => {
  await withSite(async (page, root) => {
    const wide: string[] = [];
    // A low window has the same widths and less to paint.
    const height = 100;
    let width = 390;
    await page.setViewportSize({ width, height });
    for (const { path } of read().pages) {
      await page.goto(root + path, { waitUntil: "domcontentloaded" });
      // Each page is loaded once and shown in both widths, first in that of the page before.
      for (const next of [width, 390 + 1280 - width]) {
        if (next !== width) await page.setViewportSize({ width: width = next, height });
        const isWide = await page.evaluate(`document.documentElement.scrollWidth > innerWidth`);
        if (isWide) wide.push(`${path} at ${width}`);
        if (width < 1000 || !path.startsWith("howto/")) continue;
        const code = `document.querySelector("figure pre")`;
        if (await page.evaluate(`${code}?.scrollWidth > ${code}?.clientWidth`)) wide.push(`the program of ${path}`);
      }
    }
    assertEquals(wide, []);
  });
});

Deno.test("book site: the first printed page has the beginning of the program", async () => {
  await withSite(async (page, root) => {
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: 720, height: 1040 });
    await page.goto(`${root}howto/login-with-password.html`);
    assertEquals(await page.evaluate(`getComputedStyle(document.querySelector("figure.code")).breakInside`), "auto");
    const top = await page.evaluate(`document.querySelector("figure.code").getBoundingClientRect().top`);
    assert(Number(top) < 400, `the program begins at ${top}`);
  });
});

Deno.test("book static site: the search page and the page for unknown addresses are filled by the script", async () => {
  await withStatic(async (page, root) => {
    await page.goto(`${root}search.html?q=sessions`);
    await page.waitForSelector("#results li");
    assert((await page.getAttribute("#results li:first-child a", "href"))?.startsWith(root));
    await page.goto(`${root}guide/deep/sessions`);
    await page.waitForSelector("#results li");
    await page.click("#results li:first-child a");
    await page.waitForSelector("article h1");
  });
});

Deno.test("book site: the chosen colors are kept, and applied before the page is shown", async () => {
  await withSite(async (page, root) => {
    const paper = () => page.evaluate(`getComputedStyle(document.body).backgroundColor`);
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(root);
    const light = await paper();
    await page.click("#theme");
    const dark = await paper();
    assert(light !== dark);
    await page.goto(root + (kinds[0]?.path ?? ""), { waitUntil: "commit" });
    await page.waitForSelector("body");
    assertEquals(await paper(), dark);
    await page.click("#theme");
    assertEquals(await paper(), light);
  });
});

Deno.test("book site: the menu opens without scripts, and code can be copied with them", async () => {
  await withSite(async (page, root) => {
    const { path = "" } = read().pages.find(({ text }) => text.includes("```ts")) ?? {};
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto(root + path);
    await page.hover("figure.code");
    await page.locator("button.copy").first().click();
    const code = await page.locator("figure.code code").first().textContent();
    assertEquals(await page.evaluate("navigator.clipboard.readText()"), code);

    const bare = await page.context().browser()?.newContext({
      javaScriptEnabled: false,
      viewport: { width: 390, height: 800 },
    });
    const plain = await bare?.newPage();
    await plain?.goto(root + path);
    const link = plain?.locator(".menu nav [aria-current]");
    assertEquals(await link?.isVisible(), false);
    await plain?.click(".menu > summary");
    assertEquals(await link?.isVisible(), true);
    await plain?.fill("#question", "sessions");
    await plain?.keyboard.press("Enter");
    await plain?.waitForSelector("#results li");
    await bare?.close();
  });
});

Deno.test("book site: axe-core finds no violation in two widths, light and dark", async () => {
  await withSite(async (page, root) => {
    const found: string[] = [];
    for (const path of [...paths.filter((path) => !path.endsWith("/index.html")), "none"]) {
      await page.goto(root + path);
      await page.evaluate(axe.source);
      if (path === "") await page.fill("#question", "session");
      for (const width of [390, 1280]) {
        for (const colorScheme of ["light", "dark"] as const) {
          await page.setViewportSize({ width, height: 800 });
          await page.emulateMedia({ colorScheme });
          if (path === "") await page.waitForSelector("#hits [role=option]");
          // The script of the page opens the menu soon after the window has become wide.
          if (width === 1280) await page.waitForFunction(`document.querySelector(".menu")?.open !== false`);
          const violations = await page.evaluate(
            `axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations)`,
          ) as axe.AxeResults["violations"];
          for (const { id, nodes } of violations) {
            found.push(
              `${path} ${width} ${colorScheme} ${id}: ${
                nodes.map(({ html }) => html.slice(0, 120)).slice(0, 3).join(" ")
              }`,
            );
          }
        }
      }
    }
    assertEquals(found, []);
  });
});
