/** Handshakes: origins, addresses, and the guards and middleware that a request meets before the upgrade. */

import { assert, assertEquals } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as apps from "../../../src/hosts/apps/mod.ts";
import * as versioning from "../../../src/hosts/versioning/mod.ts";
import * as live from "../../../src/live/hub/mod.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import * as accesslog from "../../../src/middleware/accesslog/mod.ts";
import * as basicauth from "../../../src/middleware/basicauth/mod.ts";
import * as cache from "../../../src/middleware/cache/mod.ts";
import * as compress from "../../../src/middleware/compress/mod.ts";
import * as cors from "../../../src/middleware/cors.ts";
import * as etag from "../../../src/middleware/etag.ts";
import * as methodoverride from "../../../src/middleware/methodoverride/mod.ts";
import * as requestid from "../../../src/middleware/requestid.ts";
import * as rewrite from "../../../src/middleware/rewrite/mod.ts";
import * as secure from "../../../src/middleware/secure/mod.ts";
import * as timeout from "../../../src/middleware/timeout.ts";
import { overSocket, quiet, readReceived } from "../../serving.ts";

function newServer(options: websocket.Options = {}): websocket.Server {
  const server = websocket.New({ Hub: live.New(), ...options });
  server.On(websocket.OnNativeMessage, (conn, data) => conn.Write(`${conn.Context().RemoteAddr()} ${data}`));
  return server;
}

/** An accepted or refused handshake. */
interface Shaken {
  readonly status: number;
  readonly headers: Headers;
  /** The reply to a message, or an empty string if the handshake was refused. */
  readonly reply: string;
}

/** Sends a handshake over a new connection. If it is accepted, it also sends a message and waits for the reply. */
async function shake(
  port: number,
  path: string,
  { method = "GET", ...replaced }: Readonly<Record<string, string>> = {},
): Promise<Shaken> {
  const headers: Record<string, string> = {
    host: `127.0.0.1:${port}`,
    upgrade: "websocket",
    connection: "Upgrade",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    "sec-websocket-version": "13",
    ...replaced,
  };
  const lines = Object.entries(headers).filter(([, value]) => value !== "").map(([name, value]) => `${name}: ${value}`);
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(new TextEncoder().encode(`${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`));
  const bytes = new Uint8Array(4_000);
  const received = readReceived(bytes.subarray(0, await connection.read(bytes) ?? 0));
  if (received.status !== 101) return { ...received, reply: "" };
  await connection.write(new Uint8Array([0x81, 0x82, 0, 0, 0, 0, 104, 105]));
  const length = await connection.read(bytes) ?? 0;
  return { ...received, reply: new TextDecoder().decode(bytes.subarray(2, length)) };
}

/** Returns the options for a socket whose handshake has a forwarded address. TypeScript's library does not declare them. */
function forwarded(address: string): string[] {
  return { headers: { "x-forwarded-for": address } } as unknown as string[];
}

Deno.test("Origins allows the pages of this site by default, in the spelling of browsers only", async () => {
  const app = quiet();
  app.Get("/self", websocket.Handler(newServer()));
  app.Get("/list", websocket.Handler(newServer({ Origins: ["https://a.example", "https://*.b.example:8443"] })));
  app.Get("/any", websocket.Handler(newServer({ Origins: ["*"] })));
  await overSocket(app, async (_ask, port) => {
    const site = "shop.example";
    const rows: [path: string, host: string, origin: string, status: number][] = [
      ["/self", site, "http://shop.example", 101],
      ["/self", site, "https://shop.example", 101],
      ["/self", `${site}:80`, "http://shop.example", 101],
      ["/self", `${site}:443`, "https://shop.example", 101],
      ["/self", `${site}:8080`, "http://shop.example:8080", 101],
      ["/self", `${site}.`, "http://shop.example.", 101],
      ["/self", "SHOP.example", "http://shop.example", 101],
      ["/self", "[::1]:8080", "http://[::1]:8080", 101],
      ["/self", site, "null", 403],
      ["/self", site, "HTTP://SHOP.EXAMPLE", 403],
      ["/self", site, "http://shop.example/", 403],
      ["/self", site, "http://shop.example.", 403],
      ["/self", site, "http://shop.example:8080", 403],
      ["/self", `${site}:8080`, "http://shop.example", 403],
      ["/self", site, "http://shop.example@evil.example", 403],
      ["/self", site, "http://evil.example/shop.example", 403],
      ["/self", site, "http://shop.example.evil.example", 403],
      ["/self", site, "http://evil-shop.example", 403],
      ["/self", site, "http://a.shop.example", 403],
      ["/self", site, "shop.example", 403],
      ["/self", site, "file://", 403],
      ["/self", site, "http://shop.example, http://evil.example", 403],
      ["/self", "[::1]:8080", "http://[::2]:8080", 403],
      ["/list", site, "https://a.example", 101],
      ["/list", site, "https://x.b.example:8443", 101],
      ["/list", site, "https://x.y.b.example:8443", 101],
      ["/list", site, "http://shop.example", 403],
      ["/list", site, "http://a.example", 403],
      ["/list", site, "https://a.example:444", 403],
      ["/list", site, "https://b.example:8443", 403],
      ["/list", site, "https://x.b.example", 403],
      ["/list", site, "https://evil.example/.b.example:8443", 403],
      ["/list", site, "https://evil.example#.b.example:8443", 403],
      ["/list", site, "https://x.b.example:8443.evil.example", 403],
      ["/any", site, "https://evil.example", 101],
      ["/any", site, "null", 101],
    ];
    for (const [path, host, origin, status] of rows) {
      assertEquals((await shake(port, path, { host, origin })).status, status, `${path} ${host} ${origin}`);
    }
    for (const path of ["/self", "/list"]) assertEquals((await shake(port, path)).status, 101, "no origin");
  });
});

Deno.test("Origins compares with the host that the client requested if the application sees another one", async () => {
  const primary = quiet();
  primary.WrapRouter(rewrite.New({ PrimarySubdomain: "www" }));
  primary.Get("/ws", websocket.Handler(newServer()));
  const inner = quiet();
  inner.Get("/ws", websocket.Handler(newServer()));
  const several = apps.Switch([{ Pattern: /^www\./, Target: inner }], apps.SetHost("inner.example"));
  several.Logger().SetLevel("disable");
  for (const app of [primary, several]) {
    await overSocket(app, async (_ask, port) => {
      const statusOf = async (origin: string) =>
        (await shake(port, "/ws", { host: "www.shop.example", origin })).status;
      assertEquals(await statusOf("http://www.shop.example"), 101);
      for (const origin of ["http://evil.example", "http://www.shop.example.evil.example", "null"]) {
        assertEquals(await statusOf(origin), 403, origin);
      }
    });
  }
});

Deno.test("Origins compares with the host that a trusted proxy forwards, and refuses pages without TLS", async () => {
  const app = quiet().Configure(fw.WithProxy({ Trust: ["loopback"] }));
  app.Get("/ws", websocket.Handler(newServer()));
  await overSocket(app, async (_ask, port) => {
    const proxied = { "x-forwarded-host": "shop.example", "x-forwarded-proto": "https" };
    assertEquals((await shake(port, "/ws", { ...proxied, origin: "https://shop.example" })).status, 101);
    assertEquals((await shake(port, "/ws", { ...proxied, origin: "http://shop.example" })).status, 403);
    assertEquals((await shake(port, "/ws", { ...proxied, origin: `http://127.0.0.1:${port}` })).status, 403);
  });
  const direct = quiet();
  direct.Get("/ws", websocket.Handler(newServer()));
  await overSocket(direct, async (_ask, port) => {
    const forged = { "x-forwarded-host": "evil.example", origin: "http://evil.example" };
    assertEquals((await shake(port, "/ws", forged)).status, 403);
  });
});

Deno.test("MaxPerAddress counts the clients behind a trusted proxy, and ignores forged addresses", async () => {
  const cases: [isTrusted: boolean, first: string, second: string, status: number][] = [
    [true, "203.0.113.1", "203.0.113.2", 101],
    [true, "203.0.113.1", "203.0.113.1", 429],
    [true, "2001:db8::1", "2001:db8::2", 429],
    [true, "2001:db8::1", "2001:db8:0:1::1", 101],
    [true, "9.9.9.9, 203.0.113.1", "8.8.8.8, 203.0.113.1", 429],
    [false, "203.0.113.1", "203.0.113.2", 429],
  ];
  for (const [isTrusted, first, second, status] of cases) {
    const app = isTrusted ? quiet().Configure(fw.WithProxy({ Trust: ["loopback"] })) : quiet();
    app.Get("/ws", websocket.Handler(newServer({ MaxPerAddress: 1 })));
    await overSocket(app, async (_ask, port) => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, forwarded(first));
      await new Promise((resolve) => socket.onopen = resolve);
      const { status: found } = await shake(port, "/ws", { "x-forwarded-for": second });
      assertEquals(found, status, `${isTrusted} ${first} ${second}`);
      socket.close();
      await new Promise((resolve) => socket.onclose = resolve);
    });
  }
});

Deno.test("MaxPerAddress does not limit clients whose address is unknown", async () => {
  const inner = quiet();
  inner.Get("/ws", websocket.Handler(newServer({ MaxPerAddress: 1 })));
  const app = quiet();
  // The function does not pass the connection on.
  app.Get("/ws", fw.FromFetch((request) => inner.fetch(request)));
  await overSocket(app, async (_ask, port) => {
    const [one, other] = [new WebSocket(`ws://127.0.0.1:${port}/ws`), new WebSocket(`ws://127.0.0.1:${port}/ws`)];
    for (const socket of [one, other]) {
      if (socket.readyState !== WebSocket.OPEN) await new Promise((resolve) => socket.onopen = resolve);
      socket.close();
      await new Promise((resolve) => socket.onclose = resolve);
    }
  });
});

Deno.test("Handler() lets a guard refuse the handshake, regardless of where the guard is registered", async () => {
  const guard = basicauth.New({ Users: [{ Name: "ada", Password: "engine" }] });
  const handler = () => websocket.Handler(newServer());
  const places: Record<string, (app: fw.Application) => void> = {
    "UseRouter": (app) => void app.UseRouter(guard).Get("/live/ws", handler()),
    "UseGlobal": (app) => void app.UseGlobal(guard).Get("/live/ws", handler()),
    "Use": (app) => void app.Use(guard).Get("/live/ws", handler()),
    "a party": (app) => void app.Party("/live", guard).Get("/ws", handler()),
    "a route": (app) => void app.Get("/live/ws", guard, handler()),
    "a party above a parameter": (app) => {
      app.Party("/live").Use(guard);
      app.Get("/{any}/ws", handler());
    },
    "a party above a catch-all": (app) => {
      app.Party("/live").Use(guard);
      app.Get("/{any:path}", handler());
    },
    "a versioned group": (app) => {
      const api = app.Party("/live", guard);
      api.Use(versioning.Aliases({ [versioning.Empty]: "1.0.0" }));
      versioning.NewGroup(api, "1.0.0").Get("/ws", handler());
    },
    "a mounted application": (app) => {
      const inner = quiet();
      inner.Use(guard).Get("/ws", handler());
      app.Mount("/live", inner.fetch);
    },
    "a party with a mounted application": (app) => {
      const inner = quiet();
      inner.Get("/ws", handler());
      app.Party("/live", guard).Mount("/", inner.fetch);
    },
    "FromFetch": (app) => {
      const inner = quiet();
      inner.Get("/live/ws", handler());
      app.Get("/live/ws", guard, fw.FromFetch((request, info) => inner.fetch(request, info)));
    },
    "a rewritten path": (app) => {
      app.WrapRouter(rewrite.New({ Rules: [{ From: "/live/{rest:path}", To: "/inner/{rest}" }] }));
      app.Party("/inner", guard).Get("/ws", handler());
    },
  };
  const ada = { authorization: `Basic ${btoa("ada:engine")}` };
  for (const [name, add] of Object.entries(places)) {
    const app = quiet();
    add(app);
    await overSocket(app, async (_ask, port) => {
      for (const path of ["/live/ws", "//live//ws", "/live/./ws", "/x/../live/ws", "/%6cive/ws", "/live/ws/"]) {
        const { status } = await shake(port, path);
        assert([401, 404, 301, 308, 307].includes(status), `${name} ${path}: ${status}`);
      }
      assertEquals((await shake(port, "/live/ws")).status, 401, name);
      const { status, reply } = await shake(port, "/live/ws", ada);
      assertEquals([status, reply.endsWith(" hi")], [101, true], name);
    });
  }
});

Deno.test("Handler() lets the guard of a subdomain refuse the handshake", async () => {
  const app = quiet();
  app.Party("admin.", (ctx) => ctx.StopWithStatus(401)).Get("/ws", websocket.Handler(newServer()));
  app.Get("/ws", websocket.Handler(newServer()));
  await overSocket(app, async (_ask, port) => {
    assertEquals((await shake(port, "/ws", { host: "admin.shop.example" })).status, 401);
    assertEquals((await shake(port, "/ws", { host: "shop.example" })).status, 101);
  });
});

Deno.test("Handler() accepts only GET requests for an upgrade", async () => {
  const app = quiet();
  app.WrapRouter(methodoverride.New());
  app.Any("/ws", websocket.Handler(newServer()));
  await overSocket(app, async (_ask, port) => {
    for (const method of ["POST", "PUT", "HEAD", "DELETE", "PATCH"]) {
      assertEquals((await shake(port, "/ws", { method })).status, 426, method);
      const { status } = await shake(port, "/ws", { method, "x-http-method-override": "GET", "content-length": "0" });
      assert(status === 426 || status === 400, `${method} as GET: ${status}`);
    }
    for (const [name, value] of [["upgrade", ""], ["upgrade", "h2c"], ["connection", "close"]] as const) {
      assertEquals((await shake(port, "/ws", { [name]: value })).status, 426, `${name}: ${value}`);
    }
    assertEquals((await shake(port, "/ws", { "content-length": "5" })).status, 400);
    assertEquals((await shake(port, "/ws", { "transfer-encoding": "chunked" })).status, 400);
  });
});

Deno.test("Handler() works behind other middleware", async () => {
  const lines: string[] = [];
  const log = accesslog.New({ Output: (line: string) => void lines.push(line) });
  const middleware: Record<string, fw.Handler> = {
    timeout: timeout.New({ After: 50 }),
    compress: compress.New(),
    cache: cache.New({}),
    etag: etag.New(),
    secure: secure.New(),
    requestid: requestid.New(),
    cors: cors.New({ Origins: "https://other.example" }),
    accesslog: log.Handler(),
    "headers of a body": (ctx) => {
      for (const name of ["connection", "upgrade", "sec-websocket-accept", "content-length"]) ctx.Header(name, "5");
      ctx.Header("x-kept", "yes");
      return ctx.Next();
    },
    "a status": (ctx) => {
      ctx.StatusCode(418);
      return ctx.Next();
    },
    "a recorder": (ctx) => {
      ctx.Recorder();
      return ctx.Next();
    },
    "a write afterwards": async (ctx) => {
      await ctx.Next();
      ctx.WriteString("more");
    },
    "a throw afterwards": async (ctx) => {
      await ctx.Next();
      throw new Error("secret");
    },
  };
  for (const [name, handler] of Object.entries(middleware)) {
    const app = quiet();
    app.UseGlobal(handler);
    app.Get("/ws", websocket.Handler(newServer()));
    await overSocket(app, async (_ask, port) => {
      for (let round = 0; round < 2; round++) {
        const { status, headers, reply } = await shake(port, "/ws", {
          "accept-encoding": "gzip",
          "if-none-match": "*",
        });
        assertEquals([status, reply], [101, "127.0.0.1 hi"], name);
        assertEquals(headers.get("connection"), "Upgrade", name);
        assertEquals(headers.get("upgrade"), "websocket", name);
        assertEquals(headers.get("sec-websocket-accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", name);
        assertEquals([headers.get("content-length"), headers.get("content-encoding")], [null, null], name);
        if (name === "headers of a body") assertEquals(headers.get("x-kept"), "yes");
      }
    });
  }
  await log.Close();
  assertEquals(lines.map((line) => /\b101\b/.test(line)), [true, true]);
});
