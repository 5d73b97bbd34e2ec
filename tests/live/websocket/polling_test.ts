import { assert, assertEquals, assertMatch } from "@std/assert";
import * as cors from "../../../src/middleware/cors.ts";
import * as live from "../../../src/live/hub/mod.ts";
import * as websocket from "../../../src/live/websocket/mod.ts";
import * as socketio from "../../../src/live/websocket/socketio.ts";
import * as fw from "../../../mod.ts";
import { type Ask, bothWays, overSocket, quiet } from "../../serving.ts";

const base = "/socket.io/?EIO=4&transport=polling";

interface Served {
  readonly app: fw.Application;
  readonly server: websocket.Server;
}

/** Serves an echo server. Users are named by a header field. */
function echo(options: websocket.Options = {}, configure?: (server: websocket.Server) => void): Served {
  const server = websocket.New({ Hub: live.New(), ...options });
  server.On("echo", (_conn, data) => data);
  server.On("bye", (conn) => conn.Close());
  server.On("tell", (conn) => {
    for (const each of ["a", "b", "c"]) conn.Emit(each);
  });
  configure?.(server);
  const app = quiet();
  app.Configure(fw.WithoutPathCorrectionRedirection);
  app.Use((ctx) => {
    const name = ctx.GetHeader("x-user");
    if (name === "banned") return ctx.StopWithStatus(401);
    if (name !== "") ctx.SetUser({ ID: name, Name: name, Roles: [], Method: "test" });
    return ctx.Next();
  });
  app.Any("/socket.io", socketio.Handler(server));
  return { app, server };
}

/** Registers two tests. Their sessions are closed at the end. */
function sessions(name: string, newApp: () => Served, run: (ask: Ask) => Promise<void>): void {
  let served: Served | undefined;
  bothWays(name, () => (served = newApp()).app, (ask) => run(ask).finally(() => served?.server.Close()));
}

/** Opens a session and returns the path of its requests. */
async function open(ask: Ask, headers: Record<string, string> = {}): Promise<string> {
  const { status, text } = await ask(base, { headers });
  assertEquals(status, 200);
  return `${base}&sid=${JSON.parse(text.slice(1)).sid}`;
}

/** Opens a session and connects to the default namespace. */
async function joined(ask: Ask): Promise<string> {
  const path = await open(ask);
  assertEquals((await ask(path, { method: "POST", body: "40" })).text, "ok");
  assertMatch((await ask(path)).text, /^40\{"sid":"[^"]+"\}$/);
  return path;
}

sessions(
  "Handler() of socketio opens a session with its terms, and refuses other handshakes with Engine.IO's codes",
  () => echo({ MaxMessage: 1_000, IdleTimeout: 20_000 }),
  async (ask) => {
    const { status, text, headers } = await ask(base);
    assertEquals([status, text[0], headers.get("cache-control")], [200, "0", "no-store"]);
    const { sid, ...terms } = JSON.parse(text.slice(1));
    assertMatch(sid, /^[\w-]{20,}$/);
    assertEquals(terms, { upgrades: ["websocket"], pingInterval: 10_000, pingTimeout: 10_000, maxPayload: 1_000 });
    const refusals: [path: string, method: string, status: number, code: number][] = [
      ["/socket.io/?EIO=4&transport=smoke", "GET", 400, 0],
      [`${base}&sid=unknown`, "GET", 400, 1],
      [`${base}&sid=unknown`, "POST", 400, 1],
      [base, "POST", 400, 2],
      [base, "PUT", 400, 2],
      [`${base}&sid=${sid}`, "DELETE", 400, 2],
      ["/socket.io/?transport=polling", "GET", 400, 5],
      ["/socket.io/?EIO=3&transport=polling", "GET", 400, 5],
    ];
    for (const [path, method, wanted, code] of refusals) {
      const answer = await ask(path, { method });
      assertEquals([answer.status, JSON.parse(answer.text).code], [wanted, code], `${method} ${path}`);
    }
    const { status: forbidden, text: reason } = await ask(base, { headers: { origin: "https://evil.example" } });
    assertEquals([forbidden, JSON.parse(reason).code], [403, 4]);
  },
);

sessions(
  "Handler() of socketio sends the messages of a tick in one response, with bytes as base64",
  () => echo(),
  async (ask) => {
    const path = await joined(ask);
    const body = '420["echo",1]\x1e451-1["echo",{"_placeholder":true,"num":0}]\x1ebAQID\x1e422["tell"]';
    assertEquals((await ask(path, { method: "POST", body })).text, "ok");
    const { text } = await ask(path);
    assertEquals(text.split("\x1e"), [
      "430[1]",
      '461-1[{"_placeholder":true,"num":0}]',
      "bAQID",
      '42["a"]',
      '42["b"]',
      '42["c"]',
      "432[]",
    ]);
  },
);

sessions("Handler() of socketio ends a session after malformed messages", () => echo(), async (ask) => {
  for (
    const body of ["abc", "", "4", "42{}", "b!", "bAQID", "5", "2probe", "40\x1e\x1e", "\x1e", "\ufeff40"]
  ) {
    const path = await open(ask);
    const { status, text } = await ask(path, { method: "POST", body });
    assertEquals([status, JSON.parse(text).code], [400, 3], JSON.stringify(body));
    assertEquals((await ask(path)).status, 400, JSON.stringify(body));
  }
});

sessions(
  "Handler() of socketio refuses bodies above MaxMessage with 413 and ends the session",
  () => echo({ MaxMessage: 100 }),
  async (ask) => {
    const path = await joined(ask);
    assertEquals((await ask(path, { method: "POST", body: `42["echo","${"x".repeat(80)}"]` })).status, 200);
    assertEquals((await ask(path, { method: "POST", body: `42["echo","${"x".repeat(100)}"]` })).status, 413);
    assertEquals((await ask(path)).status, 400);
  },
);

sessions("Handler() of socketio ends a session with two polls at the same time", () => echo(), async (ask) => {
  const path = await joined(ask);
  const first = ask(path);
  const second = new Promise((resolve) => setTimeout(resolve, 20)).then(() => ask(path));
  assertEquals([(await first).text, (await second).status], ["1", 400]);
  assertEquals((await ask(path)).status, 400);
});

sessions("Handler() of socketio responds to a pending poll when the client closes its session", () => {
  return echo();
}, async (ask) => {
  const path = await joined(ask);
  const poll = ask(path);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assertEquals((await ask(path, { method: "POST", body: "41\x1e1" })).text, "ok");
  assertEquals((await poll).text, "6");
  assertEquals((await ask(path)).status, 400);
});

sessions(
  "Handler() of socketio keeps the last messages of a closed session for the next polls",
  () => echo(),
  async (ask) => {
    const path = await joined(ask);
    assertEquals((await ask(path, { method: "POST", body: '42["bye"]' })).text, "ok");
    assertEquals((await ask(path)).text, "41");
    assertEquals((await ask(path)).text, "1");
    assertEquals((await ask(path)).status, 400);
  },
);

sessions(
  "Handler() of socketio runs guards for each request, and binds a session to the user who has opened it",
  () => echo(),
  async (ask) => {
    const path = await open(ask, { "x-user": "ada" });
    const as = (user: string, method = "GET", body?: string) =>
      ask(path, { method, headers: { ...user && { "x-user": user } }, ...body && { body } });
    for (const user of ["bob", ""]) {
      for (const method of ["GET", "POST"]) {
        const { status, text } = await as(user, method, method === "POST" ? "40" : undefined);
        assertEquals([status, JSON.parse(text).code], [400, 1]);
      }
    }
    assertEquals((await as("banned")).status, 401);
    assertEquals((await as("ada", "POST", "40")).text, "ok");
    assertMatch((await as("ada")).text, /^40\{/);
    // A session without a user cannot be taken over either.
    const anonymous = await open(ask);
    assertEquals((await ask(anonymous, { headers: { "x-user": "ada" } })).status, 400);
  },
);

sessions("Handler() of socketio counts sessions as connections", () => echo({ MaxConnections: 2 }), async (ask) => {
  await open(ask);
  const path = await open(ask);
  const { status, headers } = await ask(base);
  assertEquals([status, headers.get("retry-after")], [503, "5"]);
  assertEquals((await ask(path, { method: "POST", body: "1" })).status, 200);
  await open(ask);
});

Deno.test("Handler() of socketio ends sessions whose clients are silent, slow or gone", async () => {
  const endings: number[] = [];
  const { app } = echo({ IdleTimeout: 1_000, MaxBuffered: 10_000 }, (server) => {
    server.OnDisconnect((_conn, { Code }) => endings.push(Code));
    server.On("much", (conn) => {
      for (let at = 0; at < 100; at++) conn.Emit("x", "x".repeat(1_000));
    });
    server.On("more", (conn) => {
      let left = 50;
      const timer = setInterval(() => {
        conn.Emit("x", "x".repeat(1_000));
        if (--left === 0 || conn.IsClosed) clearInterval(timer);
      }, 1);
    });
  });
  await overSocket(app, async (ask, port) => {
    const slow = await joined(ask);
    await ask(slow, { method: "POST", body: '42["more"]' });
    while (endings.length < 1) await new Promise((resolve) => setTimeout(resolve, 10));
    assertEquals(endings, [1013]);
    assertEquals((await ask(slow)).status, 400);
    const silent = await joined(ask);
    while (endings.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    assertEquals(endings, [1013, 1001]);
    assertEquals((await ask(silent)).status, 400);
    const gone = await joined(ask);
    const controller = new AbortController();
    const poll = fetch(`http://127.0.0.1:${port}${gone}`, { signal: controller.signal }).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 20));
    controller.abort();
    await poll;
    while (endings.length < 3) await new Promise((resolve) => setTimeout(resolve, 10));
    assertEquals(endings, [1013, 1001, 1006]);
  });
});

Deno.test("Handler() of socketio continues to poll after a failed upgrade, and upgrades without losing messages", async () => {
  await overSocket(echo().app, async (ask, port) => {
    const path = await joined(ask);
    const url = `ws://127.0.0.1:${port}${path.replace("polling", "websocket")}`;
    const failing = new WebSocket(url);
    await new Promise((resolve) => failing.onopen = resolve);
    failing.send("5");
    await new Promise((resolve) => failing.onclose = resolve);
    assertEquals((await ask(path, { method: "POST", body: '421["echo",1]' })).text, "ok");
    assertEquals((await ask(path)).text, "431[1]");
    const socket = new WebSocket(url);
    const messages: string[] = [];
    const waiting: (() => void)[] = [];
    socket.onmessage = ({ data }) => {
      messages.push(data);
      waiting.shift()?.();
    };
    const next = () => new Promise<void>((resolve) => waiting.push(resolve));
    await new Promise((resolve) => socket.onopen = resolve);
    const poll = ask(path);
    const probed = next();
    socket.send("2probe");
    await probed;
    assertEquals([(await poll).text, messages], ["6", ["3probe"]]);
    // This reply waits for the end of the upgrade.
    assertEquals((await ask(path, { method: "POST", body: '422["echo",2]' })).text, "ok");
    const flushed = next();
    socket.send("5");
    await flushed;
    const replied = next();
    socket.send('423["echo",3]');
    await replied;
    assertEquals(messages, ["3probe", "432[2]", "433[3]"]);
    const { status, text } = await ask(path);
    assertEquals([status, JSON.parse(text).code], [400, 3]);
    socket.close();
    await new Promise((resolve) => socket.onclose = resolve);
    assertEquals((await ask(path)).status, 400);
  });
});

Deno.test("Handler() of socketio refuses upgrades of unknown and foreign sessions", async () => {
  const { app, server } = echo();
  await overSocket(app, async (ask, port) => {
    const path = await open(ask, { "x-user": "ada" });
    for (const each of [path, `${base}&sid=unknown`]) {
      const socket = new WebSocket(`ws://127.0.0.1:${port}${each.replace("polling", "websocket")}`);
      const event = await new Promise<Event>((resolve) => socket.onerror = socket.onopen = resolve);
      assertEquals(event.type, "error");
    }
    assertEquals((await ask(path, { method: "POST", body: "40", headers: { "x-user": "ada" } })).text, "ok");
    server.Close();
  });
});

Deno.test("Handler() of socketio explains unknown sessions once in the log", async () => {
  const lines: string[] = [];
  const { app } = echo();
  app.Logger().SetLevel("warn").SetOutput((line) => lines.push(line));
  for (let at = 0; at < 3; at++) {
    const { status } = await app.fetch(new Request(`http://localhost${base}&sid=${at}`));
    assertEquals(status, 400);
  }
  assertEquals(lines.filter((line) => line.includes("sticky sessions")).length, 1);
  assert(lines.length === 1);
});

sessions("Handler() of socketio serves pages of other origins with the cors middleware and Origins", () => {
  const server = websocket.New({ Hub: live.New(), Origins: ["https://shop.example"] });
  const app = quiet();
  app.Configure(fw.WithoutPathCorrectionRedirection);
  app.UseRouter(cors.New({ Origins: ["https://shop.example"], AllowCredentials: true }));
  app.Any("/socket.io", socketio.Handler(server));
  return { app, server };
}, async (ask) => {
  const headers = { origin: "https://shop.example" };
  const preflight = await ask(base, {
    method: "OPTIONS",
    headers: { ...headers, "access-control-request-method": "POST" },
  });
  assertEquals([preflight.status, preflight.headers.get("access-control-allow-origin")], [204, headers.origin]);
  const path = await open(ask, headers);
  const { text, headers: answered } = await ask(path, { method: "POST", body: "40", headers });
  assertEquals([text, answered.get("access-control-allow-origin")], ["ok", headers.origin]);
  assertEquals((await ask(path, { headers: { origin: "https://evil.example" } })).status, 403);
});

sessions(
  "Handler() of socketio passes messages that are not Socket.IO packets to OnNativeMessage",
  () =>
    echo({}, (server) => {
      server.On(websocket.OnNativeMessage, (conn, data) => {
        conn.Write(data);
        return data;
      });
    }),
  async (ask) => {
    const path = await open(ask);
    assertEquals((await ask(path, { method: "POST", body: "4hello\x1ebAQID" })).text, "ok");
    const texts: string[] = [];
    while (texts.length < 4) texts.push(...(await ask(path)).text.split("\x1e"));
    assertEquals(texts, ["4hello", "4hello", "bAQID", "bAQID"]);
    // Socket.IO packets and other types are still checked.
    assertEquals((await ask(path, { method: "POST", body: "42{}" })).status, 400);
  },
);

Deno.test("Application.Shutdown() does not wait for polling clients that are between two polls", async () => {
  const { app } = echo();
  const ask: Ask = async (path, { method = "GET", body } = {}) => {
    const init = { method, ...body !== undefined && { body } };
    const response = await app.fetch(new Request(`http://localhost${path}`, init));
    const text = await response.text();
    return { status: response.status, headers: response.headers, bytes: new Uint8Array(), text };
  };
  const [idle, polling] = [await joined(ask), await joined(ask)];
  const poll = ask(polling);
  const from = performance.now();
  await app.Shutdown();
  assert(performance.now() - from < 2_000);
  assertEquals([(await poll).text, (await ask(idle)).status], ["1", 400]);
});
