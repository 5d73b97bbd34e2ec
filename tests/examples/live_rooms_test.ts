import { assertEquals } from "@std/assert";
import type { Page } from "npm:playwright-core@^1";
import type * as fw from "../../mod.ts";
import { newApp as newChat } from "../../examples/live/chat/main.ts";
import { newApp as newTicker } from "../../examples/live/ticker/main.ts";
import { withPage } from "../browser.ts";
import { logged, overSocket } from "../serving.ts";

async function enter(page: Page, port: number, name: string): Promise<void> {
  page.setDefaultTimeout(60_000);
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.getByLabel("Name").fill(name);
  await page.getByRole("button", { name: "Enter" }).click();
  await page.getByText("Connected.").waitFor();
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel("Message").fill(text);
  await page.getByRole("button", { name: "Send" }).click();
}

Deno.test("examples/live/chat shows the messages of two pages as text, and who is present", async () => {
  const { app } = logged(newChat());
  await overSocket(app, async (_ask, port) => {
    await withPage(async (ada) => {
      const bob = await (await ada.context().browser()?.newContext())?.newPage();
      if (bob === undefined) throw new Error("The browser opens one page only");
      await enter(ada, port, "Ada");
      await enter(bob, port, "Bob");
      await ada.getByText("Here: Ada, Bob").waitFor();
      await say(ada, "<b>hello</b>");
      await bob.getByText("Ada: <b>hello</b>").waitFor();
      await say(bob, "hi");
      await ada.getByText("Bob: hi").waitFor();
      assertEquals(await ada.locator("#messages li").allTextContents(), ["Bob: hi", "Ada: <b>hello</b>"]);
      await bob.close();
      await ada.getByText("Here: Ada", { exact: true }).waitFor();
      await ada.close();
    });
  });
  await app.Shutdown();
});

Deno.test("examples/live/ticker: after a server restart, a page receives the prices it missed", async () => {
  const { app } = logged(newTicker());
  await withPage(async (page) => {
    let cut = new AbortController();
    const first = serve(app, 0, cut.signal);
    const { port } = first.addr;
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.getByText("Connected.").waitFor();
    await publish(app, 150);
    await page.getByText("Assam: 1.50").waitFor();
    cut.abort();
    await first.finished;
    await publish(app, 160);
    cut = new AbortController();
    const second = serve(app, port, cut.signal);
    await page.getByText("Assam: 1.60").waitFor();
    assertEquals(await page.locator("#prices li").allTextContents(), ["Assam: 1.60", "Assam: 1.50"]);
    await page.close();
    cut.abort();
    await second.finished;
  });
  await app.Shutdown();
});

function serve(app: fw.Application, port: number, signal: AbortSignal): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ hostname: "127.0.0.1", port, signal, onListen() {} }, app.fetch);
}

async function publish(app: fw.Application, cents: number): Promise<void> {
  const body = new URLSearchParams({ cents: String(cents) });
  await (await app.fetch(new Request("http://localhost/prices", { method: "POST", body }))).body?.cancel();
}
