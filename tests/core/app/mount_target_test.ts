import * as fw from "@fw/web";
import * as ipfilter from "@fw/web/middleware/ipfilter";
import * as methodoverride from "@fw/web/middleware/methodoverride";
import * as rewrite from "@fw/web/middleware/rewrite";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { Hono } from "npm:hono@4.13.17";
import { getConnInfo, upgradeWebSocket } from "npm:hono@4.13.17/deno";
import { type Ask, askInProcess, bothWays, logged, overSocket, quiet, sendBytes } from "../../serving.ts";

/** Responds with the request as seen by a mounted application. */
function echo(request: Request): Response {
  const { pathname, search } = new URL(request.url);
  return new Response(`${request.method} ${pathname}${search}`);
}

bothWays("Party.Mount() passes on the canonical path, including the slash of the root", () => {
  const app = quiet();
  app.Mount("/m", echo);
  app.Party("/t/{tenant}").Mount("/app", echo);
  return app;
}, async (ask, way) => {
  const cases: Record<string, string> = {
    "/m": "/",
    "/m/": "/",
    "/m/a": "/a",
    "/m/a/": "/a/",
    "/m/a%2Fb/c%20d": "/a%2Fb/c%20d",
    "/m/a?b=/c": "/a?b=/c",
    "/t/x%2Fy/app/z": "/z",
    "/t/x/app": "/",
    "/t/x/app/": "/",
    ...way === "over a socket" && {
      "/m//": "/",
      "/m//a": "/a",
      "//m/a": "/a",
      "/m/x/../a": "/a",
      "/m/%2e/a": "/a",
      "/x/../m/a": "/a",
      "/m/\\..\\a": "/%5C..%5Ca",
    },
  };
  for (const [path, expected] of Object.entries(cases)) assertEquals((await ask(path)).text, `GET ${expected}`, path);
  assertEquals((await ask("/m/../n")).status, 404);
});

Deno.test("Party.Mount() removes the prefix even if the client offers an upgrade", async () => {
  const app = quiet();
  app.Mount("/m", echo);
  await overSocket(app, async (ask) => {
    const headers = { upgrade: "h2c", connection: "upgrade, http2-settings, close", "http2-settings": "AAMAAABk" };
    assertEquals((await ask("/m/a", { headers })).text, "GET /a");
  });
});

bothWays("Party.Mount() and fw.FromFetch() pass on the path and method chosen by rewrite and methodoverride", () => {
  const app = quiet();
  app.WrapRouter(
    rewrite.New({ Rules: [{ From: "/old/{rest:path}", To: "/m/{rest}" }, { From: "/f/{x}", To: "/from?x={x}" }] }),
  );
  app.WrapRouter(methodoverride.New());
  app.Mount("/m", echo);
  app.Any("/from", fw.FromFetch(echo));
  app.Get("/rest/{rest:path}", fw.FromFetch(echo));
  return app;
}, async (ask) => {
  assertEquals((await ask("/old/a/b?q=1")).text, "GET /a/b?q=1");
  const headers = { "x-http-method-override": "DELETE" };
  assertEquals((await ask("/old/a", { method: "POST", headers })).text, "DELETE /a");
  assertEquals((await ask("/f/a&b", { method: "POST", headers })).text, "DELETE /from?x=a%26b");
  assertEquals((await ask("/rest/https://x/y")).text, "GET /rest/https://x/y");
});

bothWays("Party.Mount() lets mounted applications read the form of a request whose method was overridden", () => {
  const [app, middle, inner] = [quiet(), quiet(), quiet()];
  app.WrapRouter(methodoverride.New({ FormField: "_method" }));
  for (const each of [app, inner]) {
    each.Delete("/tea", async (ctx) => ctx.WriteString(`${ctx.Method()} ${await ctx.PostValue("id")}`));
    each.Put("/tea", async (ctx) => ctx.WriteString(`${ctx.Method()} ${await ctx.PostValue("id")}`));
  }
  middle.Mount("/n", inner);
  app.Mount("/m", middle);
  app.Mount("/i", inner);
  return app;
}, async (ask) => {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  for (const path of ["/tea", "/i/tea", "/m/n/tea"]) {
    for (const method of ["PUT", "DELETE"]) {
      const body = `_method=${method}&id=7`;
      assertEquals((await ask(path, { method: "POST", headers, body })).text, `${method} 7`, path);
    }
    // A form that was sent with DELETE is not read, with and without a mount.
    assertEquals((await ask(path, { method: "DELETE", headers, body: "id=7" })).text, "DELETE ", path);
  }
});

Deno.test("Party.Mount() supports every method", async () => {
  const app = quiet();
  app.Mount("/m", echo);
  await overSocket(app, async (ask) => {
    for (const method of ["GET", "PUT", "TRACE", "OPTIONS", "PROPFIND"]) {
      assertEquals((await ask("/m/a", { method })).text, `${method} /a`);
    }
  });
});

Deno.test("Party.Mount() passes on the client's address, scheme and host", async () => {
  const inner = quiet();
  inner.Get("/", (ctx) => ctx.WriteString(`${ctx.RemoteAddr()} ${ctx.Scheme()}://${ctx.Host()}`));
  inner.Party("/office").Use(ipfilter.New({ Deny: ["127.0.0.1"] })).Get("/", (ctx) => ctx.WriteString("in"));
  const hono = new Hono();
  hono.get("/", (c) => c.text(`${getConnInfo(c).remote.address} ${getConnInfo(c).remote.transport}`));
  const app = quiet();
  app.Mount("/fw", inner.fetch);
  app.Mount("/hono", hono.fetch);
  app.Get(
    "/from",
    fw.FromFetch((_request, info) => new Response("hostname" in info.remoteAddr ? info.remoteAddr.hostname : "")),
  );
  await overSocket(app, async (ask) => {
    assertEquals((await ask("/fw", { headers: { host: "shop.example" } })).text, "127.0.0.1 http://shop.example");
    assertEquals((await ask("/fw/office")).status, 403);
    assertEquals((await ask("/hono")).text, "127.0.0.1 tcp");
    assertEquals((await ask("/from")).text, "127.0.0.1");
  });

  const proxied = quiet().Configure(fw.WithProxy({ Trust: ["127.0.0.0/8"] }));
  proxied.Mount("/fw", inner.fetch);
  proxied.Mount("/hono", hono.fetch);
  const headers = { "x-forwarded-for": "192.0.2.7", "x-forwarded-proto": "https", "x-forwarded-host": "shop.example" };
  await overSocket(proxied, async (ask) => {
    assertEquals((await ask("/fw", { headers })).text, "192.0.2.7 https://shop.example");
    assertEquals((await ask("/fw/office", { headers })).text, "in");
    assertEquals((await ask("/hono", { headers })).text, "192.0.2.7 tcp");
  });
});

Deno.test("Party.Mount() lets an application notice that its client has disconnected", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const app = quiet();
  app.Mount("/m", (request) => {
    request.signal.addEventListener("abort", () => resolve());
    return new Response(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) }));
  });
  await overSocket(app, async (_ask, port) => {
    const leaving = new AbortController();
    const response = await fetch(`http://127.0.0.1:${port}/m/a`, { signal: leaving.signal });
    const reading = response.bytes().catch(() => {});
    leaving.abort();
    await Promise.all([promise, reading]);
  });
});

Deno.test("Party.Mount() works in process without a connection", async () => {
  const inner = quiet();
  const closed: string[] = [];
  inner.Get("/", (ctx) => {
    ctx.OnClose(() => void closed.push("closed"));
    ctx.WriteString(`[${ctx.RemoteAddr()}]`);
  });
  const app = quiet();
  app.Mount("/fw", inner.fetch);
  assertEquals(await (await app.fetch(new Request("http://localhost/fw"))).text(), "[]");
  assertEquals(closed, ["closed"]);
});

async function talk(port: number, path: string): Promise<string> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  socket.onopen = () => socket.send("tea");
  socket.onmessage = ({ data }) => resolve(data);
  socket.onerror = (event) => reject(new Error((event as ErrorEvent).message));
  const said = await promise;
  const closed = new Promise((done) => socket.onclose = done);
  socket.close();
  await closed;
  return said;
}

Deno.test("Party.Mount() and fw.FromFetch() let an application accept WebSockets", async () => {
  function raw(request: Request): Response {
    const { socket, response } = Deno.upgradeWebSocket(request);
    socket.onmessage = ({ data }) => socket.send(`${new URL(request.url).pathname} ${data}`);
    return response;
  }
  const hono = new Hono();
  hono.get(
    "/ws/:room",
    upgradeWebSocket((c) => ({
      onMessage: (event, ws) => ws.send(`${c.req.param("room")} ${event.data}`),
    })),
  );
  const inner = quiet();
  inner.Get("/ws/{room}", (ctx) => {
    const { socket, response } = Deno.upgradeWebSocket(ctx.Request());
    const said = `${ctx.Params().Get("room")} ${ctx.RemoteAddr()}`;
    socket.onmessage = ({ data }) => socket.send(`${said} ${data}`);
    return response;
  });
  const middle = quiet();
  middle.Mount("/inner", inner.fetch);
  const app = quiet();
  app.WrapRouter(rewrite.New({ Rules: [{ From: "/old/{rest:path}", To: "/raw/{rest}" }] }));
  app.UseRouter((ctx) => (ctx.Header("x-seen", "1"), ctx.Next()));
  app.Mount("/raw", raw);
  app.Get("/from", fw.FromFetch(raw));
  app.Mount("/hono", hono.fetch);
  app.Mount("/middle", middle.fetch);
  app.Party("/kept", (ctx) => ctx.StopWithStatus(403)).Mount("/raw", raw);
  await overSocket(app, async (ask, port) => {
    assertEquals(await talk(port, "/raw/a"), "/a tea");
    assertEquals(await talk(port, "/old/b"), "/b tea");
    assertEquals(await talk(port, "/from"), "/from tea");
    assertEquals(await talk(port, "/hono/ws/red"), "red tea");
    assertEquals(await talk(port, "/middle/inner/ws/blue"), "blue 127.0.0.1 tea");
    const handshake = {
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "AAAAAAAAAAAAAAAAAAAAAA==",
    };
    assertEquals((await ask("/kept/raw/a", { headers: { ...handshake, connection: "upgrade, close" } })).status, 403);
  });
});

/** Sends a request with a body that middleware reads in different ways. */
async function askRead(ask: Ask, way: string, body: string, type: string): Promise<string> {
  const { status, text } = await ask(`/m/echo?way=${way}`, { method: "POST", headers: { "content-type": type }, body });
  return status < 400 ? text : String(status);
}

bothWays("Party.Mount() passes on a body that middleware has read", () => {
  const inner = quiet();
  inner.Post("/echo", async (ctx) => {
    const [bytes] = await ctx.GetBody();
    ctx.WriteString(new TextDecoder().decode(bytes));
  });
  inner.Post("/form", async (ctx) => {
    const [file, header] = await ctx.FormFile("file");
    ctx.JSON([await ctx.PostValue("name"), header?.Filename, (await file?.text())?.length]);
  });
  const app = quiet();
  app.Use(async (ctx) => {
    const way = ctx.URLParam("way");
    if (way === "bytes") await ctx.GetBody();
    if (way === "json") await ctx.ReadJSON();
    if (way === "form") await ctx.FormValue("name");
    if (way === "data") await ctx.FormData();
    await ctx.Next();
  });
  app.Mount("/m", inner.fetch);
  return app;
}, async (ask) => {
  for (const way of ["none", "bytes", "json", "form"]) {
    assertEquals(await askRead(ask, way, '{"a": 1}', "application/json"), '{"a": 1}', way);
  }
  for (const way of ["none", "bytes", "form"]) {
    assertEquals(await askRead(ask, way, "name=tea&b=1", "application/x-www-form-urlencoded"), "name=tea&b=1", way);
  }
  // The body is long enough to be streamed, so that only the parsed form is stored.
  const long = "x".repeat(700_000);
  const body = '--b\r\ncontent-disposition: form-data; name="name"\r\n\r\nAda\r\n' +
    `--b\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\n${long}\r\n--b--\r\n`;
  for (const way of ["none", "form", "data"]) {
    const headers = { "content-type": "multipart/form-data; boundary=b" };
    const { text } = await ask(`/m/form?way=${way}`, { method: "POST", headers, body });
    assertEquals(JSON.parse(text), ["Ada", "a.txt", long.length], way);
  }
});

Deno.test("Party.Mount() fails with a clear error if a body was read directly from the request", async () => {
  const { app, lines } = logged();
  app.Use(async (ctx) => {
    await ctx.Request().text();
    await ctx.Next();
  });
  app.Mount("/m", echo);
  const { status } = await askInProcess(app, "/m/a", { method: "POST", body: "tea" });
  assertEquals(status, 500);
  assertStringIncludes(lines.join(), "Cannot pass on the request body: it was streamed and not stored");
});

Deno.test("Party.Mount() applies the body limits of the application and its middleware", async () => {
  const inner = quiet();
  inner.Post("/", async (ctx) => {
    const [bytes, error] = await ctx.GetBody();
    if (error !== null) throw error;
    ctx.WriteString(String(bytes.length));
  });
  const app = quiet().Configure(fw.WithMaxBody(1000));
  app.Mount("/m", inner.fetch);
  app.Party("/l", fw.LimitRequestBodySize(10)).Mount("/m", inner.fetch);
  await overSocket(app, async (ask, port) => {
    assertEquals((await ask("/m", { method: "POST", body: "x".repeat(1000) })).text, "1000");
    assertEquals((await ask("/m", { method: "POST", body: "x".repeat(1001) })).status, 413);
    assertEquals((await ask("/l/m", { method: "POST", body: "x".repeat(11) })).status, 413);
    const chunked = "POST /l/m HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n14\r\n" +
      `${"x".repeat(20)}\r\n0\r\n\r\n`;
    const bytes = await sendBytes(port, new TextEncoder().encode(chunked));
    assertEquals(new TextDecoder().decode(bytes).slice(0, 10), "HTTP/1.1 4");
  });
});

Deno.test("Party.Mount() and HandleDir() appear in the log with their own paths", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/a.txt`, "a");
    const { app, lines } = logged(fw.Default());
    app.Logger().SetFormat("json");
    app.Mount("/m", echo);
    app.HandleDir("/static", folder);
    await overSocket(app, async (ask) => {
      await ask("/m/a");
      await ask("/static/a.txt");
    });
    const routes = lines.map((line) => JSON.parse(line).route);
    assertEquals(routes, ["/m/*", "/static/*"]);
    assertEquals(lines.join().includes("fw_file"), false);
    assertEquals(app.Routes().every(({ Path, Params }) => !`${Path}${Params}`.includes("fw_")), true);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
