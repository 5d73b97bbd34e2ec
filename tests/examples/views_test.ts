import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Page } from "npm:playwright-core@^1";
import { newApp } from "../../examples/views/main.ts";
import { withPage } from "../browser.ts";

/** Serves the example on a free port and opens a page for it. */
async function visit(work: (page: Page, base: string) => Promise<void>): Promise<void> {
  const app = newApp();
  app.Logger().SetLevel("disable");
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => app.fetch(request));
  try {
    await withPage((page) => work(page, `http://127.0.0.1:${server.addr.port}`));
  } finally {
    await server.shutdown();
  }
}

Deno.test("examples/views renders the list in the layout with a partial per tea, and escapes all text", async () => {
  await visit(async (page, base) => {
    await page.goto(`${base}/`);
    assertEquals(await page.title(), "Tea house");
    assertEquals(await page.locator("nav a[aria-current]").allTextContents(), ["Teas"]);
    assertEquals(await page.locator(".card h2").allTextContents(), [
      "Gyokuro",
      "Dong Ding Oolong",
      "Assam “Halmari” <GTGFOP1>",
      "Old Tree Pu'er",
    ]);
    assertEquals(await page.locator(".card").nth(2).locator("li").allTextContents(), [
      "malt",
      "dried fruit",
      "spice & smoke",
    ]);
    assertEquals(await page.locator(".card strong").first().textContent(), "€ 18.90");
    // This checks that the style sheet was loaded, because the cup would not be round otherwise.
    const radius = await page.evaluate("getComputedStyle(document.querySelector('.cup')).borderRadius");
    assertEquals(radius, "50%");
  });
});

Deno.test("examples/views renders a tea with its own title and passes data to a script as JSON", async () => {
  await visit(async (page, base) => {
    await page.goto(`${base}/`);
    await page.getByRole("link", { name: "Assam" }).click();
    await page.waitForURL(`${base}/teas/3`);
    assertEquals(await page.title(), "Assam “Halmari” <GTGFOP1> · Tea house");
    assertEquals(await page.locator("nav a[aria-current]").count(), 0);
    const timer = page.locator("#timer");
    assertEquals(await timer.textContent(), "Brew for 4 min");
    await timer.click();
    assertEquals(await timer.textContent(), "Assam “Halmari” <GTGFOP1> is brewing");
  });
});

Deno.test("examples/views responds to an unknown URL with a page in the same layout", async () => {
  await visit(async (page, base) => {
    const response = await page.goto(`${base}/teas/99`);
    assertEquals(response?.status(), 404);
    assertStringIncludes(response?.headers()["content-type"] ?? "", "text/html");
    assertEquals(await page.locator("h1").textContent(), "Nothing is brewing here");
    assertEquals(await page.locator("main code").textContent(), "/teas/99");
    await page.getByRole("link", { name: "About" }).click();
    await page.waitForURL(`${base}/about`);
    assertEquals(await page.title(), "About · Tea house");
    assertEquals(await page.locator("nav a[aria-current]").allTextContents(), ["About"]);
  });
});

Deno.test("examples/views responds with a partial without the layout", async () => {
  const app = newApp();
  app.Logger().SetLevel("disable");
  const response = await app.fetch(new Request("http://localhost/teas/1/card"));
  const text = await response.text();
  assertEquals(response.status, 200);
  assertEquals(text.startsWith('<article class="card">'), true);
  assertEquals(text.includes("<html"), false);
});
