import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import * as answers from "../../src/answers/mod.ts";
import * as fw from "../../mod.ts";
import * as httptest from "../../src/httptest/mod.ts";
import * as live from "../../src/live/mod.ts";
import * as mcp from "../../src/mcp/mod.ts";
import * as accesslog from "../../src/middleware/accesslog/mod.ts";
import * as compress from "../../src/middleware/compress/mod.ts";
import * as cors from "../../src/middleware/cors.ts";
import * as csrf from "../../src/middleware/csrf/mod.ts";
import * as etag from "../../src/middleware/etag.ts";
import * as ipfilter from "../../src/middleware/ipfilter.ts";
import * as jwt from "../../src/middleware/jwt/mod.ts";
import * as oauth from "../../src/middleware/oauth/mod.ts";
import * as ratelimit from "../../src/middleware/ratelimit.ts";
import * as sessions from "../../src/sessions/mod.ts";
import * as webhooks from "../../src/webhooks/mod.ts";
import * as websocket from "../../src/websocket/mod.ts";
import { quiet } from "../serving.ts";

/** The functions that take an option which had another name in 0.2, by that name. */
const renamed: readonly [name: string, use: (options: Record<string, unknown>) => unknown][] = [
  ["MaxFormSize", configured],
  ["MaxJSONSize", configured],
  ["MaxRequestBodySize", configured],
  ["MaxSize", with_(accesslog.New)],
  ["MaxSize", with_(answers.New)],
  ["MaxSize", with_(etag.New)],
  ["MinSize", with_(compress.New)],
  ["MaxBodySize", with_(webhooks.Verify)],
  ["MaxResponseSize", with_(webhooks.Send)],
  ["MaxMessageSize", withApp(mcp.New)],
  ["MaxResultSize", withApp(mcp.New)],
  ["AllowOrigin", with_(cors.New)],
  ["TrustedOrigins", with_(csrf.New)],
  ["OnLimit", with_(ratelimit.New)],
  ["OnDeny", with_(ipfilter.New)],
  ["OnFailure", with_(oauth.New)],
  ["ClockTolerance", with_(jwt.New)],
  ["IDGenerator", with_(sessions.New)],
  ["Except", with_(fw.RedirectToHTTPS)],
];

function configured(options: Record<string, unknown>): unknown {
  return fw.New().Configure(fw.WithConfiguration(options)).Build();
}

function with_(create: (options: never) => unknown): (options: Record<string, unknown>) => unknown {
  return (options) => create(options as never);
}

function withApp(
  create: (app: fw.Application, options: never) => unknown,
): (options: Record<string, unknown>) => unknown {
  return (options) => create(quiet(), options as never);
}

for (const [at, [name, use]] of renamed.entries()) {
  Deno.test(`An option that was renamed is not ignored: ${name} (${at})`, () => {
    const error = assertThrows(() => use({ [name]: 1 }), fw.FrameworkError, `"${name}"`);
    if (!/no such/.test(error.message)) throw error;
  });
}

Deno.test("An option of Proxy that was renamed is not ignored", async () => {
  const app = quiet();
  const errors: unknown[] = [];
  app.OnError((_ctx, error) => void errors.push(error));
  app.Any("/tea", fw.Proxy("http://127.0.0.1:1", { MaxResponseSize: 1 } as fw.ReverseProxyOptions));
  assertEquals((await app.fetch(new Request("http://localhost/tea"))).status, 500);
  assertStringIncludes(String(errors[0]), '"MaxResponseSize" of Proxy: there is no such option');
});

Deno.test("A namespace or timeout that is passed as an argument is not ignored", async () => {
  const hub = live.New();
  const server = websocket.New({ Hub: hub, Presence: true });
  server.On("tell", () => "tea");
  const conns: websocket.Conn[] = [];
  server.On(websocket.OnNamespaceConnected, (conn) => void conns.push(conn));
  const app = quiet();
  app.Get("/ws", websocket.Handler(server));
  const socket = await httptest.New(app).WebSocket("/ws");
  await socket.Ask("tell");
  const [conn] = conns;
  const chat = "chat" as never;
  for (
    const use of [
      () => hub.Topic("tea", chat),
      () => hub.Presence("tea", chat),
      () => live.Presence("tea", chat),
      () => server.Presence("tea", chat),
      () => server.To("tea", chat),
      () => server.ToUser("ada", chat),
      () => server.Conns(chat),
      () => server.Broadcast(null, "said", 1, chat),
      () => conn?.Ask("question", null, 5_000 as never),
      () => socket.Ask("tell", null, chat),
      () => socket.Emit("tell", null, chat),
    ]
  ) assertThrows(use, fw.FrameworkError, "they must be an object, not a ", String(use));
  await socket.Close();
  await hub.Close();
});
