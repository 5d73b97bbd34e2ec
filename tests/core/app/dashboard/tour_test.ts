import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import axe from "npm:axe-core@^4";
import type { Page } from "npm:playwright-core@^1";
import { newApp } from "../../../../examples/realworld/main.ts";
import * as fw from "../../../../mod.ts";
import * as mcp from "../../../../src/api/mcp/mod.ts";
import * as jobs from "../../../../src/work/jobs/mod.ts";
import * as mail from "../../../../src/work/mail/mod.ts";
import * as monitor from "../../../../src/middleware/monitor/mod.ts";
import * as httptest from "../../../../src/tools/httptest/mod.ts";
import * as websocket from "../../../../src/live/websocket/mod.ts";
import { withPage } from "../../../browser.ts";
import { listen } from "../../../serving.ts";

/** The folder for screenshots, if they are wanted. */
const pictures = Deno.env.get("FW_TEST_PICTURES");

/** Returns the RealWorld example with jobs, mails, a room and tools. */
async function tourApp(): Promise<fw.Application> {
  const app = newApp({ Database: ":memory:", Secret: "a secret for tests only, of 32 bytes or more" });
  app.Configure(fw.WithDevelopment);
  app.Logger().SetOutput(() => {});
  app.I18n.LoadKV({ en: { Hello: "Hello", Bye: "Bye" }, de: { Hello: "Hallo" } });
  const queue = jobs.New(jobs.NewMemory());
  queue.Handle(function greet() {}).Handle(function fail() {
    throw new Error("The job cannot run");
  });
  queue.RunWith(app);
  await queue.Schedule("0 3 * * *", function greet() {}, undefined, { Name: "nightly" });
  const views = fw.HTML("").ParseTemplate("hello", `<title>Hello</title><h1><%= tr("Hello") %></h1>`);
  const mailer = mail.New({ Transport: mail.NewMemory(), From: "a@example.com", Views: views, App: app, Queue: queue });
  const server = websocket.New();
  server.On("enter", async (conn, room) => {
    await conn.Join(String(room));
    return "entered";
  });
  app.Get("/ws", websocket.Handler(server));
  app.Get("/welcome", async (ctx) => {
    await mailer.Send({ To: "ada@example.com", View: "hello", Language: "de" });
    await mailer.Send.Later({ To: "bob@example.com", View: "hello" });
    ctx.Logger().Warn("The welcome is slow");
    ctx.WriteString("welcome");
  });
  monitor.New().Register(app.Party("/monitor"));
  mcp.New(app, { Name: "conduit", Routes: ({ Path, Method }) => Path === "/api/tags" && Method === "GET" });
  return app;
}

/** Reports the findings of axe on a page, in two widths, light and dark. */
async function inspect(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const width of [390, 1920]) {
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      if (pictures !== undefined) await page.screenshot({ path: `${pictures}/${name}-${width}-${colorScheme}.png` });
      // The colors do not depend on the width.
      if ((width === 390) !== (colorScheme === "light")) continue;
      const isWider = await page.evaluate("document.documentElement.scrollWidth > innerWidth");
      if (isWider) found.push(`${name} ${width}: it is wider than the window`);
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate("axe.run()") as axe.AxeResults;
      for (const { id, nodes } of violations) {
        found.push(`${name} ${width} ${colorScheme} ${id}: ${nodes.map(({ html }) => html.slice(0, 150)).join(" ")}`);
      }
    }
  }
  return found;
}

Deno.test("a tour of /_fw with the RealWorld example, jobs, mails, a room and tools", async () => {
  const app = await tourApp();
  const { url, ended } = await listen(app);
  const root = url.slice(0, -1);
  const socket = await httptest.New(app).WebSocket("/ws");
  assertEquals(await socket.Ask("enter", "kitchen"), "entered");
  try {
    await withPage(async (page) => {
      const findings: string[] = [];
      const foreign: string[] = [];
      page.on("request", (request) => {
        if (!request.url().startsWith(root) && !request.url().startsWith("data:")) foreign.push(request.url());
      });
      await page.goto(`${root}/`);
      await page.goto(`${root}/welcome`);
      await (await fetch(`${root}/api/tags`)).text();
      const see = async (name: string, path: string, ...texts: RegExp[]) => {
        await page.goto(`${root}/_fw/${path}`);
        const text = await page.innerText("main");
        for (const each of texts) assertMatch(text, each, name);
        findings.push(...await inspect(page, name));
      };
      await see("problems", "problems", /The welcome is slow/, /"Bye" is missing in: de/);
      await see("requests", "requests", /\/welcome/);
      await page.click("main td a");
      assertMatch(await page.innerText("main"), /handler\s+TagsController\.Get/);
      await page.goBack();
      await page.fill("[name=filter]", "welcome");
      await page.keyboard.press("Enter");
      await page.waitForURL("**/requests?filter=welcome");
      await page.click("main td a");
      const timeline = await page.innerText("main");
      for (const part of [/mail\s+Hello/, /job\s+mail/, /log\s+warn/, /handler/]) assertMatch(timeline, part);
      findings.push(...await inspect(page, "request"));
      await page.click("text=Send again");
      await page.waitForURL("**/_fw/requests");
      await see("routes", "routes?method=GET&path=/api/tags", /\/api\/tags/);
      await see("all-routes", "routes", /\/api\/articles/, /TagsController\.Get/);
      await see("structure", "structure", /Articles/);
      await see("views", "views", /Missing translations/, /layout\.html/);
      await see("jobs", "jobs", /mail/, /nightly/);
      await see("mails", "mails", /ada@example\.com/);
      await page.click("text=Hello");
      assertStringIncludes(await page.frameLocator("iframe").locator("h1").innerText(), "Hello");
      findings.push(...await inspect(page, "mail"));
      await page.goBack();
      await page.locator("main td a").last().click();
      assertEquals(await page.frameLocator("iframe").locator("h1").innerText(), "Hallo");
      await see("rooms", "rooms-and-sockets", /kitchen/);
      await see("tools", "tools", /tags/);
      await page.click("main td a");
      await page.click("button:text-is('Call')");
      await page.waitForLoadState();
      assertMatch(await page.innerText("main"), /200[\s\S]*tags/);
      findings.push(...await inspect(page, "tool"));
      await see("settings", "settings", /Development/);
      for (const [name, path] of [["monitor", "/monitor"], ["openapi", "/docs"], ["error", "/api/none"]] as const) {
        await page.goto(root + path);
        findings.push(...await inspect(page, name));
      }
      assertEquals(foreign, []);
      assertEquals(findings, []);
    });
  } finally {
    await socket.Close();
    await app.Shutdown();
    await ended;
  }
});

Deno.test("/_fw can be used with the keyboard only", async () => {
  const app = await tourApp();
  const { url, ended } = await listen(app);
  try {
    await withPage(async (page) => {
      await page.goto(`${url}welcome`);
      await page.goto(`${url}_fw`);
      await page.keyboard.press("Tab");
      assertEquals(await page.evaluate("document.activeElement.textContent"), "Skip to content");
      const reach = async (text: string) => {
        for (let tab = 0; tab < 80; tab++) {
          await page.keyboard.press("Tab");
          const found = String(await page.evaluate("document.activeElement.textContent"));
          if (found.trim() === text) return await page.keyboard.press("Enter");
        }
        throw new Error(`The keyboard does not reach "${text}"`);
      };
      await reach("Requests");
      await page.waitForURL("**/_fw/requests");
      await reach("Pause");
      assertEquals(await page.innerText("[data-pause]"), "Continue");
      await reach("#1");
      await page.waitForURL("**/_fw/requests/1");
      await reach("Send again");
      await page.waitForURL("**/_fw/requests");
    });
  } finally {
    await app.Shutdown();
    await ended;
  }
});
