import { assertEquals } from "@std/assert";
import * as fw from "../../../../mod.ts";
import { bothWays, overSocket, quiet, type Received } from "../../../serving.ts";

function text(body: string): fw.Handler {
  return (ctx) => ctx.WriteString(body);
}

/** Returns the status and the Allow header as one string. */
function allowed(response: Received): string {
  return `${response.status} ${response.headers.get("allow")}`;
}

bothWays("Application responds with 404 if no route matches, with the status text", () => {
  const app = quiet();
  app.Get("/a", text("a"));
  return app;
}, async (ask) => {
  for (const path of ["/b", "/a/b", "/A", "/"]) {
    const response = await ask(path);
    assertEquals([response.status, response.text], [404, "Not Found"], path);
    assertEquals(response.headers.get("content-type"), "text/plain;charset=UTF-8");
    assertEquals(response.headers.get("allow"), null);
  }
});

bothWays("Application without any route responds with 404", quiet, async (ask) => {
  assertEquals((await ask("/")).status, 404);
  assertEquals((await ask("/", { method: "POST", body: "x" })).status, 404);
  assertEquals((await ask("/", { method: "OPTIONS" })).status, 404);
});

bothWays("Application responds with 405 with a complete Allow if another method matches", () => {
  const app = quiet();
  app.Get("/a", text("a"));
  app.Put("/a", text("a"));
  app.Delete("/{x}", text("x"));
  app.Post("/{n:int}", text("n"));
  return app;
}, async (ask) => {
  assertEquals(allowed(await ask("/a", { method: "POST" })), "405 DELETE, GET, HEAD, OPTIONS, PUT");
  assertEquals(allowed(await ask("/1", { method: "GET" })), "405 DELETE, OPTIONS, POST");
  assertEquals(allowed(await ask("/x", { method: "GET" })), "405 DELETE, OPTIONS");
  assertEquals((await ask("/a", { method: "POST" })).text, "Method Not Allowed");
  assertEquals(allowed(await ask("/a/b", { method: "POST" })), "404 null");
});

Deno.test("Application responds with 405 to an unknown method", async () => {
  const app = quiet();
  app.Get("/a", text("a"));
  await overSocket(app, async (ask) => {
    assertEquals(allowed(await ask("/a", { method: "PURGE" })), "405 GET, HEAD, OPTIONS");
    assertEquals(allowed(await ask("/a", { method: "patch" })), "405 GET, HEAD, OPTIONS");
    assertEquals(allowed(await ask("/b", { method: "PURGE" })), "404 null");
  });
});

bothWays("WithoutMethodNotAllowed responds with 404 to a wrong method", () => {
  const app = quiet().Configure(fw.WithoutMethodNotAllowed);
  app.Get("/a", text("a"));
  return app;
}, async (ask) => {
  assertEquals(allowed(await ask("/a", { method: "POST" })), "404 null");
  assertEquals(allowed(await ask("/a", { method: "OPTIONS" })), "204 GET, HEAD, OPTIONS");
});

bothWays("Application uses GET handlers for HEAD, without a body", () => {
  const app = quiet();
  app.Get("/text", text("grüße"));
  app.Get("/json", (ctx) => (ctx.Header("x-a", "1"), ctx.JSON({ a: 1 })));
  app.Get("/bytes", (ctx) => ctx.Write(new Uint8Array(300)));
  app.Get("/slow/{id}", async (ctx) => {
    await Promise.resolve();
    ctx.WriteString(ctx.Params().Get("id"));
  });
  app.Get("/empty", () => {});
  app.Get("/response", () => new Response("abc", { headers: { "content-length": "3" } }));
  app.Get("/gone", (ctx) => ctx.StatusCode(410));
  return app;
}, async (ask) => {
  for (
    const [path, status, length] of [
      ["/text", 200, "7"],
      ["/json", 200, "7"],
      ["/bytes", 200, "300"],
      ["/slow/12345", 200, "5"],
      ["/response", 200, "3"],
      ["/gone", 410, "4"],
      ["/nowhere", 404, "9"],
    ] as const
  ) {
    const get = await ask(path);
    const head = await ask(path, { method: "HEAD" });
    assertEquals([head.status, head.headers.get("content-length"), head.text], [status, length, ""], path);
    assertEquals(head.headers.get("content-type"), get.headers.get("content-type"), path);
    assertEquals(head.headers.get("x-a"), get.headers.get("x-a"), path);
  }
});

bothWays("Application prefers HEAD handlers to GET handlers for HEAD requests", () => {
  const app = quiet();
  app.Get("/a", (ctx) => ctx.Header("x-by", "get"));
  app.Head("/a", (ctx) => ctx.Header("x-by", "head"));
  app.Get("/b", (ctx) => ctx.Header("x-by", ctx.Method()));
  return app;
}, async (ask) => {
  assertEquals((await ask("/a", { method: "HEAD" })).headers.get("x-by"), "head");
  assertEquals((await ask("/a")).headers.get("x-by"), "get");
  assertEquals((await ask("/b", { method: "HEAD" })).headers.get("x-by"), "HEAD");
});

bothWays("Application cancels a stream that HEAD does not send", () => {
  const app = quiet();
  let canceled = 0;
  app.Get("/stream", (ctx) => {
    ctx.Stream(new ReadableStream({ cancel: () => void canceled++ }));
  });
  app.Get("/count", (ctx) => ctx.WriteString(String(canceled)));
  return app;
}, async (ask) => {
  const response = await ask("/stream", { method: "HEAD" });
  assertEquals([response.status, response.text], [200, ""]);
  assertEquals((await ask("/count")).text, "1");
});

bothWays("WithoutAutoHead leaves HEAD to the routes", () => {
  const app = quiet().Configure(fw.WithoutAutoHead);
  app.Get("/a", text("a"));
  return app;
}, async (ask) => {
  assertEquals(allowed(await ask("/a", { method: "HEAD" })), "405 GET, OPTIONS");
  assertEquals(allowed(await ask("/a/", { method: "HEAD" })), "405 GET, OPTIONS");
});

bothWays("Application responds to OPTIONS with 204 and Allow, and no body", () => {
  const app = quiet();
  app.Get("/a", text("a"));
  app.Post("/a", text("a"));
  app.Options("/own", (ctx) => (ctx.Header("allow", "GET"), ctx.WriteString("own")));
  return app;
}, async (ask) => {
  const response = await ask("/a", { method: "OPTIONS" });
  assertEquals([allowed(response), response.text], ["204 GET, HEAD, OPTIONS, POST", ""]);
  assertEquals(allowed(await ask("/b", { method: "OPTIONS" })), "404 null");
  assertEquals((await ask("/own", { method: "OPTIONS" })).text, "own");
});

bothWays("WithoutAutoOptions leaves OPTIONS to the routes", () => {
  const app = quiet().Configure(fw.WithoutAutoOptions);
  app.Get("/a", text("a"));
  return app;
}, async (ask) => {
  assertEquals(allowed(await ask("/a", { method: "OPTIONS" })), "405 GET, HEAD");
});

Deno.test("Application responds to OPTIONS * with the methods of all routes", async () => {
  const app = quiet();
  app.Get("/a", text("a"));
  app.Patch("/b", text("b"));
  await overSocket(app, async (ask) => {
    assertEquals(allowed(await ask("*", { method: "OPTIONS" })), "204 GET, HEAD, OPTIONS, PATCH");
  });
});

bothWays("Application redirects a trailing slash with 301, or 307 for methods other than GET and HEAD", () => {
  const app = quiet();
  app.Get("/a", text("a"));
  app.Get("/u/{id:int}/x", text("x"));
  app.Post("/a", text("a"));
  app.Put("/a", text("a"));
  app.Get("/café/ü", text("c"));
  return app;
}, async (ask) => {
  const where = async (path: string, method = "GET") => {
    const response = await ask(path, { method });
    return `${response.status} ${response.headers.get("location")}`;
  };
  assertEquals(await where("/a/"), "301 /a");
  assertEquals(await where("/a/", "HEAD"), "301 /a");
  assertEquals(await where("/a/", "POST"), "307 /a");
  assertEquals(await where("/a/", "PUT"), "307 /a");
  assertEquals(await where("/a///"), "301 /a");
  assertEquals(await where("/a/?x=1&y=/z/"), "301 /a?x=1&y=/z/");
  assertEquals(await where("/u/7/x/?"), "301 /u/7/x?");
  assertEquals(await where("/u/x/x/"), "404 null");
  assertEquals(await where("/caf%C3%A9/%C3%BC/?q=%20"), "301 /caf%C3%A9/%C3%BC?q=%20");
  assertEquals(await where("/b/"), "404 null");
  assertEquals(await where("/a/", "DELETE"), "405 null");
});

bothWays("Application responds with 405 with Allow for a trailing slash under a wrong method", () => {
  const app = quiet();
  app.Get("/a", text("a"));
  return app;
}, async (ask) => {
  assertEquals(allowed(await ask("/a/", { method: "POST" })), "405 GET, HEAD, OPTIONS");
  assertEquals(allowed(await ask("/a/", { method: "OPTIONS" })), "204 GET, HEAD, OPTIONS");
});

bothWays("Application does not redirect a path that a route matches directly", () => {
  const app = quiet();
  app.Get("/files/{p:path}", (ctx) => ctx.WriteString(ctx.Params().Get("p")));
  app.Get("/", text("root"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/files/a/b/")).text, "a/b/");
  assertEquals((await ask("/")).text, "root");
  assertEquals((await ask("/?x")).text, "root");
});

Deno.test("Application never redirects to another site", async () => {
  const app = quiet();
  app.Get("/", text("root"));
  app.Get("/{x}", text("x"));
  app.Get("/{x}/{y}", text("y"));
  app.Get("/files/{p:path}", text("p"));
  await overSocket(app, async (ask) => {
    const targets = [
      "//evil.example/",
      "//evil.example//",
      "///evil.example/",
      "/\\evil.example/",
      "/\\/evil.example/",
      "\\\\evil.example/",
      "//evil.example/%2f",
      "/%2fevil.example/",
      "/%5cevil.example/",
      "/%09/evil.example/",
      "//",
      "///",
      "/./",
      "/.//evil.example/",
      "/x//evil.example/",
      "/files//evil.example/",
      "/http:/evil.example/",
      "/x/%0d%0aset-cookie:a=b/",
      "/@evil.example/",
      "/x/?//evil.example/",
      "/x/#//evil.example/",
      "http://localhost//evil.example/",
    ];
    for (const target of targets) {
      const response = await ask(target);
      const location = response.headers.get("location");
      assertEquals(response.headers.get("set-cookie"), null, target);
      if (location === null) continue;
      // Browsers treat backslashes as slashes and ignore tabs and line breaks.
      assertEquals(
        new URL(location, "http://site.example/dir/").host,
        "site.example",
        `${target} leads to ${location}`,
      );
      assertEquals(response.status, 301, target);
    }
    const response = await ask("/\\evil.example/");
    assertEquals([response.status, response.headers.get("location")], [301, "/%5Cevil.example"]);
    assertEquals((await ask("//")).text, "root");
    assertEquals((await ask("/x/?a=%0d%0ab")).headers.get("location"), "/x?a=%0d%0ab");
  });
});

bothWays("WithoutPathCorrection treats a path with a trailing slash as another path", () => {
  const app = quiet().Configure(fw.WithoutPathCorrection);
  app.Get("/a", text("a"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/a")).text, "a");
  assertEquals(allowed(await ask("/a/")), "404 null");
  assertEquals(allowed(await ask("/a/", { method: "POST" })), "404 null");
});

bothWays("WithoutPathCorrectionRedirection serves a path with a trailing slash with the route without it", () => {
  const app = quiet().Configure(fw.WithoutPathCorrectionRedirection);
  app.Get("/a/{id:int}/{name}", (ctx) => ctx.WriteString(ctx.Params().Entries().join(" ")));
  app.Get("/b", (ctx) => ctx.WriteString(ctx.Path()));
  return app;
}, async (ask) => {
  assertEquals((await ask("/a/7/x%20y/")).text, "id,7 name,x y");
  assertEquals((await ask("/a/7/ada/")).text, "id,7 name,ada");
  assertEquals((await ask("/b//")).text, "/b/");
  assertEquals((await ask("/b/", { method: "HEAD" })).headers.get("content-length"), "3");
  assertEquals((await ask("/a/x/y/")).status, 404);
  assertEquals(allowed(await ask("/b/", { method: "POST" })), "405 GET, HEAD, OPTIONS");
});

bothWays("WithLowercaseRouting matches paths case-insensitively and does not change parameters", () => {
  const app = quiet().Configure(fw.WithLowercaseRouting);
  app.Get("/Users/{name}/Posts", (ctx) => ctx.WriteString(ctx.Params().Get("name")));
  app.Get("/Café/{x:path}", (ctx) => ctx.WriteString(ctx.Params().Get("x")));
  const party = app.Party("/Admin");
  party.OnErrorCode(404, text("admin"));
  party.Get("/a", text("a"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/users/Ada/posts")).text, "Ada");
  assertEquals((await ask("/USERS/Ada/POSTS")).text, "Ada");
  assertEquals((await ask("/users/%C3%84da/posts")).text, "Äda");
  assertEquals((await ask("/CAF%C3%A9/A%2FB/C")).text, "A/B/C");
  assertEquals((await ask("/ADMIN/A")).text, "a");
  assertEquals((await ask("/aDMIN/nowhere")).text, "admin");
  const moved = await ask("/USERS/Ada/posts/?Q=1");
  assertEquals([moved.status, moved.headers.get("location")], [301, "/USERS/Ada/posts?Q=1"]);
  assertEquals(allowed(await ask("/ADMIN/A", { method: "PUT" })), "405 GET, HEAD, OPTIONS");
});

bothWays("WithLowercaseRouting prefers a static path in any case to a parameter", () => {
  const app = quiet().Configure(fw.WithLowercaseRouting);
  app.Get("/{x}", (ctx) => ctx.WriteString(`x ${ctx.Params().Get("x")}`));
  app.Get("/About", text("about"));
  return app;
}, async (ask) => {
  for (const path of ["/about", "/ABOUT", "/About"]) assertEquals((await ask(path)).text, "about");
  assertEquals((await ask("/Else")).text, "x Else");
});

bothWays("Application responds to a typed mismatch with 404, or with its else code", () => {
  const app = quiet();
  app.Get("/n/{n:int}", text("n"));
  app.Get("/e/{n:int else 400}", text("e"));
  app.Get("/f/{n:int min(10) else 422}", text("f"));
  app.Post("/f/{n:int}", text("post"));
  app.Get("/g/{n:int else 410}", text("g"));
  app.Get("/g/{s prefix(x)}", text("g x"));
  app.OnErrorCode(422, (ctx) => ctx.WriteString(`unprocessable ${ctx.GetCurrentRoute()?.Name ?? "no route"}`));
  return app;
}, async (ask) => {
  assertEquals((await ask("/n/x")).status, 404);
  assertEquals((await ask("/e/1")).text, "e");
  const bad = await ask("/e/x");
  assertEquals([bad.status, bad.text], [400, "Bad Request"]);
  assertEquals((await ask("/e/x/")).status, 400);
  const low = await ask("/f/9");
  assertEquals([low.status, low.text], [422, "unprocessable no route"]);
  assertEquals((await ask("/g/xyz")).text, "g x");
  assertEquals((await ask("/g/abc")).status, 410);
  assertEquals((await ask("/e/x", { method: "HEAD" })).status, 400);
  assertEquals((await ask("/e/1", { method: "POST" })).status, 405);
});

bothWays(
  "OnErrorCode() of the nearest party handles a request without a route, and OnAnyErrorCode() all other statuses",
  () => {
    const app = quiet();
    app.OnErrorCode(404, text("root 404"));
    app.OnAnyErrorCode((ctx) => ctx.WriteString(`root any ${ctx.GetStatusCode()}`));
    const api = app.Party("/api");
    api.OnErrorCode(404, text("api 404"));
    api.Get("/fail", (ctx) => ctx.StatusCode(503));
    const v1 = api.Party("/v1");
    v1.OnAnyErrorCode((ctx) => ctx.JSON({ status: ctx.GetStatusCode() }));
    v1.Get("/fail", (ctx) => ctx.StatusCode(503));
    v1.Get("/written", (ctx) => (ctx.StatusCode(400), ctx.WriteString("own words")));
    api.Party("/{tenant}").Get("/x", text("x"));
    return app;
  },
  async (ask) => {
    const body = async (path: string, method = "GET") => (await ask(path, { method })).text;
    assertEquals(await body("/nowhere"), "root 404");
    assertEquals(await body("/api"), "api 404");
    assertEquals(await body("/api/nowhere"), "api 404");
    assertEquals(await body("/apix"), "root 404");
    assertEquals(await body("/api/fail"), "root any 503");
    assertEquals(await body("/api/fail", "POST"), "root any 405");
    assertEquals(await body("/api/v1/nowhere/deep"), '{"status":404}');
    assertEquals(await body("/api/v1/fail"), '{"status":503}');
    assertEquals(await body("/api/v1/fail", "POST"), '{"status":405}');
    assertEquals(await body("/api/v1/written"), "own words");
    assertEquals(await body("/api/acme/y"), "api 404");
  },
);
