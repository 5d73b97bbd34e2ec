import * as fw from "@fw/web";
import * as apps from "@fw/web/apps";
import * as httptest from "@fw/web/httptest";
import * as jobs from "@fw/web/jobs";
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import * as flags from "./mod.ts";

/** Creates an application whose flags a test can change. */
function newApp(options: Partial<flags.Options> = {}) {
  const source = { text: "new-menu", loads: 0, loaded: Promise.withResolvers<void>() };
  const app = fw.New();
  app.Logger().SetLevel("disable");
  const current = app.Install(flags.New({
    Load() {
      // The first load belongs to the start.
      if (++source.loads > 1) source.loaded.resolve();
      return source.text;
    },
    ...options,
  }));
  app.RegisterView(fw.HTML("").ParseTemplate("menu.html", '<%= flag("new-menu") ? "new" : "old" %>'));
  app.Get("/", (ctx) => ctx.WriteString(flags.Get(ctx).Names.join(" ")));
  app.Get("/menu", (ctx) => ctx.View("menu"));
  return { app, source, current };
}

Deno.test("handlers, views and the page see the flags", async () => {
  const { app, current } = newApp();
  await using test = await httptest.Start(app);
  await test.GET("/").Expect().Body("new-menu");
  await test.GET("/menu").Expect().Body("new");
  await test.GET("/flags").Expect().JSON(["new-menu"]);
  assertEquals(current().IsOn("new-menu"), true);
});

Deno.test("the flags are loaded again while the application runs, and no longer afterwards", async () => {
  const { app, source, current } = newApp({ Every: 10 });
  {
    await using _test = await httptest.Start(app);
    source.text = "a b";
    await source.loaded.promise;
    // The flags are replaced when the promise of Load has been awaited.
    await new Promise((resolve) => setTimeout(resolve));
    assertEquals(current().Names, ["a", "b"]);
  }
  const { loads } = source;
  await new Promise((resolve) => setTimeout(resolve, 50));
  assertEquals(source.loads, loads);
});

Deno.test("an application does not start without flags, and the error has a code", async () => {
  const { app } = newApp({ Load: () => Promise.reject(new Error("No file")) });
  const error = await assertRejects(async () => await app.Build(), Error, "Cannot load the flags");
  assertEquals(Object(error.cause).Code, "FLAGS_UNREADABLE");
  assertEquals(Object.keys(app.Extensions()[0]?.Errors ?? {}), ["FLAGS_UNREADABLE"]);
});

Deno.test("options are checked when the extension is installed", () => {
  const install = (options: object) => () => fw.New().Install(flags.New(options as flags.Options));
  assertThrows(install({}), Error, "Load");
  assertThrows(install({ Load: () => "", Every: 1 }), Error, "Every");
  assertThrows(install({ Load: () => "", Evry: 10 }), Error, 'did you mean "Every"');
});

Deno.test("a mounted application runs its own flags, and one without flags sees those around it", async () => {
  const outer = newApp();
  const own = newApp();
  own.source.text = "own";
  const plain = fw.New();
  plain.Get("/", (ctx) => ctx.WriteString(flags.Get(ctx).Names.join(" ")));
  outer.app.Mount("/own", own.app);
  outer.app.Mount("/plain", plain);
  await using test = await httptest.Start(outer.app);
  await test.GET("/own").Expect().Body("own");
  await test.GET("/plain").Expect().Body("new-menu");
  assertEquals([outer.source.loads, own.source.loads], [1, 1]);
});

Deno.test("an application behind a switch runs its own flags", async () => {
  const [a, b] = [newApp(), newApp()];
  b.source.text = "b";
  const app = apps.Switch([{ Pattern: "a.example", Target: a.app }, { Pattern: "b.example", Target: b.app }]);
  await using _test = await httptest.Start(app);
  for (const [host, body] of [["a.example", "new-menu"], ["b.example", "b"]] as const) {
    const response = await app.fetch(new Request(`http://${host}/`));
    assertEquals(await response.text(), body);
  }
  assertEquals([a.source.loads, b.source.loads], [1, 1]);
});

Deno.test("a job sees the flags of the request that has added it", async () => {
  const { app, source } = newApp({ Every: 10 });
  const seen: string[] = [];
  function look(_: undefined, ctx: jobs.Context): void {
    seen.push(flags.Get(ctx).Names.join(" "));
  }
  const queue = jobs.New(jobs.NewMemory()).Handle(look);
  app.Get("/add", async () => void await queue.Add(look));
  await using test = await httptest.Start(app);
  await test.GET("/add").Expect().Status(200);
  source.text = "changed";
  await source.loaded.promise;
  await queue.Drain();
  assertEquals(seen, ["new-menu"]);
});
