import { assertEquals } from "@std/assert";
import * as fw from "../../../../mod.ts";
import { withPage } from "../../../browser.ts";
import { listen, logged } from "../../../serving.ts";

Deno.test("the list of requests is live, has a filter, and can be paused", async () => {
  const { app } = logged(fw.New().Configure(fw.WithDevelopment));
  app.Get("/{name}", (ctx) => {
    if (ctx.Params().Get("name") === "keemun") ctx.Logger().Warn("The pot is cold");
    ctx.WriteString("tea");
  });
  const { url, ended } = await listen(app);
  const visit = async (path: string) => await (await fetch(url + path)).text();
  try {
    await withPage(async (page) => {
      const paths = () => page.locator("main td:nth-child(4)").allInnerTexts();
      const refreshed = () => page.waitForResponse((response) => response.url().includes("/_fw/requests"));
      await visit("assam");
      await visit("darjeeling");
      await page.goto(`${url}_fw/requests`);
      assertEquals(await paths(), ["/darjeeling", "/assam"]);
      await visit("keemun");
      await page.waitForSelector("td:text-is('/keemun')");
      assertEquals(await page.innerText("nav b"), "1");
      await page.fill("[name=filter]", "ASSAM");
      await page.click("text=Apply");
      await page.waitForURL("**/requests?filter=ASSAM");
      assertEquals(await paths(), ["/assam"]);
      await visit("assam-2");
      await visit("keemun-2");
      await page.waitForSelector("td:text-is('/assam-2')");
      assertEquals([await paths(), await page.inputValue("[name=filter]")], [["/assam-2", "/assam"], "ASSAM"]);
      await page.click("text=Pause");
      await visit("assam-3");
      await page.evaluate("new Promise((resolve) => setTimeout(resolve, 1_500))");
      assertEquals(await paths(), ["/assam-2", "/assam"]);
      const next = refreshed();
      await page.click("text=Continue");
      await next;
      await page.waitForSelector("td:text-is('/assam-3')");
      assertEquals(await paths(), ["/assam-3", "/assam-2", "/assam"]);
    });
  } finally {
    await app.Shutdown();
    await ended;
  }
});
