import { assertEquals, assertThrows } from "@std/assert";
import * as fw from "../../../mod.ts";
import { overSocket, quiet } from "../../serving.ts";

/** Returns the client's properties as seen by an application behind proxies. */
async function seen(
  options: fw.ProxyOptions,
  headers: Record<string, string>,
  peer = "10.0.0.1",
): Promise<{ addr: string; link: string; isSecure: boolean }> {
  const app = quiet().Configure(fw.WithProxy(options));
  app.Get("/a/b", (ctx) => {
    ctx.SetCookie("c", "1");
    ctx.JSON({ addr: ctx.RemoteAddr(), link: ctx.AbsoluteURI("/login") });
  });
  const remoteAddr: Deno.NetAddr = { transport: "tcp", hostname: peer, port: 1 };
  const response = await app.fetch(new Request("http://inner.example/a/b?q=1", { headers }), { remoteAddr });
  return { ...await response.json(), isSecure: /; Secure/.test(response.headers.get("set-cookie") ?? "") };
}

const trusting = { Trust: ["10.0.0.0/8"] };
const standard: fw.ProxyOptions = { Trust: ["10.0.0.0/8"], Take: ["Forwarded"] };
const plain = { link: "http://inner.example/login", isSecure: false };
const full = { addr: "203.0.113.7", link: "https://shop.example/login", isSecure: true };

Deno.test("WithProxy() affects the client's address, links and Secure cookies", async () => {
  const headers = {
    "x-forwarded-for": "203.0.113.7",
    "x-forwarded-proto": "https",
    "x-forwarded-host": "shop.example",
  };
  assertEquals(await seen(trusting, headers), full);
  assertEquals(await seen(trusting, { ...headers, "x-forwarded-proto": "HTTPS" }), full);
  assertEquals(await seen(trusting, { ...headers, "x-forwarded-proto": "wss" }), full);
  assertEquals(await seen(trusting, headers, "203.0.113.9"), { addr: "203.0.113.9", ...plain });
  assertEquals(await seen(trusting, {}), { addr: "10.0.0.1", ...plain });
});

Deno.test("WithProxy() uses the Forwarded entry of the hop that the client connected to", async () => {
  const own = "for=203.0.113.7;proto=https;host=shop.example";
  assertEquals(await seen(standard, { forwarded: own }), full);
  assertEquals(await seen(standard, { forwarded: `${own}, for=10.0.0.2;proto=http;host=inner` }), full);
  assertEquals(await seen(standard, { forwarded: `for=6.6.6.6;proto=http;host=evil.example, ${own}` }), full);
  assertEquals(await seen(standard, { forwarded: own }, "203.0.113.9"), { addr: "203.0.113.9", ...plain });
});

Deno.test("WithProxy() ignores headers that are not configured", async () => {
  const spoofed = { forwarded: "for=6.6.6.6;proto=https;host=evil.example", "x-forwarded-for": "203.0.113.7" };
  assertEquals(await seen(trusting, spoofed), { addr: "203.0.113.7", ...plain });
  assertEquals((await seen(standard, { "x-forwarded-for": "6.6.6.6" })).addr, "10.0.0.1");
  const addressOnly: fw.ProxyOptions = { Trust: ["10.0.0.1"], Take: ["X-Forwarded-For"] };
  const all = { "x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "https", "x-forwarded-host": "evil.example" };
  assertEquals(await seen(addressOnly, all), { addr: "203.0.113.7", ...plain });
});

Deno.test("WithProxy() ignores entries that a client adds to the front of a list", async () => {
  const headers = {
    "x-forwarded-for": "6.6.6.6, 203.0.113.7",
    "x-forwarded-proto": "http, https",
    "x-forwarded-host": "evil.example, shop.example",
  };
  assertEquals(await seen(trusting, headers), full);
  // There are two proxies, and each adds an entry to every list.
  assertEquals(
    await seen(trusting, {
      "x-forwarded-for": "203.0.113.7, 10.0.0.2",
      "x-forwarded-proto": "https, http",
      "x-forwarded-host": "shop.example, inner",
    }),
    full,
  );
  // If the lists have different lengths, the entry from the nearest proxy is used.
  assertEquals(
    await seen(trusting, {
      "x-forwarded-for": "203.0.113.7",
      "x-forwarded-proto": "http, https",
      "x-forwarded-host": "evil.example, shop.example",
    }),
    full,
  );
});

for (const host of ["evil.example/x?", "a b", "evil@shop", "a\\b", "x#y", "%", "", "a,"]) {
  Deno.test(`WithProxy() ignores the forwarded host ${JSON.stringify(host)}`, async () => {
    const headers = { "x-forwarded-for": "203.0.113.7", "x-forwarded-host": host };
    assertEquals(await seen(trusting, headers), { addr: "203.0.113.7", ...plain });
    const forwarded = `for=203.0.113.7;host="${host}"`;
    const viaStandard = await seen(standard, { forwarded });
    // A backslash in quotes escapes the next character, so the rest may be a valid host.
    if (!host.includes("\\")) assertEquals(viaStandard.link, plain.link);
  });
}

for (const proto of ["javascript", "", "https:", "https://x", "__proto__", "ftp"]) {
  Deno.test(`WithProxy() ignores the forwarded scheme ${JSON.stringify(proto)}`, async () => {
    const headers = { "x-forwarded-for": "203.0.113.7", "x-forwarded-proto": proto };
    assertEquals(await seen(trusting, headers), { addr: "203.0.113.7", ...plain });
  });
}

Deno.test("WithProxy() falls back to the connection if Forwarded cannot be parsed", async () => {
  const forwarded = [
    'for="203.0.113.7',
    "for=203.0.113.7;for=6.6.6.6",
    "for=unknown;proto=https",
    "for=_x;proto=https",
  ];
  for (const text of forwarded) {
    assertEquals(await seen(standard, { forwarded: text }), { addr: "10.0.0.1", ...plain }, text);
  }
});

Deno.test("WithProxy() accepts named networks", async () => {
  const headers = { "x-forwarded-for": "203.0.113.7" };
  for (const peer of ["127.0.0.1", "127.8.0.1", "::1", "::ffff:127.0.0.1"]) {
    assertEquals((await seen({ Trust: ["loopback"] }, headers, peer)).addr, "203.0.113.7", peer);
  }
  for (const peer of ["10.1.1.1", "172.31.0.1", "192.168.0.1", "fd00::1", "fe80::1"]) {
    assertEquals((await seen({ Trust: ["private"] }, headers, peer)).addr, "203.0.113.7", peer);
  }
  for (const peer of ["11.0.0.1", "172.32.0.1", "2001:db8::1", "127.0.0.1"]) {
    assertEquals((await seen({ Trust: ["private"] }, headers, peer)).addr, peer);
  }
});

Deno.test("WithProxy() rejects Forwarded next to the older headers, and invalid networks", () => {
  const both: fw.ProxyOptions = { Trust: ["::1"], Take: ["Forwarded", "X-Forwarded-For"] };
  assertThrows(() => fw.WithProxy(both), fw.FrameworkError, 'Cannot combine "Forwarded" with other headers');
  for (const Trust of [["everyone"], ["10.0.0.0/33"], ["constructor"]]) {
    assertThrows(() => fw.New().Configure(fw.WithProxy({ Trust })).Build(), fw.FrameworkError);
  }
});

Deno.test("WithProxy() over a socket: a client that is not a proxy cannot choose its address, scheme or host", async () => {
  const headers = {
    host: "inner.example",
    "x-forwarded-for": "203.0.113.7",
    "x-forwarded-proto": "https",
    "x-forwarded-host": "shop.example",
  };
  for (
    const [trusted, expected] of [["192.0.2.1", "127.0.0.1 http://inner.example/"], [
      "loopback",
      "203.0.113.7 https://shop.example/",
    ]]
  ) {
    const app = quiet().Configure(fw.WithProxy({ Trust: [trusted ?? ""] }));
    app.Get("/", (ctx) => ctx.WriteString(`${ctx.RemoteAddr()} ${ctx.AbsoluteURI("/")}`));
    await overSocket(app, async (ask) => assertEquals((await ask("/", { headers })).text, expected));
  }
});

Deno.test("WithProxy() without addresses trusts only peers on unix sockets", async () => {
  const app = fw.New().Configure(fw.WithProxy({ Trust: [] }));
  app.Get("/", (ctx) => ctx.WriteString(ctx.RemoteAddr()));
  const ask = async (remoteAddr: Deno.Addr) => {
    const request = new Request("http://localhost/", { headers: { "x-forwarded-for": "203.0.113.7" } });
    return await (await app.fetch(request, { remoteAddr })).text();
  };
  assertEquals(await ask({ transport: "unix", path: "/run/app.sock" }), "203.0.113.7");
  assertEquals(await ask({ transport: "tcp", hostname: "127.0.0.1", port: 1 }), "127.0.0.1");
});
