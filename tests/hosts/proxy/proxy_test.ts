import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as auth from "../../../src/middleware/auth.ts";
import { behindProxy, raw, report, type Reported } from "./upstream.ts";

const paths: [request: string, upstream: string][] = [
  ["/api", "/v1"],
  ["/api/users/7?a=1&b=%2F", "/v1/users/7?a=1&b=%2F"],
  ["/api/a%2Fb/c%20d", "/v1/a/b/c%20d"],
  ["/users/5/posts/a%2Fb", "/v1/posts/a%2Fb"],
  ["/api//users", "/v1/users"],
  ["/api/evil.example", "/v1/evil.example"],
  ["/api/..", "/own"],
  ["/whole/users", "/v1/whole/users"],
  ["/root", "/root"],
  ["/users/5/posts/7", "/v1/posts/7"],
];

Deno.test("Proxy() replaces the prefix of the party by the path of the URL", async () => {
  await behindProxy(report, (app, upstream) => {
    app.Get("/", (ctx) => ctx.JSON({ url: "/own" }));
    app.Party("/api").Any("/{path:path}", fw.Proxy(`${upstream}/v1/`));
    app.Party("/api").Any("/", fw.Proxy(`${upstream}/v1`));
    app.Any("/whole/{path:path}", fw.Proxy(`${upstream}/v1`));
    app.Party("/users/{id:int}").Any("/posts/{post}", fw.Proxy(`${upstream}/v1`));
    app.Get("/root", fw.Proxy(upstream));
  }, async (origin) => {
    for (const [path, url] of paths) {
      const reported: Reported = await (await fetch(origin + path)).json();
      assertEquals(reported.url, url, path);
    }
  });
});

const spellings = [
  "/api/x%2f..%2fadmin",
  "/api/x%5c..%5Cadmin",
  "/api/..;/admin",
  "/api/x/%2e%2e;a=b/admin",
  "/api/a%00b",
  "/api/x\\..\\admin",
  "/api/%2e%2e/admin",
  "/api//admin",
  "/api/admin%2fx",
  "/api/item/..%2fadmin",
  "/api/item/..%5cadmin",
  "/api/item/%2e%2e",
];

Deno.test("Proxy() never requests another path than the guards have seen", async () => {
  await behindProxy(report, (app, upstream) => {
    const Headers = (headers: Headers, ctx: fw.Context) => headers.set("x-path", ctx.Path());
    const api = app.Party("/api");
    for (const path of ["/{path:path}", "/item/{id}"]) api.Any(path, fw.Proxy(upstream, { Headers }));
  }, async (origin) => {
    for (const path of spellings) {
      const received = await raw(origin, `GET ${path} HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n`);
      if (/^HTTP\/1.1 (?:40[04]|30[178])/.test(received)) continue;
      const { url, headers }: Reported = JSON.parse(received.slice(received.indexOf("{")));
      assertEquals(`/api${url}`, headers["x-path"], path);
    }
  });
});

Deno.test("Proxy() passes on methods, headers and bodies, and sets the forwarding headers", async () => {
  await behindProxy(report, (app, upstream) => {
    app.Party("/api").Any("/{path:path}", fw.Proxy(upstream, { Headers: (headers) => headers.set("x-user", "ada") }));
  }, async (origin) => {
    const body = "a=1".repeat(100_000);
    const response = await fetch(`${origin}/api/x`, {
      method: "PUT",
      body,
      headers: {
        cookie: "a=1; b=2",
        authorization: "Bearer t",
        "x-user": "forged",
        "x-forwarded-for": "6.6.6.6",
        "x_forwarded_for": "6.6.6.6",
        "x-forwarded-host": "evil.example",
        forwarded: "for=6.6.6.6",
        "x-real-ip": "6.6.6.6",
        "x-original-url": "/admin",
        proxy: "http://evil.example",
        "proxy-authorization": "Basic x",
        te: "trailers",
        connection: "x-secret, keep-alive",
        "x-secret": "1",
        "accept-encoding": "gzip",
      },
    });
    const { method, headers, body: received }: Reported = await response.json();
    assertEquals([method, received.length], ["PUT", body.length]);
    const host = new URL(origin).host;
    const expected = {
      cookie: "a=1; b=2",
      authorization: "Bearer t",
      "x-user": "ada",
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-host": host,
      "x-forwarded-proto": "http",
      "x-forwarded-prefix": "/api",
      "accept-encoding": "identity",
      "transfer-encoding": "chunked",
    };
    for (const [name, value] of Object.entries(expected)) assertEquals(headers[name], value, name);
    const removed = [
      "x_forwarded_for",
      "forwarded",
      "x-real-ip",
      "x-original-url",
      "proxy",
      "proxy-authorization",
      "te",
    ];
    for (const name of [...removed, "x-secret", "connection"]) assertEquals(headers[name], undefined, name);
    assertEquals(headers.host === host, false);

    const small: Reported = await (await fetch(`${origin}/api/x`, { method: "POST", body: "hi" })).json();
    assertEquals([small.body, small.headers["content-length"]], ["hi", "2"]);
    const none: Reported = await (await fetch(`${origin}/api/x`, { method: "DELETE" })).json();
    assertEquals([none.body, none.headers["transfer-encoding"]], ["", undefined]);
  });
});

Deno.test("Proxy() passes on the client that a trusted proxy reports", async () => {
  await behindProxy(report, (app, upstream) => {
    app.Configure(fw.WithProxy({ Trust: ["loopback"] }));
    app.Get("/{path:path}", fw.Proxy(upstream));
  }, async (origin) => {
    const headers = {
      "x-forwarded-for": "6.6.6.6, 203.0.113.7",
      "x-forwarded-proto": "https",
      "x-forwarded-host": "shop.example",
      "x-forwarded-prefix": "/shop",
    };
    const reported: Reported = await (await fetch(`${origin}/a`, { headers })).json();
    assertEquals(reported.headers["x-forwarded-for"], "203.0.113.7, 127.0.0.1");
    assertEquals(reported.headers["x-forwarded-proto"], "https");
    assertEquals(reported.headers["x-forwarded-host"], "shop.example");
    assertEquals(reported.headers["x-forwarded-prefix"], "/shop");
  });
});

Deno.test("Proxy() passes on status, cookies, ranges and the headers of HEAD, without those of the connection", async () => {
  await behindProxy(
    (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/none") return new Response(null, { status: 204 });
      if (pathname === "/same") return new Response(null, { status: 304, headers: { etag: '"a"' } });
      const headers = new Headers({ "x-a": "1", connection: "x-hop", "x-hop": "1", "keep-alive": "timeout=5" });
      headers.append("set-cookie", "a=1");
      headers.append("set-cookie", "b=2");
      if (request.headers.has("range")) headers.set("content-range", "bytes 0-1/5");
      return new Response("hello", { status: request.headers.has("range") ? 206 : 418, headers });
    },
    (app, upstream) => void app.Any("/{path:path}", fw.Proxy(upstream)),
    async (origin) => {
      const response = await fetch(`${origin}/x`);
      assertEquals([response.status, await response.text()], [418, "hello"]);
      assertEquals(response.headers.getSetCookie(), ["a=1", "b=2"]);
      assertEquals([response.headers.get("x-a"), response.headers.get("x-hop"), response.headers.get("keep-alive")], [
        "1",
        null,
        null,
      ]);
      const head = await fetch(`${origin}/x`, { method: "HEAD" });
      assertEquals([head.status, head.headers.get("content-length"), await head.text()], [418, "5", ""]);
      const part = await fetch(`${origin}/x`, { headers: { range: "bytes=0-1" } });
      assertEquals([part.status, part.headers.get("content-range")], [206, "bytes 0-1/5"]);
      await part.body?.cancel();
      assertEquals((await fetch(`${origin}/none`)).status, 204);
      assertEquals((await fetch(`${origin}/same`)).headers.get("etag"), '"a"');
    },
  );
});

Deno.test("Proxy() passes on a compressed response unchanged", async () => {
  const text = "hello ".repeat(1_000);
  await behindProxy(
    () => {
      const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
      return new Response(stream, { headers: { "content-encoding": "gzip", "content-type": "text/plain" } });
    },
    (app, upstream) => void app.Get("/", fw.Proxy(upstream)),
    async (origin) => {
      const response = await fetch(origin, { headers: { "accept-encoding": "gzip" } });
      assertEquals([response.headers.get("content-encoding"), await response.text()], ["gzip", text]);
    },
  );
});

const locations: [location: string, expected: string][] = [
  ["/v1/login?a=1#b", "/api/login?a=1#b"],
  ["UPSTREAM/v1/login", "/api/login"],
  ["UPSTREAM/v1", "/api"],
  ["/other", "/other"],
  ["/v10/x", "/v10/x"],
  ["https://elsewhere.example/v1/x", "https://elsewhere.example/v1/x"],
  ["next", "next"],
];

Deno.test("Proxy() rewrites redirects to the upstream server", async () => {
  await behindProxy((request) => {
    const url = new URL(request.url);
    const location = (url.searchParams.get("to") ?? "").replace("UPSTREAM", url.origin);
    return new Response(null, { status: 302, headers: { location } });
  }, (app, upstream) => {
    app.Party("/api").Any("/{path:path}", fw.Proxy(`${upstream}/v1`));
    app.Party("/kept").Any("/{path:path}", fw.Proxy(`${upstream}/v1`, { RewriteLocation: false }));
  }, async (origin) => {
    for (const [location, expected] of locations) {
      const to = new URLSearchParams({ to: location });
      const { headers, body } = await fetch(`${origin}/api/x?${to}`, { redirect: "manual" });
      assertEquals(headers.get("location"), expected);
      await body?.cancel();
    }
    const { headers, body } = await fetch(`${origin}/kept/x?to=/v1/login`, { redirect: "manual" });
    assertEquals(headers.get("location"), "/v1/login");
    await body?.cancel();
  });
});

Deno.test("Proxy() runs behind the guards of its party", async () => {
  let count = 0;
  await behindProxy(() => new Response(`served ${++count}`), (app, upstream) => {
    const party = app.Party("/api", (ctx) => {
      const ID = ctx.GetHeader("x-user");
      if (ID !== "") ctx.SetUser({ ID, Name: ID, Roles: [], Method: "header" });
      return ctx.Next();
    }, auth.Allow());
    party.Any("/{path:path}", fw.Proxy(upstream));
  }, async (origin) => {
    const refused = await fetch(`${origin}/api/x`, { method: "POST", body: "x" });
    assertEquals(refused.status, 401);
    await refused.body?.cancel();
    assertEquals(count, 0);
    assertEquals(await (await fetch(`${origin}/api/x`, { headers: { "x-user": "ada" } })).text(), "served 1");
  });
});

Deno.test("Proxy() responds with 502 and 504 without details, which are logged", async () => {
  const stop = Promise.withResolvers<Response>();
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const closed = `http://127.0.0.1:${(listener.addr as Deno.NetAddr).port}`;
  listener.close();
  await behindProxy(() => stop.promise, (app, upstream) => {
    app.Get("/closed", fw.Proxy(closed));
    app.Get("/slow", fw.Proxy(upstream, { Timeout: 50 }));
    app.Get("/unknown", fw.Proxy("http://nowhere.invalid"));
  }, async (origin, { lines }) => {
    for (
      const [path, status, text] of [["/closed", 502, "Bad Gateway"], ["/unknown", 502, "Bad Gateway"], [
        "/slow",
        504,
        "Gateway Timeout",
      ]] as const
    ) {
      const response = await fetch(origin + path);
      assertEquals([response.status, await response.text()], [status, text]);
    }
    assertEquals(lines.length, 3);
    assertStringIncludes(lines[0] ?? "", new URL(closed).port);
    stop.resolve(new Response("late"));
  });
});

Deno.test("Proxy() enforces the limits of both bodies", async () => {
  let size = 0;
  await behindProxy(async (request) => {
    for await (const chunk of request.body ?? []) size += chunk.length;
    const bytes = new Uint8Array(1_000);
    const isDeclared = new URL(request.url).pathname === "/declared";
    return new Response(isDeclared ? bytes : new Blob([bytes]).stream());
  }, (app, upstream) => {
    app.Configure(fw.WithMaxBody(100_000));
    app.Any("/{path:path}", fw.Proxy(upstream, { MaxResponse: 999 }));
  }, async (origin, { lines }) => {
    const large = await fetch(`${origin}/x`, { method: "POST", body: new Uint8Array(200_000) });
    assertEquals(large.status, 413);
    await large.body?.cancel();
    const chunked = await fetch(`${origin}/x`, { method: "POST", body: new Blob([new Uint8Array(200_000)]).stream() });
    assertEquals(chunked.status, 413);
    await chunked.body?.cancel();
    assert(size <= 100_000);
    const declared = await fetch(`${origin}/declared`);
    assertEquals(declared.status, 502);
    await declared.body?.cancel();
    const broken = await fetch(`${origin}/streamed`);
    assertEquals(await broken.bytes().catch(() => "broken"), "broken");
    assertEquals(lines.filter((line) => line.includes("exceeds 999 bytes")).length, 2);
  });
});

Deno.test("Proxy() checks its URL and options", () => {
  for (const url of ["", "/path", "ftp://a.example", "http://a.example/?q=1", "http://user:pw@a.example/"]) {
    assertThrows(() => fw.Proxy(url), fw.FrameworkError, "Cannot forward requests");
  }
  const wrong = { Timeout: "1" as never };
  assertThrows(() => fw.Proxy("http://127.0.0.1:1", wrong), fw.FrameworkError, '"Timeout" of Proxy');
});

Deno.test("Proxy() passes on a body that middleware has read", async () => {
  await behindProxy(report, (app, upstream) => {
    app.Use(async (ctx) => {
      if (ctx.URLParam("read") === "json") await ctx.ReadJSON();
      if (ctx.URLParam("read") === "form") await ctx.PostValue("a");
      if (ctx.URLParam("read") === "bytes") await ctx.GetBody();
      await ctx.Next();
    });
    app.Post("/", fw.Proxy(upstream));
  }, async (origin) => {
    const send = async (read: string, type: string, body: string): Promise<Reported> =>
      await (await fetch(`${origin}/?read=${read}`, { method: "POST", body, headers: { "content-type": type } }))
        .json();
    assertEquals((await send("json", "application/json", '{"a":1}')).body, '{"a":1}');
    assertEquals((await send("form", "application/x-www-form-urlencoded", "a=1&b=2")).body, "a=1&b=2");
    assertEquals((await send("bytes", "text/plain", "abc")).body, "abc");
  });
});

Deno.test("Proxy() sends one header for all names that the upstream server could take for the same", async () => {
  await behindProxy(report, (app, upstream) => {
    app.Get("/set", fw.Proxy(upstream, { Headers: (headers) => headers.set("X-User", "guest") }));
    app.Get("/underscore", fw.Proxy(upstream, { Headers: (headers) => headers.set("x_user", "guest") }));
    app.Get("/append", fw.Proxy(upstream, { Headers: (headers) => headers.append("X-User", "guest") }));
    app.Get("/delete", fw.Proxy(upstream, { Headers: (headers) => headers.delete("X-USER") }));
    app.Get("/none", fw.Proxy(upstream));
  }, async (origin) => {
    const sent: readonly (readonly string[])[] = [["X_User"], ["x_USER"], ["X-User"], ["X-User", "X_User"]];
    const users = async (path: string, names: readonly string[]) => {
      const lines = names.map((name) => `${name}: root\r\n`).join("");
      const text = await raw(origin, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${lines}\r\n`);
      const { headers } = JSON.parse(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1));
      return Object.entries(headers).filter(([name]) => /^x.user$/.test(name));
    };
    for (const names of sent) {
      assertEquals(await users("/set", names), [["x-user", "guest"]], names.join());
      assertEquals(await users("/underscore", names), [["x_user", "guest"]], names.join());
      assertEquals(await users("/delete", names), [], names.join());
      assertEquals((await users("/append", names)).length, 1, names.join());
      assertEquals((await users("/none", names)).length, 1, names.join());
    }
    const forwarded = "X_Forwarded_For: 1.2.3.4\r\nX-Forwarded_Host: evil.example\r\nx_real_ip: 1.2.3.4\r\n";
    const text = await raw(origin, `GET /none HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${forwarded}\r\n`);
    assertEquals(/1\.2\.3\.4|evil/.test(text), false);
  });
});

/** Redirects of upstream servers behind `/api`, and where they lead. */
const redirects: readonly [name: string, serve: (upstream: fw.Application) => void, path: string, location: string][] =
  [
    ["a path", (app) => app.Get("/a", (ctx) => ctx.Redirect("/x?y=1#z")), "/a", "/api/x?y=1#z"],
    ["the home page", (app) => app.Get("/a", (ctx) => ctx.Redirect("/")), "/a", "/api/"],
    ["a path like the prefix", (app) => app.Get("/a", (ctx) => ctx.Redirect("/apix")), "/a", "/api/apix"],
    ["a final slash", (app) => app.Get("/a", (ctx) => ctx.WriteString("a")), "/a/", "/api/a"],
    ["a URL of the public host", (app) => app.Get("/a", (ctx) => ctx.Redirect(ctx.AbsoluteURI("/x"))), "/a", "/api/x"],
    [
      "another host",
      (app) => app.Get("/a", (ctx) => ctx.Redirect("https://tea.example/x")),
      "/a",
      "https://tea.example/x",
    ],
  ];

for (const isTrusting of [true, false]) {
  Deno.test(`Proxy() adds the prefix to redirects once, ${isTrusting ? "also" : "not"} known to the upstream`, async () => {
    for (const [name, register, path, expected] of redirects) {
      // Without trust, the upstream server does not know the public host either.
      if (!isTrusting && name === "a URL of the public host") continue;
      const inner = fw.New();
      inner.Logger().SetOutput(() => {});
      if (isTrusting) inner.Configure(fw.WithProxy({ Trust: ["127.0.0.1"] }));
      register(inner);
      await behindProxy(inner.fetch, (app, upstream) => {
        app.Party("/api").Any("/{path:path}", fw.Proxy(upstream));
      }, async (origin) => {
        const response = await fetch(`${origin}/api${path}`, { redirect: "manual" });
        await response.body?.cancel();
        const location = response.headers.get("location") ?? "";
        assertEquals(location.replace(origin, ""), expected, name);
      });
    }
  });
}

Deno.test("Proxy() through two applications adds each prefix once", async () => {
  for (const trusts of [[true, true], [true, false], [false, true], [false, false]]) {
    const apps = trusts.map((isTrusting) => {
      const app = fw.New();
      app.Logger().SetOutput(() => {});
      return isTrusting ? app.Configure(fw.WithProxy({ Trust: ["127.0.0.1"] })) : app;
    }) as [fw.Application, fw.Application];
    const [middle, inner] = apps;
    inner.Get("/a", (ctx) => ctx.Redirect("/x"));
    const innermost = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, inner.fetch);
    middle.Party("/inner").Any("/{path:path}", fw.Proxy(`http://127.0.0.1:${innermost.addr.port}`));
    await behindProxy(middle.fetch, (app, upstream) => {
      app.Party("/api").Any("/{path:path}", fw.Proxy(upstream));
    }, async (origin) => {
      const response = await fetch(`${origin}/api/inner/a`, { redirect: "manual" });
      await response.body?.cancel();
      assertEquals(response.headers.get("location"), "/api/inner/x", String(trusts));
    });
    await innermost.shutdown();
  }
});

Deno.test("Proxy() rewrites all paths of an upstream server that does not receive the prefix", async () => {
  await behindProxy(() => new Response(null, { status: 302, headers: { location: "/api/x" } }), (app, upstream) => {
    const Headers = (headers: Headers) => headers.delete("x-forwarded-prefix");
    app.Party("/api").Any("/{path:path}", fw.Proxy(upstream, { Headers }));
  }, async (origin) => {
    const response = await fetch(`${origin}/api/a`, { redirect: "manual" });
    await response.body?.cancel();
    assertEquals(response.headers.get("location"), "/api/api/x");
  });
});

Deno.test("Proxy() sends the body of a request in process or of a wrapper, with and without a Host header", async () => {
  const upstream = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    async (request) => new Response(`${request.headers.get("content-length")} ${await request.text()}`),
  );
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.WrapRouter((request, next) =>
    next(request.url.endsWith("/changed") ? new Request(request, { method: "POST", body: "changed" }) : request)
  );
  app.Party("/api").Any("/{path:path}", fw.Proxy(`http://127.0.0.1:${upstream.addr.port}`));
  for (const headers of [new Headers(), new Headers({ host: "a.example" })]) {
    const ask = async (path: string, body: BodyInit | null) => {
      const request = new Request(`http://a.example/api/${path}`, { method: "POST", body, headers });
      return await (await app.fetch(request)).text();
    };
    assertEquals(await ask("x", "tea"), "null tea");
    assertEquals(await ask("x", new Blob(["a stream"]).stream()), "null a stream");
    assertEquals(await ask("changed", null), "null changed");
    assertEquals(await ask("x", null), "0 ");
  }
  await upstream.shutdown();
});
