import { assertEquals } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import type { Page } from "npm:playwright-core@^1";
import { withPage } from "../../browser.ts";
import { bundle } from "../../repo/bundler.ts";
import { Site } from "./chat_process.ts";
import { FakeModel } from "./fake_model.ts";

/** Runs steps with the page in Chromium, a model and a process of the application. */
async function withChat(
  steps: (parts: { page: Page; model: FakeModel; site: Site; open(id: string): Promise<Page> }) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  const script = join(folder, "page.js");
  await bundle(["--platform=browser", "-o", script, fromFileUrl(new URL("chat_page.ts", import.meta.url))]);
  const model = new FakeModel({ events: 100, every: 30 });
  const site = new Site(model.url, join(folder, "answers.db"), script);
  try {
    await site.start();
    await withPage(async (page) => {
      const open = async (id: string) => {
        const tab = await page.context().newPage();
        tab.setDefaultTimeout(60_000);
        await tab.goto(`${site.url}/#${id}`);
        return tab;
      };
      await steps({ page, model, site, open });
    });
  } finally {
    await site.kill();
    await model.close();
    await Deno.remove(folder, { recursive: true });
  }
}

/** Sends a question and waits for the beginning of its answer. */
async function send(page: Page, id: string): Promise<void> {
  await page.getByRole("button", { name: "Send" }).click();
  await begun(page, id);
}

async function begun(page: Page, id: string): Promise<void> {
  await page.locator("li.assistant", { hasText: `${id}:9 ` }).waitFor();
}

/** Waits for the end of an answer and compares it with the model's. */
async function whole(page: Page, model: FakeModel, id: string): Promise<void> {
  await page.locator("li.assistant", { hasText: model.textOf(id).at(-1)?.trim() ?? "" }).waitFor();
  await page.locator("#status", { hasText: "ready" }).waitFor();
  assertEquals(await page.locator("li.assistant").allTextContents(), [model.textOf(id).join("")]);
  assertEquals(model.calls.get(id), 1);
}

Deno.test("useChat of the AI SDK shows an answer that survives reloads, other tabs, lost networks and killed processes", async (t) => {
  await withChat(async ({ page, model, site, open }) => {
    await t.step("a reload in the middle", async () => {
      await page.goto(`${site.url}/#reload`);
      await send(page, "reload");
      await page.reload();
      await whole(page, model, "reload");
    });
    await t.step("a second tab", async () => {
      const one = await open("tabs");
      await send(one, "tabs");
      const two = await open("tabs");
      await Promise.all([whole(one, model, "tabs"), whole(two, model, "tabs")]);
      await one.close();
      await two.close();
    });
    await t.step("a stop button aborts the request to the model, for all tabs", async () => {
      // On a slow machine, the answer would end before the second tab is open.
      model.pauseBefore(50);
      const one = await open("stop");
      await send(one, "stop");
      const two = await open("stop");
      await begun(two, "stop");
      await two.getByRole("button", { name: "Stop" }).click();
      await model.untilAborted("stop");
      model.continue();
      for (const tab of [one, two]) await tab.locator("#status", { hasText: "ready" }).waitFor();
      assertEquals((await one.locator("li.assistant").textContent())?.includes("stop:100 "), false);
      assertEquals(model.calls.get("stop"), 1);
      await one.close();
      await two.close();
    });
    await t.step("a process that is killed and started again", async () => {
      const tab = await open("killed");
      await send(tab, "killed");
      await site.kill();
      await site.start();
      await whole(tab, model, "killed");
      await tab.close();
    });
    await t.step("a network that is lost", async () => {
      const tab = await open("offline");
      await send(tab, "offline");
      await page.context().setOffline(true);
      await new Promise((resolve) => setTimeout(resolve, 500));
      await page.context().setOffline(false);
      await whole(tab, model, "offline");
      await tab.close();
    });
    await t.step("a page without an answer", async () => {
      const tab = await open("none");
      await tab.locator("#status", { hasText: "ready" }).waitFor();
      assertEquals(await tab.locator("li").count(), 0);
      await tab.close();
    });
  });
});
