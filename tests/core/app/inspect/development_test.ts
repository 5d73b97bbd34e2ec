import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import * as fw from "../../../../mod.ts";
import * as mvc from "../../../../mvc/mod.ts";
import { logged } from "../../../serving.ts";

/** Serves requests in development and returns the warnings. */
async function warnings(register: (app: fw.Application) => void, ...paths: string[]): Promise<string[]> {
  const { app, lines } = logged();
  app.Configure(fw.WithDevelopment);
  register(app);
  for (const path of paths) await (await app.fetch(new Request(`http://localhost${path}`))).text();
  app.Logger().Flush();
  return lines.filter((line) => line.includes("Route "));
}

const getters: readonly ((params: fw.Params) => unknown)[] = [
  (params) => params.Get("idd"),
  (params) => params.GetInt("idd"),
  (params) => params.GetIntDefault("idd", 0),
  (params) => params.GetInt64("idd"),
  (params) => params.GetInt64Default("idd", 0n),
  (params) => params.GetUint64("idd"),
  (params) => params.GetUint64Default("idd", 0n),
  (params) => params.GetFloat64("idd"),
  (params) => params.GetFloat64Default("idd", 0),
  (params) => params.GetBool("idd"),
  (params) => params.GetBoolDefault("idd", false),
];

for (const read of getters) {
  Deno.test(`fw.WithDevelopment warns once about a misspelled parameter: ${read}`, async () => {
    const handler = (ctx: fw.Context) => ctx.JSON(String(read(ctx.Params())));
    assertEquals(await warnings((app) => app.Get("/u/{id}", handler), "/u/1", "/u/2"), [
      '[WARN] Route "GET /u/{id}" has no parameter "idd"; its parameters are: id; did you mean "id"?',
    ]);
  });
}

Deno.test("fw.WithDevelopment warns about each misspelled parameter of a route and lists the existing ones", async () => {
  const found = await warnings(
    (app) => {
      const show: fw.Handler = (ctx) => ctx.JSON([ctx.Params().Get("user"), ctx.Params().Get("note")]);
      app.Get("/about", show);
      app.Party("/t/{tenant}").Get("/u/{user}", show);
    },
    "/about",
    "/t/1/u/2",
  );
  assertEquals(found, [
    '[WARN] Route "GET /about" has no parameter "user"; it has none',
    '[WARN] Route "GET /about" has no parameter "note"; it has none',
    '[WARN] Route "GET /t/{tenant}/u/{user}" has no parameter "note"; its parameters are: tenant, user',
  ]);
});

Deno.test("fw.WithDevelopment does not warn about optional reads and existing parameters", async () => {
  const found = await warnings((app) => {
    app.Get("/u/{id}", (ctx) => {
      const params = ctx.Params();
      ctx.JSON([params.Exists("tenant"), params.GetDefault("tenant", ""), params.Get("id"), params.Entries()]);
    });
  }, "/u/1");
  assertEquals(found, []);
});

Deno.test("Params.Get() does not warn without fw.WithDevelopment", async () => {
  const { app, lines } = logged();
  app.Get("/u/{id}", (ctx) => ctx.WriteString(ctx.Params().Get("idd")), () => {});
  app.Get("/empty", () => {});
  for (const path of ["/u/1", "/empty"]) await app.fetch(new Request(`http://localhost${path}`));
  assertEquals(lines, []);
});

Deno.test("fw.WithDevelopment warns once about middleware that neither responds nor calls Next", async () => {
  const found = await warnings(
    (app) => {
      app.Get("/named", function auth() {}, (ctx) => ctx.WriteString("never"));
      app.Get("/async", async () => await Promise.resolve(), (ctx) => ctx.WriteString("never"));
      app.Party("/done").Done(function after() {}).Get("/", function show(ctx) {
        ctx.StopExecution();
      });
    },
    "/named",
    "/named",
    "/async",
    "/done",
  );
  assertEquals(found, [
    '[WARN] Route "GET /named" sent an empty response with status 200: handler "auth" neither wrote a response nor ' +
    "called ctx.Next()",
    '[WARN] Route "GET /async" sent an empty response with status 200: handler 1 of 2 neither wrote a response nor ' +
    "called ctx.Next()",
    '[WARN] Route "GET /done" sent an empty response with status 200: handler "show" neither wrote a response nor ' +
    "called ctx.Next()",
  ]);
});

Deno.test("fw.WithDevelopment warns about a handler that writes nothing", async () => {
  const found = await warnings(
    (app) => {
      app.Use((ctx) => ctx.Next());
      app.Get("/named", function list() {});
      app.Get("/late", async (ctx) => {
        await ctx.Next();
      });
    },
    "/named",
    "/late",
  );
  assertEquals(found, [
    '[WARN] Route "GET /named" sent an empty response with status 200: handler "list" wrote nothing; if that is ' +
    "intended, set a status with ctx.StatusCode",
    '[WARN] Route "GET /late" sent an empty response with status 200: handler 2 of 2 wrote nothing; if that is ' +
    "intended, set a status with ctx.StatusCode",
  ]);
});

Deno.test("fw.WithDevelopment does not warn about an intentionally empty response", async () => {
  class Pings {
    Get(): void {}
  }
  const found = await warnings(
    (app) => {
      app.Get("/status", (ctx) => ctx.StatusCode(200));
      app.Get("/gone", (ctx) => ctx.StatusCode(204));
      app.Get("/text", (ctx) => ctx.WriteString(""));
      app.Get("/response", () => new Response(null));
      app.Get("/moved", (ctx) => ctx.Redirect("/text"));
      app.Get("/missing", (ctx) => ctx.NotFound());
      app.Get("/broken", () => {
        throw new Error("on purpose");
      });
      mvc.New(app.Party("/mvc")).Handle(Pings);
    },
    "/status",
    "/gone",
    "/text",
    "/response",
    "/moved",
    "/missing",
    "/broken",
    "/mvc",
    "/nowhere",
  );
  assertEquals(found, []);
});

Deno.test("fw.WithDevelopment adds the message and the stack trace to the problem details of a server error", async () => {
  const newApp = (...configurators: fw.Configurator[]) => {
    const app = fw.New().Configure(...configurators);
    app.Logger().SetLevel("disable");
    app.Get("/broken", function brew() {
      throw new TypeError("The kettle is cold");
    });
    app.Get("/down", () => {
      throw fw.NewProblem({ Status: 503, Detail: "Come back later" });
    });
    app.Get("/taken", () => {
      throw new fw.HTTPError(409, "That name is taken");
    });
    const api = app.Party("/api");
    api.OnAnyErrorCode(fw.WriteProblem);
    api.Get("/broken", () => {
      throw new Error("No tea");
    });
    return async (path: string) => {
      const headers = { accept: "application/json" };
      return await (await app.fetch(new Request(`http://localhost${path}`, { headers }))).json();
    };
  };
  const show = newApp(fw.WithDevelopment);
  const broken = await show("/broken");
  assertEquals([broken.title, broken.status, broken.detail], [
    "Internal Server Error",
    500,
    "TypeError: The kettle is cold",
  ]);
  assertStringIncludes(broken.stack[0], "development_test.ts");
  assert(broken.stack.every((line: string) => line.startsWith("at ")));
  const down = await show("/down");
  assertEquals([down.detail, Array.isArray(down.stack)], ["Come back later", true]);
  assertEquals((await show("/api/broken")).detail, "Error: No tea");
  assertEquals((await show("/taken")).stack, undefined);
  const serve = newApp();
  assertEquals(await serve("/broken"), { type: "about:blank", title: "Internal Server Error", status: 500 });
});

Deno.test("WithDevelopment warns once if form fields are read from a JSON body", async () => {
  const { app, lines } = logged();
  app.Configure(fw.WithDevelopment);
  app.Post("/teas", async (ctx) => ctx.WriteString(await ctx.PostValue("name")));
  for (let time = 0; time < 2; time++) {
    const headers = { "content-type": "application/json" };
    const request = new Request("http://localhost/teas", { method: "POST", headers, body: '{"name":"Assam"}' });
    assertEquals(await (await app.fetch(request)).text(), "");
  }
  const warnings = lines.filter((line) => line.includes("reads form fields"));
  assertEquals(warnings.length, 1);
  assertEquals(warnings.join().includes('the request body is "application/json"'), true);
});
