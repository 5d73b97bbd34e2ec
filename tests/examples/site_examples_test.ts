import { assertEquals, assertStringIncludes } from "@std/assert";
import { newApp as newCache } from "../../examples/cache/main.ts";
import { newApp as newErrors } from "../../examples/errors/main.ts";
import { newApp as newStatic } from "../../examples/static/main.ts";
import type * as fw from "../../mod.ts";
import { withPage } from "../browser.ts";
import { overSocket } from "../serving.ts";

function quieted(app: fw.Application): fw.Application {
  app.Logger().SetLevel("disable");
  return app;
}

Deno.test("examples/static lists files, serves ranges, and one page for all paths", async () => {
  await overSocket(quieted(newStatic()), async (ask, port) => {
    assertEquals((await ask("/files/tea.txt", { headers: { range: "bytes=0-3" } })).text, "Long");
    await withPage(async (page) => {
      const base = `http://127.0.0.1:${port}`;
      await page.goto(`${base}/`);
      await page.getByRole("link", { name: "docs/" }).click();
      await page.getByRole("link", { name: "note.txt" }).waitFor();
      await page.getByRole("link", { name: "../" }).click();
      await page.getByRole("link", { name: "tea.txt" }).waitFor();
      await page.goto(`${base}/app/deep/path`);
      assertEquals(await page.locator("#path").innerText(), "/app/deep/path");
      await page.getByRole("link", { name: "cup 7" }).click();
      assertEquals(await page.locator("#path").innerText(), "/app/cups/7");
    });
  });
});

Deno.test("examples/static sends a film in ranges, and a browser plays it", async () => {
  await overSocket(quieted(newStatic()), async (ask, port) => {
    const { bytes, headers } = await ask("/films/steam.webm");
    assertEquals([headers.get("content-type"), headers.get("accept-ranges")], ["video/webm", "bytes"]);
    const end = await ask("/films/steam.webm", { headers: { range: "bytes=-100" } });
    assertEquals([end.status, end.bytes], [206, bytes.subarray(-100)]);
    await withPage(async (page) => {
      const film = page.waitForResponse((response) => response.url().endsWith("/films/steam.webm"));
      await page.goto(`http://127.0.0.1:${port}/films/`);
      const response = await film;
      assertEquals([response.status(), response.request().headers()["range"]], [206, "bytes=0-"]);
      assertEquals(response.headers()["content-range"], `bytes 0-${bytes.length - 1}/${bytes.length}`);
      const played = await page.locator("video").evaluate(
        async (element) => {
          const video = element as unknown as { play(): Promise<void>; videoWidth: number };
          await video.play();
          return video.videoWidth;
        },
      );
      assertEquals(played, 320);
      const shots = Deno.env.get("FW_PICTURES");
      if (shots !== undefined) await page.screenshot({ path: `${shots}/films.png` });
    });
  });
});

Deno.test("examples/cache computes a report once and serves it compressed and with an entity tag", async () => {
  await overSocket(quieted(newCache()), async (ask) => {
    const headers = { "accept-encoding": "gzip" };
    const first = await ask("/report", { headers });
    assertEquals([first.headers.get("content-encoding"), first.headers.get("cache-status")], [
      "gzip",
      "fw; fwd=miss; stored",
    ]);
    const second = await ask("/report");
    assertEquals(JSON.parse(second.text).run, 1);
    assertStringIncludes(second.headers.get("cache-status") ?? "", "hit");
    const tag = second.headers.get("etag") ?? "";
    assertEquals((await ask("/report", { headers: { "if-none-match": tag } })).status, 304);
    assertStringIncludes((await ask("/private")).headers.get("cache-control") ?? "", "no-store");
  });
});

Deno.test("examples/errors hides details from clients and shows them to developers", async () => {
  const browser = { accept: "text/html" };
  await overSocket(quieted(newErrors()), async (ask) => {
    assertEquals((await ask("/taken")).text, "That name is taken");
    assertEquals(JSON.parse((await ask("/orders/9")).text).order, 9);
    assertEquals((await ask("/broken", { headers: browser })).text, "Internal Server Error");
    assertStringIncludes((await ask("/shop/none")).text, "No such tea");
  });
  await overSocket(quieted(newErrors(true)), async (_ask, port) => {
    await withPage(async (page) => {
      await page.goto(`http://127.0.0.1:${port}/broken`);
      await page.getByRole("heading", { name: "The kettle is cold" }).waitFor();
      await page.goto(`http://127.0.0.1:${port}/brken`);
      await page.getByText("Similar routes").waitFor();
    });
  });
});
