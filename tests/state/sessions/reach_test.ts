import { assertEquals } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import * as sessions from "../../../src/state/sessions/mod.ts";
import * as httptest from "../../../src/tools/httptest/mod.ts";

class VisitController {
  session = mvc.Inject(sessions.Session);
  Get() {
    return `visit ${this.session.Increment("visits")}`;
  }
}

Deno.test("Inject() provides the session of the party's middleware in any controller", async () => {
  const app = fw.New();
  app.Use(sessions.New().Handler());
  mvc.New(app).Handle(VisitController);
  const test = httptest.New(app);
  await test.GET("/").Expect().Status(200).Body("visit 1");
  await test.GET("/").Expect().Status(200).Body("visit 2");
});

Deno.test("Inject() provides the session of the registered manager", async () => {
  const app = fw.New();
  mvc.New(app).Register(sessions.New()).Handle(VisitController);
  const test = httptest.New(app);
  await test.GET("/").Expect().Body("visit 1");
  await test.GET("/").Expect().Body("visit 2");
});

Deno.test("Inject() of the session without a manager is an error that names the remedy", async () => {
  const app = fw.New();
  const lines: string[] = [];
  app.Logger().SetOutput((line) => lines.push(line));
  mvc.New(app).Handle(VisitController);
  await httptest.New(app).GET("/").Expect().Status(500);
  assertEquals(lines.join().includes("Cannot inject the session: register a session manager"), true);
});

Deno.test("Get() returns the session without its manager, and null if there is none", async () => {
  const app = fw.New();
  app.Get("/none", (ctx) => ctx.JSON(sessions.Get(ctx)));
  const party = app.Party("/with");
  party.Use(sessions.New().Handler());
  party.Get("/", (ctx) => ctx.JSON(sessions.Get(ctx)?.Increment("visits")));
  const test = httptest.New(app);
  await test.GET("/none").Expect().JSON(null);
  await test.GET("/with").Expect().JSON(1);
  await test.GET("/with").Expect().JSON(2);
});

Deno.test("A layout shows flash messages once, and keeps those that it does not show", async () => {
  const views = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${views}/layout.html`, "<p><%= it.flashes?.saved %></p><%~ body %>");
    await Deno.writeTextFile(`${views}/page.html`, "page");
    const app = fw.New();
    app.RegisterView(fw.HTML(views, ".html").Layout("layout"));
    const manager = sessions.New();
    app.Use(manager.Handler());
    app.Post("/", (ctx) => {
      sessions.Get(ctx)?.SetFlash("saved", "Saved!");
      sessions.Get(ctx)?.SetFlash("other", "kept");
    });
    app.Get("/", (ctx) => ctx.View("page"));
    app.Get("/other", async (ctx) => ctx.JSON(await sessions.Get(ctx)?.GetFlashes()));
    const test = httptest.New(app);
    await test.POST("/").Expect().Status(200);
    await test.GET("/").Expect().Body("<p>Saved!</p>page");
    await test.GET("/").Expect().Body("<p></p>page");
    await test.GET("/other").Expect().JSON({ other: "kept" });
    await test.GET("/other").Expect().JSON({});
  } finally {
    await Deno.remove(views, { recursive: true });
  }
});

Deno.test("Session.ClearFlashes() removes all flash messages and nothing else", async () => {
  const session = new sessions.Session();
  session.Set("name", "Ada");
  session.SetFlash("a", 1);
  session.SetFlash("b", 2);
  session.ClearFlashes();
  assertEquals([await session.GetFlashes(), session.Get("name")], [Object.create(null), "Ada"]);
});

Deno.test("Handler() does not vary the response by cookie if no handler uses the session", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/a.txt`, "tea");
    const app = fw.New();
    const manager = sessions.New();
    app.Use(manager.Handler(), async (ctx) => {
      await manager.Start(ctx);
      await ctx.Next();
    });
    app.HandleDir("/files", folder);
    app.Get("/set", (ctx) => void sessions.Get(ctx)?.Set("a", 1));
    const test = httptest.New(app);
    await test.GET("/set").Expect().Status(200);
    const response = await test.GET("/files/a.txt").Expect().Status(200);
    assertEquals(response.Headers.get("vary")?.includes("Cookie") ?? false, false);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
