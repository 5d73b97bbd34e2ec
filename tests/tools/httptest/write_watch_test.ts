import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import * as mcp from "@fw/web/mcp";
import * as auth from "@fw/web/middleware/auth";
import * as basicauth from "@fw/web/middleware/basicauth";
import * as jwt from "@fw/web/middleware/jwt";
import * as mvc from "@fw/web/mvc";
import * as policy from "@fw/web/policy";
import { z } from "npm:zod@^4";

class NotePolicy {
  write(user: fw.User) {
    return user.ID === "ada";
  }

  async erase(user: fw.User) {
    await new Promise((resolve) => setTimeout(resolve));
    return user.ID === "ada";
  }
}

const ada: fw.User = { ID: "ada", Name: "Ada", Roles: ["admin"], Method: "test" };
const bob: fw.User = { ...ada, ID: "bob" };
function basic(): fw.Handler {
  return basicauth.New({ Users: [{ Name: "ada", Password: "tea", Roles: ["admin"] }] });
}

function done(ctx: fw.Context): void {
  ctx.WriteString("done");
}

function newApp(): fw.Application {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  return app;
}

/** Sends a write with the credentials of Ada, and returns the error message or the status. */
async function write(app: fw.Application, path = "/notes", method: "POST" | "PUT" | "PATCH" | "DELETE" = "POST") {
  const call = httptest.New(app).Request(method, path).WithBasicAuth("ada", "tea");
  try {
    return (await call).Status;
  } catch (error) {
    return (error as Error).message;
  }
}

for (const method of ["POST", "PUT", "PATCH", "DELETE"] as const) {
  Deno.test(`httptest fails a ${method} request that succeeds without a guard or a policy, with the route's name`, async () => {
    const app = newApp();
    app.Handle(method, "/notes/{id:int}", done).SetName("note");
    const message = await write(app, "/notes/7", method);
    assertStringIncludes(String(message), `"note" (${method} /notes/{id:int}) succeeded, but neither a guard nor`);
  });
}

Deno.test("httptest recognizes the guards of an application in development", async () => {
  const app = newApp().Configure(fw.WithDevelopment, fw.WithoutStartupLog);
  app.Post("/notes", policy.Anyone, done);
  app.Post("/open", done);
  assertEquals(await write(app), 200);
  assertStringIncludes(String(await write(app, "/open")), "neither a guard nor a policy was asked");
});

Deno.test("httptest fails a write that redirects without a guard or a policy, also with expectations", async () => {
  const app = newApp();
  app.Post("/notes", (ctx) => ctx.Redirect("/", 303));
  const test = httptest.New(app);
  await assertRejects(async () => await test.POST("/notes").Expect().Status(303), Error, '"POST /notes" succeeded');
  await test.WithUnguardedWrites().POST("/notes").Expect().Status(303);
});

Deno.test("httptest accepts reads, failed writes and requests without a route", async () => {
  const app = newApp();
  app.Get("/notes", done);
  app.Post("/notes", (ctx) => ctx.StopWithStatus(422));
  const test = httptest.New(app);
  await test.GET("/notes").Expect().Status(200);
  await test.POST("/notes").Expect().Status(422);
  await test.POST("/nowhere").Expect().Status(404);
});

const guards: Readonly<Record<string, (app: fw.Application) => void>> = {
  "policy.Check": (app) =>
    app.Post("/notes", (ctx) => {
      policy.Check(ada, NotePolicy, "write");
      done(ctx);
    }),
  "policy.Check of an asynchronous policy, after other work": (app) =>
    app.Post("/notes", async (ctx) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      await policy.Check(ada, NotePolicy, "erase");
      done(ctx);
    }),
  "policy.Check in a controller": (app) => {
    class Notes {
      Post(body = mvc.Body(z.object({}).optional())) {
        policy.Check(ada, NotePolicy, "write");
        return { body };
      }
    }
    mvc.New(app.Party("/notes")).Handle(Notes);
  },
  "policy.Require": (app) => void app.Post("/notes", basic(), policy.Require(NotePolicy, "write"), done),
  "policy.Anyone": (app) => void app.Post("/notes", policy.Anyone, done),
  "policy.Guard": (app) => void app.Post("/notes", policy.Guard((ctx: fw.Context) => ctx.Next()), done),
  "an injected guard": (app) =>
    app.Party("/notes").ConfigureContainer((api) => {
      class Gate {
        isOpen = true;
      }
      api.Register(new Gate());
      const guard = policy.Guard((ctx: fw.Context, gate = mvc.Inject(Gate)) => gate.isOpen ? ctx.Next() : undefined);
      api.Use(guard);
      api.Post("/", () => "done");
    }),
  "basicauth": (app) => void app.Party("/notes", basic()).Post("/", done),
  "auth.Allow": (app) => {
    app.Use((ctx) => {
      ctx.SetUser(ada);
      return ctx.Next();
    });
    app.Post("/notes", auth.Allow("admin"), done);
  },
  "a guard of the router": (app) => {
    app.UseRouter(basic());
    app.Post("/notes", done);
  },
  "a guard around a mounted application": (app) => {
    const inner = newApp();
    inner.Post("/", done);
    app.Party("/notes", basic()).Mount("/", inner.fetch);
  },
  "a guard inside a mounted application": (app) => {
    const inner = newApp();
    inner.Post("/", basic(), done);
    app.Mount("/notes", inner.fetch);
  },
};

for (const [name, add] of Object.entries(guards)) {
  Deno.test(`httptest accepts a write behind ${name}`, async () => {
    const app = newApp();
    add(app);
    assertEquals(await write(app), 200);
  });
}

Deno.test("httptest fails a write behind middleware that only identifies the user", async () => {
  const app = newApp();
  app.Use(jwt.New({ Algorithms: ["HS256"], Key: "at least 32 bytes that nobody can guess", Optional: true }));
  app.Post("/notes", done);
  const { fetch } = app;
  const response = httptest.New({ fetch }).POST("/notes");
  await assertRejects(async () => await response, Error, '"POST /notes" succeeded');
});

Deno.test("httptest fails a write whose guard is behind the handler that responded", async () => {
  const app = newApp();
  app.Use((ctx) => ctx.Method() === "POST" ? done(ctx) : ctx.Next());
  app.Post("/notes", basic(), done);
  assertStringIncludes(String(await write(app)), '"POST /notes" succeeded, but neither');
});

Deno.test("httptest fails a write that succeeds although a policy refused, because nothing awaited it", async () => {
  policy.Logger().SetLevel("disable");
  const app = newApp();
  app.Post("/notes", async (ctx) => {
    policy.Check(bob, NotePolicy, "erase").catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 5));
    done(ctx);
  });
  const message = await write(app);
  policy.Logger().SetLevel("info");
  assertStringIncludes(String(message), "succeeded although NotePolicy.erase refused it: await policy.Check");
});

Deno.test("httptest does not confuse the policies of concurrent requests", async () => {
  const app = newApp();
  app.Post("/asks", async (ctx) => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    policy.Check(ada, NotePolicy, "write");
    done(ctx);
  });
  app.Post("/notes", async (ctx) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    done(ctx);
  });
  const [first, second] = await Promise.all([write(app, "/asks"), write(app)]);
  assertEquals(first, 200);
  assertStringIncludes(String(second), '"POST /notes" succeeded');
});

Deno.test("httptest requires guards of the routes that tools call, but not of the messages of agents", async () => {
  const app = newApp();
  app.Post("/notes", done).SetName("add_note");
  app.Post("/open", policy.Anyone, done).SetName("add_open");
  mcp.New(app, { Name: "notes", Routes: ({ Method }) => Method === "POST", Sessions: false });
  const test = httptest.New(app);
  const send = (method: string, params: object = {}) =>
    test.POST("/mcp").WithHeader("accept", "application/json").WithJSON({ jsonrpc: "2.0", id: 1, method, params });
  assertEquals((await send("tools/list")).Status, 200);
  assertEquals((await send("tools/call", { name: "add_open", arguments: {} })).Status, 200);
  const error = await assertRejects(async () => await send("tools/call", { name: "add_note", arguments: {} }), Error);
  assertStringIncludes(error.message, '"add_note" (POST /notes) succeeded');
});
