import type * as fw from "@fw/web";
import * as keys from "@fw/web/keys";
import * as basicauth from "@fw/web/middleware/basicauth";
import * as cache from "@fw/web/middleware/cache";
import * as compress from "@fw/web/middleware/compress";
import * as cors from "@fw/web/middleware/cors";
import * as csrf from "@fw/web/middleware/csrf";
import * as etag from "@fw/web/middleware/etag";
import * as ipfilter from "@fw/web/middleware/ipfilter";
import * as ratelimit from "@fw/web/middleware/ratelimit";
import * as requestid from "@fw/web/middleware/requestid";
import * as secure from "@fw/web/middleware/secure";
import * as sessions from "@fw/web/sessions";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { askInProcess, bothWays, quiet, type Received } from "../../serving.ts";

const ring = keys.New("a secret of the test that has more than 32 bytes");

/** Middleware that sets something specific to each client, and the header that contains it. */
const personal: [what: string, header: string, create: () => fw.Handler][] = [
  ["requestid", "x-request-id", () => requestid.New()],
  ["requestid with a header of its own", "x-trace", () => requestid.New({ Header: "X-Trace" })],
  ["ratelimit", "ratelimit", () => ratelimit.New({ Limit: 100, Period: 3_600_000 })],
  ["secure with a nonce", "content-security-policy", () => secure.New({ Nonce: true })],
  ["a cookie before", "set-cookie", () => (ctx) => {
    ctx.SetCookie("who", crypto.randomUUID());
    return ctx.Next();
  }],
  ["a cookie after", "set-cookie", () => async (ctx) => {
    await ctx.Next();
    ctx.SetCookie("who", crypto.randomUUID());
  }],
  ["a cookie at the end", "set-cookie", () => (ctx) => {
    ctx.Recorder().OnSend(() => ctx.SetCookie("who", crypto.randomUUID()));
    return ctx.Next();
  }],
  ["a session", "set-cookie", () => {
    const manager = sessions.New();
    return async (ctx) => {
      (await manager.Start(ctx)).Set("visitor", crypto.randomUUID());
      await ctx.Next();
    };
  }],
  ["Server-Timing", "server-timing", () => async (ctx) => {
    await ctx.Next();
    ctx.Header("server-timing", `app;dur=${Math.random()}`);
  }],
];

/** Custom middleware around a cache. */
const outer: [what: string, create: () => fw.Handler][] = [
  ["before the handlers", () => (ctx) => {
    ctx.Header("x-own", crypto.randomUUID());
    return ctx.Next();
  }],
  ["after the handlers", () => async (ctx) => {
    await ctx.Next();
    ctx.Header("x-own", crypto.randomUUID());
  }],
  ["at the end, registered before", () => (ctx) => {
    ctx.Recorder().OnSend(() => ctx.Header("x-own", crypto.randomUUID()));
    return ctx.Next();
  }],
  ["at the end, registered after", () => async (ctx) => {
    await ctx.Next();
    ctx.Recorder().OnSend(() => ctx.Header("x-own", crypto.randomUUID()));
  }],
  ["before, in place of what the handler says later", () => async (ctx) => {
    ctx.Header("x-page", "outer");
    ctx.AddHeader("x-own", crypto.randomUUID());
    await ctx.Next();
  }],
];

function page(ctx: fw.Context): void {
  ctx.Header("x-page", "1");
  ctx.HTML("<p>page</p>");
}

function stored(): fw.Handler {
  return cache.New({ MaxAge: 60_000 });
}

async function twice(app: fw.Application, headers: Record<string, string> = {}): Promise<[Received, Received]> {
  return [await askInProcess(app, "/", { headers }), await askInProcess(app, "/", { headers })];
}

for (const [what, header, create] of personal) {
  for (const order of ["around", "behind"]) {
    Deno.test(`cache.New() does not serve headers that ${what} ${order} it set for another client`, async () => {
      const app = quiet();
      for (const handler of order === "around" ? [create(), stored()] : [stored(), create()]) app.UseRouter(handler);
      app.Get("/", page);
      const [first, second] = await twice(app);
      assertEquals([first.status, second.status, second.text], [200, 200, "<p>page</p>"]);
      const values = [first.headers.get(header), second.headers.get(header)];
      assertNotEquals(values[0], null);
      assert(values[1] === null || values[1] !== values[0], `${values}`);
      if (order === "around") assertNotEquals(values[1], null, "the middleware still does its work");
    });
  }
}

for (const [when, create] of outer) {
  Deno.test(`cache.New() stores no header that middleware around it sets ${when}`, async () => {
    const app = quiet();
    app.Use(create(), stored());
    app.Get("/", page);
    const [first, second] = await twice(app);
    assertEquals(second.headers.get("cache-status")?.startsWith("fw; hit"), true);
    assertEquals(second.headers.get("x-page"), "1");
    assertNotEquals(first.headers.get("x-own"), second.headers.get("x-own"));
    assertEquals(second.headers.get("x-own")?.includes(","), false);
  });
}

const bodies: [what: string, handlers: () => fw.Handler[]][] = [
  ["writes before the cache", () => [(ctx) => {
    ctx.WriteString(`for ${crypto.randomUUID()}: `);
    return ctx.Next();
  }, stored()]],
  ["writes after the cache", () => [async (ctx) => {
    await ctx.Next();
    ctx.WriteString(`for ${crypto.randomUUID()}`);
  }, stored()]],
  ["replaces the body at the end, registered after", () => [async (ctx) => {
    await ctx.Next();
    ctx.Recorder().OnSend((recorder) => recorder.SetBody(`for ${crypto.randomUUID()}`));
  }, stored()]],
  ["replaces the body at the end, registered before", () => [(ctx) => {
    ctx.Recorder().OnSend((recorder) => recorder.SetBody(`for ${crypto.randomUUID()}`));
    return ctx.Next();
  }, stored()]],
  ["changes bytes in place", () => [(ctx) => {
    ctx.Recorder().OnSend((recorder) => {
      const bytes = recorder.Body();
      if (bytes !== null) crypto.getRandomValues(bytes);
      recorder.SetBody(bytes ?? "");
    });
    return ctx.Next();
  }, stored()]],
];
for (const [what, handlers] of bodies) {
  Deno.test(`cache.New() does not store a body that outer middleware ${what}`, async () => {
    const app = quiet();
    app.Use(...handlers());
    app.Get("/", (ctx) => {
      ctx.Write(new TextEncoder().encode("a page of more than sixteen bytes"));
    });
    const [first, second] = await twice(app);
    assertEquals([first.status, second.status], [200, 200]);
    assertNotEquals(first.text, second.text);
    assert((second.text.match(/for /g)?.length ?? 0) <= 1, second.text);
  });
}

const bound: [what: string, handlers: () => fw.Handler[]][] = [
  ["the nonce of a policy around it", () => [secure.New({ Nonce: true }), stored(), (ctx) => {
    ctx.HTML(`<script nonce="${secure.Nonce(ctx)}"></script>`);
  }]],
  ["the nonce of a policy behind it", () => [stored(), secure.New({ Nonce: true }), (ctx) => {
    ctx.HTML(`<script nonce="${secure.Nonce(ctx)}"></script>`);
  }]],
  ["a request id", () => [requestid.New(), stored(), (ctx) => ctx.JSON({ id: ctx.GetID() })]],
  ["a CSRF token", () => [csrf.New({ Keys: ring }), stored(), (ctx) => {
    ctx.Header("cache-control", "public");
    ctx.HTML(csrf.Field(ctx));
  }]],
  ["a session", () => {
    const manager = sessions.New();
    return [stored(), async (ctx) => {
      const session = await manager.Start(ctx);
      session.Set("visitor", crypto.randomUUID());
      ctx.WriteString(session.GetString("visitor"));
    }];
  }],
  [
    "the user that a guard around it found",
    () => [byKey, stored(), (ctx) => ctx.WriteString(`hello ${ctx.User()?.ID}`)],
  ],
  [
    "the user that a guard behind it found",
    () => [stored(), byKey, (ctx) => ctx.WriteString(`hello ${ctx.User()?.ID}`)],
  ],
];
function byKey(ctx: fw.Context): ReturnType<fw.Handler> {
  ctx.SetUser({ ID: ctx.GetHeader("x-api-key") || crypto.randomUUID(), Name: "", Roles: [], Method: "key" });
  return ctx.Next();
}

for (const [what, handlers] of bound) {
  Deno.test(`cache.New() does not serve a page that contains ${what} of another client`, async () => {
    const app = quiet();
    app.Get("/", ...handlers());
    const [first, second] = await twice(app);
    assertEquals([first.status, second.status], [200, 200]);
    assertNotEquals(first.text, second.text);
  });
}

bothWays("cache.New() does not store the headers of outer CORS middleware", () => {
  let runs = 0;
  const app = quiet();
  app.UseRouter(cors.New({ Origins: ["https://a.example", "https://b.example"] }), stored());
  app.Get("/", (ctx) => {
    ctx.AddHeader("vary", "Accept-Language");
    ctx.WriteString(`run ${++runs}`);
  });
  return app;
}, async (ask) => {
  for (const origin of ["https://a.example", "https://b.example", "https://a.example", "https://evil.example"]) {
    const { headers } = await ask("/", { headers: { origin } });
    const allowed = origin.includes("evil") ? null : origin;
    assertEquals(headers.get("access-control-allow-origin"), allowed);
    const vary = headers.get("vary")?.toLowerCase().split(/,\s*/).sort();
    assertEquals(vary, ["accept-language", "origin"]);
  }
});

Deno.test("cache.New() between compress.New() and etag.New() serves each client its own coding, and 304", async () => {
  let runs = 0;
  const app = quiet();
  app.Use(compress.New(), stored(), etag.New());
  app.Get("/", (ctx) => ctx.WriteString(`run ${++runs} ${"text ".repeat(500)}`));
  const plain = await askInProcess(app, "/");
  const packed = await askInProcess(app, "/", { headers: { "accept-encoding": "gzip" } });
  assertEquals([plain.headers.get("content-encoding"), packed.headers.get("content-encoding")], [null, "gzip"]);
  assertEquals(runs, 1);
  const tag = packed.headers.get("etag") ?? "";
  const known = await askInProcess(app, "/", { headers: { "if-none-match": tag } });
  assertEquals([known.status, known.text, runs], [304, "", 1]);
  const head = await askInProcess(app, "/", { method: "HEAD" });
  assertEquals([head.status, head.text, runs], [200, "", 1]);
});

Deno.test("cache.New() around compress.New() stores one variant per coding", async () => {
  let runs = 0;
  const app = quiet();
  app.Use(stored(), compress.New());
  app.Get("/", (ctx) => ctx.WriteString(`run ${++runs} ${"text ".repeat(500)}`));
  for (let visit = 0; visit < 2; visit++) {
    assertEquals((await askInProcess(app, "/")).text.slice(0, 5), "run 1");
    const packed = await askInProcess(app, "/", { headers: { "accept-encoding": "gzip" } });
    assertEquals(packed.headers.get("content-encoding"), "gzip");
  }
  assertEquals(runs, 2);
});

Deno.test("cache.New() renders error pages in the format that each client accepts", async () => {
  let runs = 0;
  const app = quiet();
  app.Use(stored());
  app.Get("/", (ctx) => {
    runs++;
    ctx.NotFound();
  });
  const text = await askInProcess(app, "/");
  const json = await askInProcess(app, "/", { headers: { accept: "application/json" } });
  assertEquals([text.status, json.status, runs], [404, 404, 1]);
  assertEquals([text.text, JSON.parse(json.text).status], ["Not Found", 404]);
});

Deno.test("cache.New() also removes on a hit the outer headers that a handler removed", async () => {
  const app = quiet();
  app.Use(secure.New(), stored());
  app.Get("/", (ctx) => {
    ctx.Header("x-frame-options", "");
    ctx.WriteString("embed me");
  });
  for (const { headers } of await twice(app)) {
    assertEquals([headers.get("x-frame-options"), headers.get("x-content-type-options")], [null, "nosniff"]);
  }
});

Deno.test("cache.New() omits the headers in Omit", async () => {
  let runs = 0;
  const app = quiet();
  app.Use(cache.New({ MaxAge: 60_000, Omit: ["X-My-ID"] }));
  app.Get("/", (ctx) => {
    ctx.Header("x-my-id", String(++runs));
    ctx.WriteString("page");
  });
  const [first, second] = await twice(app);
  assertEquals([first.headers.get("x-my-id"), second.headers.get("x-my-id"), second.text], ["1", null, "page"]);
});

Deno.test("cache.New() stores nothing that middleware around it declares private", async () => {
  for (const value of ["no-store", "private", "private, max-age=60"]) {
    let runs = 0;
    const app = quiet();
    app.Use(async (ctx) => {
      await ctx.Next();
      ctx.Header("cache-control", value);
    }, stored());
    app.Get("/", (ctx) => ctx.WriteString(`run ${++runs}`));
    await twice(app);
    assertEquals(runs, 2, value);
  }
});

Deno.test("cache.New() does not serve requests that an outer guard rejects", async () => {
  const app = quiet();
  app.Get("/", basicauth.New({ Users: [{ Name: "ada", Password: "engine" }] }), stored(), (ctx) => {
    ctx.Header("cache-control", "public");
    ctx.WriteString("inside");
  });
  const headers = { authorization: `Basic ${btoa("ada:engine")}` };
  assertEquals((await askInProcess(app, "/", { headers })).text, "inside");
  assertEquals((await askInProcess(app, "/")).status, 401);
  const local = quiet();
  local.Get("/", ipfilter.New({ Deny: ["192.0.2.0/24"] }), stored(), (ctx) => ctx.WriteString("inside"));
  assertEquals((await askInProcess(local, "/")).text, "inside");
  const stranger = { remoteAddr: { transport: "tcp", hostname: "192.0.2.1", port: 5 } } as const;
  assertEquals((await local.fetch(new Request("http://localhost/"), stranger)).status, 403);
});

Deno.test("cache.New() does not store what OnRefuse of a guard has written", async () => {
  const app = quiet();
  app.Use(cache.New({ MaxAge: 60_000 }));
  const party = app.Party("/", ipfilter.New({ Deny: ["192.0.2.1"], OnRefuse: (ctx) => ctx.NotFound() }));
  party.Get("/page", (ctx) => ctx.WriteString("page"));
  const OnRefuse = (ctx: fw.Context) => {
    ctx.StatusCode(200);
    ctx.WriteString("slow down");
  };
  app.Get("/limited", ratelimit.New({ Limit: 1, Period: 3_600_000, OnRefuse }), (ctx) => {
    ctx.Header("cache-control", "no-store");
    ctx.WriteString("page");
  });
  const ask = async (path: string, hostname: string) => {
    const remoteAddr: Deno.NetAddr = { transport: "tcp", hostname, port: 1 };
    return await (await app.fetch(new Request(`http://localhost${path}`), { remoteAddr })).text();
  };
  assertEquals(await ask("/page", "192.0.2.1"), "Not Found");
  assertEquals(await ask("/page", "192.0.2.2"), "page");
  const seen = [];
  for (const last of [1, 1, 2]) seen.push(await ask("/limited", `192.0.2.${last}`));
  assertEquals(seen, ["page", "slow down", "page"]);
});
