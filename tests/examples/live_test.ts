import { assertEquals } from "@std/assert";
import type { Page } from "npm:playwright-core@^1";
import * as fw from "../../mod.ts";
import { newApp } from "../../examples/live/main.ts";
import { withPage } from "../browser.ts";
import { logged, overSocket } from "../serving.ts";

function send(app: fw.Application, text: string): Promise<Response> {
  const body = new URLSearchParams({ text });
  return Promise.resolve(app.fetch(new Request("http://localhost/notes", { method: "POST", body })));
}

async function notesOf(page: Page, count: number): Promise<string[]> {
  await page.locator("#notes li").nth(count - 1).waitFor();
  return await page.locator("#notes li").allTextContents();
}

Deno.test("examples/live shows a note in every open page as plain text", async () => {
  const { app } = logged(newApp());
  await overSocket(app, async (_ask, port) => {
    await withPage(async (page) => {
      await page.goto(`http://127.0.0.1:${port}/`);
      await page.getByText("Connected.").waitFor();
      await page.getByLabel("Note").fill("<b>first</b>");
      await page.getByRole("button", { name: "Add note" }).click();
      assertEquals(await notesOf(page, 1), ["<b>first</b>"]);
      const response = await send(app, "from elsewhere");
      assertEquals([response.status, await response.text()], [201, '{"id":2,"text":"from elsewhere"}']);
      assertEquals(await notesOf(page, 2), ["from elsewhere", "<b>first</b>"]);
      await page.getByLabel("Note").fill("hey");
      await page.getByRole("button", { name: "Shout" }).click();
      await page.getByText("HEY").waitFor();
    });
    assertEquals((await send(app, " ")).status, 400);
  });
});

Deno.test("examples/live: after a server restart, a browser receives the notes it missed, without duplicates", async () => {
  const { app } = logged(newApp());
  await withPage(async (page) => {
    const listening = Promise.withResolvers<number>();
    const told = fw.WithOnListen((address) => listening.resolve((address as Deno.NetAddr).port));
    const first = app.Run(fw.Addr("127.0.0.1:0"), told);
    const port = await listening.promise;
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.getByText("Connected.").waitFor();
    await send(app, "before");
    assertEquals(await notesOf(page, 1), ["before"]);
    await app.Shutdown();
    assertEquals(await first, null);
    await send(app, "meanwhile");
    const second = app.Run(fw.Addr(`127.0.0.1:${port}`));
    assertEquals(await notesOf(page, 2), ["meanwhile", "before"]);
    await page.close();
    await app.Shutdown();
    assertEquals(await second, null);
  });
});
