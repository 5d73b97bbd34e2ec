import * as fw from "@fw/web";
import * as openapi from "@fw/web/openapi";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { withPage } from "../browser.ts";
import { overSocket } from "../serving.ts";

function newApp(): fw.Application {
  const app = fw.New();
  app.Get("/teas/{id:int min(1)}", (ctx) => ctx.JSON({ tea: ctx.Params().GetIntDefault("id", 0) }))
    .Describe({ Summary: "Finds a tea", Description: "<img src=x onerror=alert(1)>", Tags: ["Teas"] });
  app.Get("/cups", (ctx) => ctx.JSON([])).Describe({ Summary: "Lists cups", Tags: ["Cups"] });
  openapi.New({ Title: "Teas & <cups>", Version: "1.0.0" }).Serve(app, "/openapi");
  return app;
}

Deno.test("openapi.UI() lists, finds and tries the routes in a browser, without markup from the document", async () => {
  await overSocket(newApp(), async (_ask, port) => {
    const base = `http://127.0.0.1:${port}`;
    await withPage(async (page) => {
      const foreign: string[] = [];
      page.on("request", (request) => request.url().startsWith(base) || foreign.push(request.url()));
      await page.goto(`${base}/openapi`);
      await page.getByText("Finds a tea").waitFor();
      assertEquals(await page.title(), "Teas & <cups>");
      await page.getByLabel("Find a route").fill("cups");
      await page.getByText("Finds a tea").waitFor({ state: "hidden" });
      await page.getByLabel("Find a route").fill("");
      await page.getByText("Finds a tea").click();
      assertEquals(await page.locator(".inside img").count(), 0);
      await page.getByLabel("id", { exact: true }).fill("7");
      await page.getByRole("button", { name: "Send" }).click();
      const status = page.locator("[role=status]");
      await status.getByText("200 OK").waitFor();
      assertStringIncludes(await status.innerText(), '"tea": 7');
      assertEquals(foreign.filter((url) => !url.startsWith("data:")), []);
    });
  });
});
