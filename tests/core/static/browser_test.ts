import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { withPage } from "../../browser.ts";
import { overSocket, quiet } from "../../serving.ts";

/** Creates a temporary folder that is removed at the end of a block. */
async function folderWith(files: Readonly<Record<string, string>>): Promise<AsyncDisposable & { path: string }> {
  const path = await Deno.makeTempDir();
  for (const [name, text] of Object.entries(files)) {
    await Deno.mkdir(join(path, name, ".."), { recursive: true });
    await Deno.writeTextFile(join(path, name), text);
  }
  return { path, [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }) };
}

Deno.test("Party.HandleDir() with ShowList lists folders that a browser walks through", async () => {
  await using folder = await folderWith({ "tea.txt": "tea", "docs/note.txt": "note" });
  const app = quiet();
  app.HandleDir("/files", folder.path, { ShowList: true });
  await overSocket(app, async (_ask, port) => {
    await withPage(async (page) => {
      await page.goto(`http://127.0.0.1:${port}/files/`);
      await page.getByRole("link", { name: "docs/" }).click();
      await page.getByRole("link", { name: "note.txt" }).waitFor();
      await page.getByRole("link", { name: "../" }).click();
      await page.getByRole("link", { name: "tea.txt" }).waitFor();
    });
  });
});

Deno.test("Party.HandleDir() with SPA serves one page that a browser shows for all paths", async () => {
  await using folder = await folderWith({
    "index.html": '<script type="module" src="/app/main.js"></script><p></p>',
    "main.js": 'document.querySelector("p").textContent = location.pathname;',
  });
  const app = quiet();
  app.HandleDir("/app", folder.path, { SPA: true });
  await overSocket(app, async (_ask, port) => {
    await withPage(async (page) => {
      await page.goto(`http://127.0.0.1:${port}/app/deep/path`);
      assertEquals(await page.locator("p").innerText(), "/app/deep/path");
    });
  });
});

Deno.test("Party.HandleDir() sends a film in ranges, and a browser plays it", async () => {
  const app = quiet();
  app.HandleDir("/films", new URL("../../testdata/films", import.meta.url));
  app.Get("/", (ctx) => ctx.HTML('<video src="/films/steam.webm" muted preload="auto"></video>'));
  await overSocket(app, async (ask, port) => {
    const { bytes, headers } = await ask("/films/steam.webm");
    assertEquals([headers.get("content-type"), headers.get("accept-ranges")], ["video/webm", "bytes"]);
    const end = await ask("/films/steam.webm", { headers: { range: "bytes=-100" } });
    assertEquals([end.status, end.bytes], [206, bytes.subarray(-100)]);
    await withPage(async (page) => {
      const film = page.waitForResponse((response) => response.url().endsWith("/films/steam.webm"));
      await page.goto(`http://127.0.0.1:${port}/`);
      const response = await film;
      assertEquals([response.status(), response.request().headers()["range"]], [206, "bytes=0-"]);
      assertEquals(response.headers()["content-range"], `bytes 0-${bytes.length - 1}/${bytes.length}`);
      const width = await page.locator("video").evaluate(async (element) => {
        const video = element as unknown as { play(): Promise<void>; videoWidth: number };
        await video.play();
        return video.videoWidth;
      });
      assertEquals(width, 320);
    });
  });
});
