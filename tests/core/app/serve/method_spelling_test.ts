import { assertEquals, assertMatch } from "@std/assert";
import * as fw from "../../../../mod.ts";
import * as apps from "../../../../src/hosts/apps/mod.ts";
import * as csrf from "../../../../src/middleware/csrf/mod.ts";
import * as methodoverride from "../../../../src/middleware/methodoverride/mod.ts";
import { raw } from "../../../hosts/proxy/upstream.ts";

/** The methods that the platform normalizes, in spellings that only a client of its own can send. */
const spellings = ["delete", "Delete", "dELETE", "get", "Get", "head", "options", "post", "pOST", "put"];
/** Methods that depend on the case. */
const others = ["patch", "Patch", "trace", "connec", "x-delete"];

/** Sends a request with any method and returns the response. */
function ask(origin: string, method: string, path = "/in/x", headers = ""): Promise<string> {
  return raw(
    origin,
    `${method} ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n${headers}content-length: 0\r\n\r\n`,
  );
}

/** Serves an application and returns the methods that its observers have seen. */
async function serving(
  register: (app: fw.Application, note: (method: string) => void) => void | Promise<void>,
  run: (origin: string, seen: string[]) => Promise<void>,
): Promise<void> {
  const seen: string[] = [];
  const app = fw.New();
  app.Logger().SetOutput(() => {});
  await register(app, (method) => void seen.push(method));
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, app.fetch);
  try {
    await run(`http://127.0.0.1:${server.addr.port}`, seen);
  } finally {
    await server.shutdown();
  }
}

/** The observers of a method: everything that could be a guard. */
const guards: Readonly<Record<string, (app: fw.Application, note: (method: string) => void) => void>> = {
  "WrapRouter": (app, note) =>
    void app.WrapRouter((request, next) => {
      note(request.method);
      return next(request);
    }),
  "two wrappers": (app, note) => {
    app.WrapRouter((request, next) => next(request, { Method: request.method }));
    app.WrapRouter((request, next) => {
      note(request.method);
      return next(request);
    });
  },
  "UseRouter": (app, note) =>
    app.UseRouter((ctx) => {
      note(ctx.Method());
      return ctx.Next();
    }),
  "Use": (app, note) =>
    app.Use((ctx) => {
      note(ctx.Method());
      return ctx.Next();
    }),
  "ctx.Request()": (app, note) =>
    app.Use((ctx) => {
      note(ctx.Request().method);
      return ctx.Next();
    }),
};

/** The ways to an inner handler. Each notes the method that it receives. */
const inner: Readonly<Record<string, (app: fw.Application, note: (method: string) => void) => void>> = {
  "a route": (app, note) => app.Any("/in/{rest:path}", (ctx) => note(ctx.Method())),
  "Mount": (app, note) =>
    void app.Mount("/in", (request) => {
      note(request.method);
      return new Response("in");
    }),
  "Mount of an application": (app, note) => {
    const other = fw.New();
    other.Any("/{rest:path}", (ctx) => note(ctx.Method()));
    app.Mount("/in", other.fetch);
  },
  "FromFetch": (app, note) =>
    app.Any(
      "/in/{rest:path}",
      fw.FromFetch((request) => {
        note(request.method);
        return new Response("in");
      }),
    ),
  "Switch": (app, note) => {
    const other = fw.New();
    other.Any("/in/{rest:path}", (ctx) => note(ctx.Method()));
    app.Any("/in/{rest:path}", fw.FromFetch(apps.Switch([{ Pattern: /./, Target: other }]).fetch));
  },
};

for (const [guard, observe] of Object.entries(guards)) {
  for (const [way, register] of Object.entries(inner)) {
    Deno.test(`Application.fetch decides the spelling of a method before ${guard}, for ${way}`, async () => {
      for (const method of [...spellings, ...others]) {
        const isKnown = spellings.includes(method);
        await serving((app, note) => {
          observe(app, note);
          register(app, note);
        }, async (origin, seen) => {
          await ask(origin, method);
          const expected = isKnown ? method.toUpperCase() : method;
          // An unknown method may not reach the inner handler, but no observer sees another spelling.
          assertEquals([...new Set(seen)].filter((each) => each !== expected), [], method);
          if (isKnown) assertEquals(seen.length, 2, method);
        });
      }
    });
  }
}

Deno.test("Proxy forwards the method that its guards have seen", async () => {
  const received: string[] = [];
  const upstream = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    received.push(request.method);
    return new Response("in");
  });
  const { port } = upstream.addr;
  await serving((app, note) => {
    app.Use((ctx) => {
      note(ctx.Method());
      return ctx.Next();
    });
    app.Party("/in").Any("/{rest:path}", fw.Proxy(`http://127.0.0.1:${port}`));
  }, async (origin, seen) => {
    for (const method of spellings) await ask(origin, method);
    assertEquals(seen, spellings.map((method) => method.toUpperCase()));
    assertEquals(received, seen);
  });
  await upstream.shutdown();
});

Deno.test("Application.fetch serves a respelled method like the method, with routes, guards and wrappers", async () => {
  await serving((app) => {
    app.WrapRouter(methodoverride.New());
    app.Delete("/in/{rest:path}", (ctx) => ctx.WriteString("deleted"));
    app.Get("/in/{rest:path}", (ctx) => ctx.WriteString("read"));
    app.Party("/form", csrf.New()).Post("/", (ctx) => ctx.WriteString("posted"));
  }, async (origin) => {
    assertMatch(await ask(origin, "delete"), /^HTTP\/1\.1 200 [^]*deleted$/);
    assertMatch(await ask(origin, "get"), /read$/);
    assertMatch(await ask(origin, "options"), /^HTTP\/1\.1 204 /);
    assertMatch(await ask(origin, "patch"), /^HTTP\/1\.1 405 /);
    assertMatch(await ask(origin, "post", "/in/x", "x-http-method-override: delete\r\n"), /deleted$/);
    assertMatch(
      await ask(origin, "post", "/form", "origin: http://evil.example\r\nsec-fetch-site: cross-site\r\n"),
      /^HTTP\/1\.1 403 /,
    );
    // To other parties, `head` is an unknown method, whose response ends with its body.
    assertMatch(await ask(origin, "head"), /^HTTP\/1\.1 200 [^]*content-length: 0\r\n[^]*\r\n\r\n$/);
  });
});
