import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { z } from "npm:zod@^4";
import * as fw from "../../mod.ts";
import * as mvc from "../../mvc/mod.ts";
import { bothWays } from "../serving.ts";
import { ask, quietApp } from "./serve.ts";

class Users {
  readonly names: string[] = ["Ada", "Bob"];
}

async function slow(ctx: fw.Context): Promise<string> {
  await Promise.resolve();
  return `slow ${ctx.Path()}`;
}

const newUser = z.object({ name: z.string().min(1) });

async function post(app: fw.Application, path: string, value: unknown): Promise<readonly [number, string]> {
  const headers = { "content-type": "application/json" };
  const request = new Request(`http://localhost${path}`, { method: "POST", body: JSON.stringify(value), headers });
  const response = await app.fetch(request);
  return [response.status, await response.text()];
}

bothWays(
  "Party.ConfigureContainer() injects dependencies and inputs, and responds with return values",
  () => {
    const app = quietApp();
    app.Party("/users").ConfigureContainer((api) => {
      api.Register(new Users(), slow);
      api.Get("/", (_ctx, users = mvc.Inject(Users)) => users.names);
      api.Get("/{id:int}", (ctx, users = mvc.Inject(Users)) => {
        const name = users.names[ctx.Params().GetIntDefault("id", -1)];
        return mvc.Tuple({ name }, name !== undefined);
      });
      api.Get("/slow", async (_ctx, text = mvc.Inject(slow)) => {
        await Promise.resolve();
        return text;
      });
      api.Get("/status", () => 202);
      api.Get("/written", (ctx) => ctx.WriteString("written"));
      api.Get("/response", () => new Response("response"));
      api.Get("/error", () => new fw.HTTPError(409, "taken"));
      api.Get("/thrown", () => {
        throw new fw.HTTPError(410, "gone");
      });
    });
    return app;
  },
  async (ask) => {
    const rows: [string, number, string][] = [
      ["/users", 200, '["Ada","Bob"]'],
      ["/users/1", 200, '{"name":"Bob"}'],
      ["/users/7", 404, "Not Found"],
      ["/users/slow", 200, "slow /users/slow"],
      ["/users/status", 202, ""],
      ["/users/written", 200, "written"],
      ["/users/response", 200, "response"],
      ["/users/error", 409, "taken"],
      ["/users/thrown", 410, "gone"],
    ];
    for (const [path, status, text] of rows) {
      const response = await ask(path);
      assertEquals([response.status, response.text], [status, text], path);
    }
  },
);

Deno.test("APIContainer.Post() accepts inputs as default values and lists them on the route", async () => {
  const app = quietApp();
  const api = app.ConfigureContainer();
  const route = api.Post("/users", (_ctx, user = mvc.Body(newUser)) => mvc.Tuple(user, 201));
  assertEquals(route.Inputs, [{ Kind: "Body", Schema: newUser }]);
  assertEquals(await post(app, "/users", { name: "Ada" }), [201, '{"name":"Ada"}']);
  assertEquals((await post(app, "/users", { name: "" }))[0], 422);
});

Deno.test("APIContainer.Use() and Done() accept middleware with dependencies", async () => {
  const log: string[] = [];
  function key(ctx: fw.Context): string {
    return ctx.GetHeader("x-key");
  }
  async function user(ctx: fw.Context, of = mvc.Inject(key)): Promise<string> {
    await Promise.resolve();
    if (of !== "sesame") ctx.StopWithStatus(401);
    return `user of ${of}`;
  }
  const app = quietApp();
  const api = app.ConfigureContainer().Register(key, user);
  api.Use(async (ctx, name = mvc.Inject(user)) => {
    log.push(`in ${name}`);
    await ctx.Next();
    log.push("out");
  });
  api.Done((_ctx, name = mvc.Inject(user)) => void log.push(`done ${name}`));
  api.Get("/", (ctx, name = mvc.Inject(user)) => {
    log.push("handler");
    ctx.WriteString(name);
  });
  app.Get("/plain", (ctx) => ctx.WriteString("plain"));
  assertEquals((await ask(app, "/")).status, 401);
  assertEquals(log.splice(0), []);
  const response = await app.fetch(new Request("http://localhost/", { headers: { "x-key": "sesame" } }));
  assertEquals(await response.text(), "user of sesame");
  assertEquals(log, ["in user of sesame", "handler", "done user of sesame", "out"]);
});

Deno.test("APIContainer.Register() applies to nested parties and to controllers on the party", async () => {
  class Where {
    users = mvc.Inject(Users);
    Get(): string {
      return this.users.names.join();
    }
  }
  const app = quietApp();
  app.ConfigureContainer().Register(new Users());
  const below = app.Party("/below").ConfigureContainer();
  below.Get("/", (_ctx, users = mvc.Inject(Users)) => users.names.join());
  const own = below.Party("/own").Register(mvc.Provide(Users, { names: ["Cy"] }));
  own.Get("/", (_ctx, users = mvc.Inject(Users)) => users.names.join());
  mvc.New(app.Party("/mvc")).Handle(Where);
  assertEquals((await ask(app, "/below")).body, "Ada,Bob");
  assertEquals((await ask(app, "/below/own")).body, "Cy");
  assertEquals((await ask(app, "/mvc")).body, "Ada,Bob");
  assertEquals(app.ConfigureContainer(), app.ConfigureContainer());
});

Deno.test("APIContainer shares per-request values with controllers", async () => {
  let created = 0;
  function value(_ctx: fw.Context): { readonly n: number } {
    return { n: ++created };
  }
  class Sharing {
    Get(own = mvc.Inject(value)): unknown {
      return own;
    }
  }
  const app = quietApp();
  const party = app.Party("/shared");
  party.ConfigureContainer().Register(value).Use((ctx, own = mvc.Inject(value)) => {
    ctx.Header("x-value", String(own.n));
    return ctx.Next();
  });
  mvc.New(party).Handle(Sharing);
  const response = await app.fetch(new Request("http://localhost/shared"));
  assertEquals([response.headers.get("x-value"), await response.text()], ["1", '{"n":1}']);
});

Deno.test("APIContainer.OnError() handles returned and thrown errors, starting with the nearest party", async () => {
  const app = quietApp();
  const api = app.ConfigureContainer().OnError((ctx, error) =>
    ctx.Text(`root ${ctx.GetStatusCode()} ${error.message}`)
  );
  api.Get("/thrown", () => {
    throw new Error("boom");
  });
  api.Get("/later", async () => {
    await Promise.resolve();
    throw new fw.HTTPError(409, "taken");
  });
  api.Get("/returned", () => new Error("bad"));
  const below = api.Party("/below");
  below.Get("/thrown", () => {
    throw new Error("boom");
  });
  below.OnError((ctx, error) => ctx.Text(`below ${error.message}`));
  assertEquals((await ask(app, "/thrown")).body, "root 500 boom");
  assertEquals((await ask(app, "/later")).body, "root 409 taken");
  assertEquals((await ask(app, "/returned")).body, "root 400 bad");
  assertEquals(await ask(app, "/below/thrown"), {
    status: 500,
    type: "text/plain;charset=UTF-8",
    body: "below boom",
  });
});

Deno.test("APIContainer.Get() rejects arguments without a value, and Build() rejects missing dependencies", () => {
  const app = quietApp();
  const api = app.ConfigureContainer();
  assertThrows(
    () => api.Get("/", ((_ctx: fw.Context, name: string) => name) as fw.InjectedHandler),
    fw.FrameworkError,
    'Cannot route "GET /": argument 2 "name" has no default value; give it one',
  );
  assertThrows(
    () => api.Get("/u/{id:int}", (_ctx, id = 0, other = "") => `${id}${other}`),
    fw.FrameworkError,
    'Cannot route "GET /u/{id:int}": argument 3 "other" with default value """" is not named after a parameter',
  );
  assertThrows(
    () => api.Use((ctx, id = 0) => id > 0 ? ctx.Next() : undefined),
    fw.FrameworkError,
    'Cannot route "middleware of /": argument 2 "id" with default value "0" receives nothing',
  );
  api.Get("/missing", (_ctx, users = mvc.Inject(Users)) => users.names);
  const message = assertThrows(() => app.Build(), fw.FrameworkError).message;
  assertStringIncludes(message, 'Cannot serve "GET /missing"');
  assertStringIncludes(message, 'needs the dependency "Users", which is not registered');
  const built = quietApp();
  built.Build();
  assertThrows(
    () => built.ConfigureContainer().Register(new Users()),
    fw.FrameworkError,
    "the application has already been built",
  );
});

bothWays(
  "APIContainer.Get() binds arguments with literal default values to path parameters",
  () => {
    const app = quietApp();
    const api = app.Party("/shelves/{shelf}").ConfigureContainer();
    api.Register(new Users());
    api.Get("/int/{id:int}", (_ctx, id = 0) => ({ id }));
    api.Get("/long/{id:long}", (_ctx, id = 0n) => ({ type: typeof id }));
    api.Get("/bool/{on:bool}", (_ctx, on = false) => ({ on }));
    api.Get("/rest/{file:path}", (_ctx, file = "") => ({ file }));
    api.Get("/swapped/{a:int}/{name}", (_ctx, name = "", a = 0) => ({ name, a }));
    api.Get("/own/{id:int}", (_ctx, users = mvc.Inject(Users), shelf = "", id = 0) => ({
      shelf,
      name: users.names[id],
    }));
    return app;
  },
  async (ask) => {
    for (
      const [path, body] of [
        ["int/5", '{"id":5}'],
        ["long/5", '{"type":"bigint"}'],
        ["bool/true", '{"on":true}'],
        ["rest/a%20b/c", '{"file":"a b/c"}'],
        ["swapped/7/x", '{"name":"x","a":7}'],
        ["own/1", '{"shelf":"tea","name":"Bob"}'],
      ] as const
    ) {
      const response = await ask(`/shelves/tea/${path}`);
      assertEquals([response.status, response.text], [200, body], path);
    }
    const refused = await ask("/shelves/tea/int/x");
    assertEquals([refused.status, refused.text], [404, "Not Found"]);
  },
);

Deno.test("APIContainer.Get() keeps the name of the handler", async () => {
  const app = quietApp();
  app.ConfigureContainer().Get("/teas", function listTeas() {
    return ["Assam"];
  });
  const { Chain } = await app.Explain("GET", "/teas");
  assertEquals(Chain.map(({ Name }) => Name), ["listTeas"]);
});

Deno.test("APIContainer has every method of a party", async () => {
  const app = quietApp();
  const api = app.ConfigureContainer();
  const verbs = ["Get", "Post", "Put", "Delete", "Patch", "Options", "Head", "Connect", "Trace"] as const;
  for (const verb of verbs) {
    const route = api[verb]("/one", (ctx) => ctx.WriteString(ctx.Method()));
    assertEquals([route.Method, route.Path], [verb.toUpperCase(), "/one"]);
  }
  assertEquals(api.Any("/any", () => "any").length, 9);
  assertEquals((await ask(app, "/one", "PATCH")).body, "PATCH");
  assertEquals((await ask(app, "/any", "DELETE")).body, "any");
});

Deno.test("APIContainer.Get() does not run a handler after its guard has stopped the request", async () => {
  const log: string[] = [];
  for (const isAsync of [false, true]) {
    const guard = (ctx: fw.Context): string | Promise<string> => {
      ctx.StopWithText(403, "no");
      return isAsync ? Promise.resolve("") : "";
    };
    const use = mvc.Inject;
    const app = quietApp();
    const api = app.ConfigureContainer().Register(guard);
    api.Get("/plain", (_ctx, _user = mvc.Inject(guard)) => void log.push("ran"));
    api.Get("/other", (_ctx, _user = use(guard)) => void log.push("ran"));
    api.Get("/async", async (_ctx, _user = use(guard)) => {
      log.push("ran");
      await Promise.resolve();
    });
    for (const path of ["/plain", "/other", "/async"]) {
      assertEquals(await ask(app, path), { status: 403, type: "text/plain;charset=UTF-8", body: "no" });
    }
  }
  assertEquals(log, []);
});
