import { assertEquals } from "@std/assert";
import * as fw from "../../../mod.ts";
import { withPage } from "../../browser.ts";
import { quiet } from "../../serving.ts";

const page = `<ul></ul><script>
new EventSource("/notes").addEventListener("note", ({ data }) => {
  document.querySelector("ul").append(Object.assign(document.createElement("li"), { textContent: data }));
});
</script>`;

Deno.test("Context.Events(): after a server restart, a browser receives the events it missed, without duplicates", async () => {
  const notes: string[] = ["<b>before</b>"];
  const app = quiet();
  app.Get("/", (ctx) => ctx.HTML(page));
  app.Get("/notes", (ctx) =>
    ctx.Events(async function* (lastID, signal) {
      for (let at = Number(lastID) || 0; at < notes.length; at++) {
        yield fw.NewEvent(notes[at], { ID: String(at + 1), Name: "note" });
      }
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    }, { Retry: 100 }));
  await withPage(async (page) => {
    const listening = Promise.withResolvers<number>();
    const told = fw.WithOnListen((address) => listening.resolve((address as Deno.NetAddr).port));
    const first = app.Run(fw.Addr("127.0.0.1:0"), told);
    const port = await listening.promise;
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.locator("li").nth(0).waitFor();
    await app.Shutdown();
    assertEquals(await first, null);
    notes.push("meanwhile");
    const second = app.Run(fw.Addr(`127.0.0.1:${port}`));
    await page.locator("li").nth(1).waitFor();
    assertEquals(await page.locator("li").allTextContents(), ["<b>before</b>", "meanwhile"]);
    await page.close();
    await app.Shutdown();
    assertEquals(await second, null);
  });
});
