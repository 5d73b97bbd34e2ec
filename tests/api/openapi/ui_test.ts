import * as fw from "@fw/web";
import * as auth from "@fw/web/middleware/auth";
import * as basicauth from "@fw/web/middleware/basicauth";
import * as mvc from "@fw/web/mvc";
import * as openapi from "@fw/web/openapi";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { Buffer } from "node:buffer";
import type { Page } from "npm:playwright-core@^1";
import { z } from "npm:zod@^4";
import { withPage } from "../../browser.ts";
import { overSocket } from "../../serving.ts";

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

const words = `# Teas

A **strong** tea with \`code\`, [a page](https://example.com/a), [a trap](javascript:alert(1)) and <b>no markup</b>.

- green
- black
  - Assam

| Tea | Grams |
| --- | ----- |
| Assam | 100 |

\`\`\`
const tea = 1;
\`\`\``;

interface Branch {
  name: string;
  branches?: Branch[] | undefined;
}
const branch: z.ZodType<Branch> = z.object({
  name: z.string(),
  get branches() {
    return z.array(branch).optional();
  },
}).meta({ id: "Branch" });

const newTea = z.object({
  code: z.string().regex(/^[A-Z]{2}-\d{4}$/),
  size: z.int(),
  low: z.int().min(5).max(9),
  point: z.tuple([z.number(), z.string()]),
  mail: z.email(),
  kind: z.enum(["green", "black"]),
  tree: branch,
  note: z.string().nullable().describe("A *short* note"),
});

class TeaController {
  Get({ tag = [], kind } = mvc.Query(z.object({ tag: z.array(z.string()), kind: z.enum(["a", "b"]).optional() }))) {
    return { tag, kind };
  }

  Post(tea = mvc.Body(newTea)) {
    return tea;
  }

  async PostFiles({ title, files } = mvc.Form(z.object({ title: z.string(), files: z.array(z.file()) }))) {
    return { title, texts: await Promise.all(files.map((file) => file.text())) };
  }
}

async function newRich(): Promise<fw.Application> {
  const app = fw.New();
  const guard = basicauth.New({ Users: [{ Name: "ann", Password: await auth.HashPassword("a:b") }] });
  mvc.New(app.Party("/teas")).Handle(TeaController).Describe(TeaController, { Post: { Description: words } });
  app.Get("/secret", guard, (ctx) => ctx.JSON({ in: true })).Describe({ OperationID: "secret" });
  const Servers = [{ URL: "/" }, { URL: "/elsewhere", Description: "Another" }];
  openapi.New({ Title: "Teas", Version: "1.0.0", Description: words, Servers }).Serve(app, "/openapi");
  return app;
}

/** Opens the page at a route and returns the route's element. */
async function withRoute(id: string, run: (page: Page, route: ReturnType<Page["locator"]>) => Promise<void>) {
  await overSocket(await newRich(), async (_ask, port) => {
    await withPage(async (page) => {
      await page.goto(`http://127.0.0.1:${port}/openapi#${id}`);
      const route = page.locator(`#${id}`);
      await route.getByRole("button", { name: "Send" }).waitFor();
      await run(page, route);
      await page.goto("about:blank");
    });
  });
}

Deno.test("openapi.UI() opens the route of an anchor and renders Markdown without scripts or markup", async () => {
  await withRoute("TeaController_Post", async (page, route) => {
    const said = route.locator(".inside > .words");
    assertEquals(await said.locator("strong").innerText(), "strong");
    assertEquals(await said.locator("a").evaluateAll((all) => all.map((each) => each.getAttribute("href"))), [
      "https://example.com/a",
    ]);
    assertEquals(await said.locator("li li").innerText(), "Assam");
    assertEquals(await said.locator("td").allInnerTexts(), ["Assam", "100"]);
    assertEquals(await said.locator("pre").innerText(), "const tea = 1;");
    assertEquals(await said.locator("b").count(), 0);
    assertStringIncludes(await said.innerText(), "<b>no markup</b>");
    const links = page.locator("#about a");
    assertEquals(await links.evaluateAll((all) => all.slice(0, 2).map((each) => each.getAttribute("href"))), [
      "openapi.json",
      "openapi.yaml",
    ]);
  });
});

Deno.test("openapi.UI() shows schemas as trees and samples that the server accepts", async () => {
  await withRoute("TeaController_Post", async (_page, route) => {
    const tree = route.locator(".schema").first();
    assertMatch(await tree.innerText(), /code\s+string\s+matches/);
    assertStringIncludes(await tree.innerText(), '"green" | "black"');
    assertStringIncludes(await tree.innerText(), "[number, string]");
    assertEquals(await tree.locator("em").innerText(), "short");
    await tree.locator("summary", { hasText: /^tree/ }).click();
    await tree.getByText("branches?").first().click();
    await tree.getByText("branches?").nth(1).waitFor();
    const body = await route.getByLabel("Body").inputValue();
    assert(!body.includes("9007199254740991"), body);
    assertEquals(JSON.parse(body).size, 1);
    await route.getByRole("button", { name: "Send" }).click();
    await route.locator("[role=status]").getByText("200 OK").waitFor();
  });
});

Deno.test("openapi.UI() sends lists and choices", async () => {
  await withRoute("TeaController_Get", async (_page, route) => {
    await route.getByLabel("tag").fill("one\ntwo");
    await route.getByLabel("kind").selectOption("b");
    await route.getByRole("button", { name: "Send" }).click();
    const status = route.locator("[role=status]");
    await status.getByText("200 OK").waitFor();
    assertMatch(await status.innerText(), /"one",\s+"two"[^]*"kind": "b"/);
    await route.getByText("Code", { exact: true }).click();
    const code = route.locator("pre.code");
    await code.getByText("curl").waitFor();
    assertMatch(await code.innerText(), /^curl 'http:\/\/127\.0\.0\.1:\d+\/teas\?tag=one&tag=two&kind=b'$/);
    await route.getByLabel("Language").selectOption("fw client");
    assertStringIncludes(await code.innerText(), 'tea.Get({\n  Query: { "tag": ["one", "two"], "kind": "b" },\n})');
    await route.getByLabel("Language").selectOption("fetch");
    assertStringIncludes(await code.innerText(), "await fetch(");
  });
});

Deno.test("openapi.UI() sends files", async () => {
  await withRoute("TeaController_PostFiles", async (_page, route) => {
    await route.getByLabel("title").fill("Two");
    await route.getByLabel("files").setInputFiles(
      ["a", "b"].map((name) => ({ name, mimeType: "text/plain", buffer: Buffer.from(name) })),
    );
    await route.getByRole("button", { name: "Send" }).click();
    const status = route.locator("[role=status]");
    await status.getByText("200 OK").waitFor();
    assertMatch(await status.innerText(), /"title": "Two"[^]*"a",\s+"b"/);
  });
});

Deno.test("openapi.UI() prompts once for the user and password, and lets the user choose a server", async () => {
  await withRoute("secret", async (page, route) => {
    const send = route.getByRole("button", { name: "Send" });
    const status = route.locator("[role=status]");
    await page.locator("#credentials > summary").click();
    await page.getByLabel("User", { exact: true }).fill("ann");
    await page.getByLabel("Password", { exact: true }).fill("a:b");
    await send.click();
    await status.getByText("200 OK").waitFor();
    await page.getByLabel("Server").selectOption({ index: 1 });
    await send.click();
    await status.getByText("404 Not Found").waitFor();
  });
});
