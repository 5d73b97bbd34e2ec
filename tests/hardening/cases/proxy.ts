/** Attacks through a reverse proxy: on the framing of requests, on guards, and with forged headers. */

import type { Attack } from "../attack.ts";
import { all, either, header, never, refuses, responds, respondsInTurn, says, smuggled, so, tells } from "../expect.ts";
import { fullName } from "../attack.ts";
import { expectedFailures, platform } from "../known.ts";
import { get, request } from "../requests.ts";
import { framingAttacks } from "./framing.ts";

const needs = ["reverse proxy"];
const unheld = new Set([...expectedFailures, ...Object.keys(platform)]);
const last = "GET /ping HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

/** The attacks on framing, sent to routes that the proxy forwards. */
export const proxiedFramingAttacks: readonly Attack[] = framingAttacks
  .filter((attack) => typeof attack.send === "string" && / \/(?:echo|ping) /.test(attack.send.split("\r\n")[0] ?? ""))
  .filter((attack) => attack.needs === undefined && !unheld.has(fullName("framing", attack)))
  .map(({ name, send, expect }) => ({
    name: `${name}, through a proxy`,
    needs,
    send: String(send).replace(/ \/(echo|ping) /, " /proxied/$1 "),
    expect,
  }));

/** Further attacks on framing, which concern the request to the upstream server. */
export const upstreamFramingAttacks: readonly Attack[] = [
  ["a length", `Content-Length: ${last.length}\r\n\r\n${last}`],
  ["chunks", `Transfer-Encoding: chunked\r\n\r\n${last.length.toString(16)}\r\n${last}\r\n0\r\n\r\n`],
].map(([name, rest]): Attack => ({
  name: `A body with ${name} that contains a request is a body for the upstream server`,
  needs,
  send: `POST /proxied/echo HTTP/1.1\r\nHost: localhost\r\n${rest}${last}`,
  expect: all(respondsInTurn(200, 200), so("echoes the body", ({ replies: [first] }) => first?.body === last)),
})).concat([
  {
    name: "A GET request's body is not a request to the upstream server",
    needs,
    send: `GET /proxied/ping HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${last.length}\r\n\r\n${last}${last}`,
    expect: all(either(respondsInTurn(200, 200), refuses()), never(smuggled)),
  },
  {
    name: "An upgrade that the upstream server refuses does not open a tunnel",
    needs,
    send: request("GET", "/proxied/ping", {
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    }) + get("/smuggled-behind"),
    expect: all(respondsInTurn(502, 404), never(smuggled)),
  },
  {
    name: "An upgrade to HTTP/2 is not passed on",
    needs,
    send: request("GET", "/proxied/headers", {
      Connection: "Upgrade, HTTP2-Settings, close",
      Upgrade: "h2c",
      "HTTP2-Settings": "AAMAAABkAARAAAAAAAIAAAAA",
    }),
    expect: so(
      "removes the headers",
      ({ replies: [reply] }) => reply?.status === 200 && !/h2c|http2/i.test(reply.body),
    ),
  },
]);

const hidden: readonly string[] = [
  "/proxied/x/../admin/keys",
  "/proxied/x/%2e%2e/admin/keys",
  "/proxied/x%2f..%2fadmin/keys",
  "/proxied/x%5c..%5cadmin/keys",
  "/proxied/x\\..\\admin/keys",
  "/proxied/x/..;/admin/keys",
  "/proxied/..;/admin/keys",
  "/proxied/%2e%2e%3b/admin/keys",
  "/proxied/admin%2fkeys",
  "/proxied//admin/keys",
  "/proxied/./admin/keys",
  "/proxied/admin;x/keys",
  "/proxied/staff%2fkeys",
  "/proxied/x/..%2fstaff",
  "/proxied//staff",
  "/proxied-item/..%2fadmin",
  "/proxied-item/..%5cadmin",
  "/proxied-item/%2e%2e%2fadmin",
  "/proxied-item/..;%2fadmin",
  "http://localhost/proxied/admin/keys",
];

const forged: readonly (readonly [string, Record<string, string>])[] = [
  ["X-Forwarded-For", { "X-Forwarded-For": "6.6.6.6" }],
  ["X_Forwarded_For", { "X_Forwarded_For": "6.6.6.6" }],
  ["Forwarded", { Forwarded: "for=6.6.6.6;host=6.6.6.6" }],
  ["X-Forwarded-Host", { "X-Forwarded-Host": "6.6.6.6" }],
  ["X-Forwarded-Prefix", { "X-Forwarded-Prefix": "/6.6.6.6" }],
  ["X-Real-IP", { "X-Real-IP": "6.6.6.6" }],
  ["Proxy", { Proxy: "http://6.6.6.6" }],
  ["a connection header", { Connection: "close, X-Forwarded-For, X-Own", "X-Own": "6.6.6.6" }],
  ["Proxy-Authorization", { "Proxy-Authorization": "6.6.6.6" }],
  ["TE", { TE: "trailers, 6.6.6.6" }],
];

/** Attacks on guards in front of the proxy, and on what the upstream server believes. */
export const proxyAttacks: readonly Attack[] = [
  ...hidden.map((path): Attack => ({
    name: `A guard in front of a proxy is not bypassed by ${JSON.stringify(path)}`,
    needs,
    send: get(path),
    expect: never(),
  })),
  ...["X-Original-URL", "X-Rewrite-URL"].map((name): Attack => ({
    name: `A guard in front of a proxy is not bypassed by ${name}`,
    needs,
    send: get("/proxied/ping", { [name]: "/admin" }),
    expect: all(says(200, "pong"), never()),
  })),
  ...forged.map(([name, headers]): Attack => ({
    name: `A client cannot forge ${name} for the upstream server`,
    needs,
    send: get("/proxied/headers", headers),
    expect: all(tells(200, '"x-forwarded-for":"127.0.0.1"'), never("6.6.6.6")),
  })),
  {
    name: "A redirect of the upstream server does not reveal its address",
    needs,
    send: get("/proxied/go"),
    expect: header("location", /^\/proxied\/login$/),
  },
  {
    name: "An upstream server that is down is not described",
    needs,
    send: get("/proxied-nowhere"),
    expect: all(says(502, "Bad Gateway"), never(), never("127.0.0.1")),
  },
  {
    name: "A method that cannot be forwarded is refused",
    needs,
    send: request("TRACE", "/proxied/ping", { "X-Own": "x" }),
    expect: all(responds(405, 501), never("pong")),
  },
  {
    name: "An endless response of the upstream server ends",
    needs,
    send: get("/proxied/endless"),
    expect: so("breaks off the response", ({ replies }) => (replies[0]?.body.length ?? 0) <= 2 << 20),
  },
];
