import { assertEquals, assertMatch } from "@std/assert";
import { newApp } from "../../examples/answers/main.ts";
import * as live from "../../src/live/hub/mod.ts";
import * as sqlite from "../../src/live/hub/sqlite/mod.ts";
import { withPage } from "../browser.ts";
import { logged, overSocket } from "../serving.ts";

Deno.test("examples/answers continues an answer after a reload, and stops it", async () => {
  const folder = await Deno.makeTempDir();
  const hub = live.New({ Backplane: sqlite.New({ File: `${folder}/answers.db` }) });
  const { app } = logged(newApp(hub, { pause: 20 }));
  await overSocket(app, async (_ask, port) => {
    await withPage(async (page) => {
      await page.goto(`http://127.0.0.1:${port}/`);
      await page.getByLabel("Question").fill("<b>Why?</b>");
      await page.getByRole("button", { name: "Ask" }).click();
      await page.getByText("You asked “<b>Why?</b>”. This").waitFor();
      await page.reload();
      await page.getByText("Finished.").waitFor();
      const text = await page.locator("#answer").textContent() ?? "";
      assertEquals(text, `You asked “<b>Why?</b>”. ${"This word is one of many. ".repeat(10)}`);
      await page.getByLabel("Question").fill("How?");
      await page.getByRole("button", { name: "Ask" }).click();
      await page.getByText("You asked “How?”. This").waitFor();
      await page.getByRole("button", { name: "Stop" }).click();
      await page.getByText("Stopped.").waitFor();
      assertMatch(await page.locator("#answer").textContent() ?? "", /^You asked “How\?”\. This/);
    });
  });
  await app.Shutdown();
  await Deno.remove(folder, { recursive: true });
});
