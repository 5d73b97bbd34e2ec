import { assertEquals, assertThrows } from "@std/assert";
import * as fw from "../../mod.ts";
import { bothWays, overSocket, quiet } from "../serving.ts";
import { subdomainOf } from "../../src/context/client/request_host.ts";

/** What an application responds to a peer that sends headers. */
async function seenFrom(
  peer: string,
  headers: Record<string, string>,
  ...configurators: fw.Configurator[]
): Promise<{ addr: string; host: string }> {
  const app = quiet().Configure(...configurators);
  app.Get("/", (ctx) => ctx.JSON({ addr: ctx.RemoteAddr(), host: ctx.Host() }));
  const remoteAddr: Deno.NetAddr = { transport: "tcp", hostname: peer, port: 1 };
  const response = await app.fetch(new Request("http://asked.example/", { headers }), { remoteAddr });
  return await response.json();
}

async function addrFrom(peer: string, forwarded: string, ...proxies: string[]): Promise<string> {
  const configurator = fw.WithRemoteAddrHeader("X-Forwarded-For", ...proxies);
  return (await seenFrom(peer, { "x-forwarded-for": forwarded }, configurator)).addr;
}

bothWays("Context.RemoteAddr() is the peer's address without port", () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.WriteString(ctx.RemoteAddr()));
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).text, "127.0.0.1");
  assertEquals(
    (await ask("/", { headers: { "x-forwarded-for": "1.2.3.4", "x-real-ip": "1.2.3.4" } })).text,
    "127.0.0.1",
  );
});

Deno.test("Context.RemoteAddr() of an IPv6 peer has no brackets, of an IPv4 peer on a dual socket no prefix", async () => {
  assertEquals((await seenFrom("2001:db8::1", {})).addr, "2001:db8::1");
  assertEquals((await seenFrom("::ffff:203.0.113.7", {})).addr, "203.0.113.7");
  assertEquals((await seenFrom("::FFFF:203.0.113.7", {})).addr, "203.0.113.7");
});

Deno.test("Context.RemoteAddr() on a dual socket is the IPv4 address that the client has", async () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.WriteString(ctx.RemoteAddr()));
  const server = Deno.serve({ hostname: "::", port: 0, onListen() {} }, app.fetch);
  try {
    const response = await fetch(`http://127.0.0.1:${server.addr.port}/`);
    assertEquals(await response.text(), "127.0.0.1");
  } finally {
    await server.shutdown();
  }
});

Deno.test("Context.RemoteAddr() without a connection, or of a socket that has no address, is empty", async () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.WriteString(ctx.RemoteAddr()));
  assertEquals(await (await app.fetch(new Request("http://localhost/"))).text(), "");
  const unix: Deno.UnixAddr = { transport: "unix", path: "" };
  assertEquals(await (await app.fetch(new Request("http://localhost/"), { remoteAddr: unix })).text(), "");
});

Deno.test("Context.RemoteAddr() believes a forwarding header from a trusted proxy alone", async () => {
  assertEquals(await addrFrom("10.0.0.1", "203.0.113.7", "10.0.0.1"), "203.0.113.7");
  assertEquals(await addrFrom("10.0.0.2", "203.0.113.7", "10.0.0.1"), "10.0.0.2");
  assertEquals(await addrFrom("203.0.113.9", "127.0.0.1", "10.0.0.0/8"), "203.0.113.9");
  assertEquals(await addrFrom("10.9.9.9", "203.0.113.7", "10.0.0.0/8"), "203.0.113.7");
  assertEquals(await addrFrom("::1", "203.0.113.7", "::1"), "203.0.113.7");
  assertEquals(await addrFrom("2001:db8:1::5", "2001:db8:2::6", "2001:db8:1::/48"), "2001:db8:2::6");
  assertEquals(await addrFrom("::ffff:10.0.0.1", "203.0.113.7", "10.0.0.1"), "203.0.113.7");
});

Deno.test("Context.RemoteAddr() takes the last address that is not a trusted proxy's: what stands before may be made up", async () => {
  assertEquals(await addrFrom("10.0.0.1", "6.6.6.6, 203.0.113.7", "10.0.0.1"), "203.0.113.7");
  assertEquals(await addrFrom("10.0.0.1", "6.6.6.6, 203.0.113.7, 10.0.0.3, 10.0.0.2", "10.0.0.0/24"), "203.0.113.7");
  assertEquals(await addrFrom("10.0.0.1", "127.0.0.1, 203.0.113.7", "10.0.0.1"), "203.0.113.7");
  assertEquals(await addrFrom("10.0.0.1", "10.0.0.9, 203.0.113.7", "10.0.0.0/24"), "203.0.113.7");
  assertEquals(await addrFrom("10.0.0.1", "'; drop table, 203.0.113.7", "10.0.0.1"), "203.0.113.7");
});

Deno.test("Context.RemoteAddr() of a client inside the trusted network is the first of the list", async () => {
  assertEquals(await addrFrom("10.0.0.1", "10.0.0.7", "10.0.0.0/8"), "10.0.0.7");
  assertEquals(await addrFrom("10.0.0.1", "10.0.0.7, 10.0.0.3", "10.0.0.0/8"), "10.0.0.7");
});

Deno.test("Context.RemoteAddr() falls back to the peer where the list cannot be read", async () => {
  for (
    const list of ["", "unknown", "203.0.113.7, _hidden", "203.0.113.7,", "1.2.3.4.5", "256.1.1.1", "fe80::1%eth0"]
  ) {
    assertEquals(await addrFrom("10.0.0.1", list, "10.0.0.1"), "10.0.0.1", list);
  }
});

Deno.test("Context.RemoteAddr() reads entries with ports and brackets", async () => {
  assertEquals(await addrFrom("10.0.0.1", "203.0.113.7:51234", "10.0.0.1"), "203.0.113.7");
  assertEquals(await addrFrom("10.0.0.1", "[2001:db8::1]:443", "10.0.0.1"), "2001:db8::1");
  assertEquals(await addrFrom("10.0.0.1", "[2001:db8::1]", "10.0.0.1"), "2001:db8::1");
  assertEquals(await addrFrom("10.0.0.1", "  203.0.113.7  ", "10.0.0.1"), "203.0.113.7");
});

Deno.test("Context.RemoteAddr() asks the configured headers in their order", async () => {
  const configurators = [fw.WithRemoteAddrHeader("CF-Connecting-IP", "10.0.0.1"), fw.WithRemoteAddrHeader("X-Real-IP")];
  const both = { "cf-connecting-ip": "203.0.113.1", "x-real-ip": "203.0.113.2" };
  assertEquals((await seenFrom("10.0.0.1", both, ...configurators)).addr, "203.0.113.1");
  assertEquals((await seenFrom("10.0.0.1", { "x-real-ip": "203.0.113.2" }, ...configurators)).addr, "203.0.113.2");
  assertEquals(
    (await seenFrom("10.0.0.1", { "cf-connecting-ip": "x", "x-real-ip": "203.0.113.2" }, ...configurators)).addr,
    "203.0.113.2",
  );
  assertEquals((await seenFrom("10.0.0.1", { "x-forwarded-for": "203.0.113.3" }, ...configurators)).addr, "10.0.0.1");
});

Deno.test("Context.RemoteAddr() over a socket: a spoofed header counts for nothing, a proxy's does", async () => {
  const app = quiet().Configure(fw.WithRemoteAddrHeader("X-Forwarded-For", "192.0.2.1"));
  app.Get("/", (ctx) => ctx.WriteString(ctx.RemoteAddr()));
  await overSocket(app, async (ask) => {
    assertEquals((await ask("/", { headers: { "x-forwarded-for": "203.0.113.7" } })).text, "127.0.0.1");
  });
  const behind = quiet().Configure(fw.WithRemoteAddrHeader("X-Forwarded-For", "127.0.0.0/8"));
  behind.Get("/", (ctx) => ctx.WriteString(ctx.RemoteAddr()));
  await overSocket(behind, async (ask) => {
    assertEquals((await ask("/", { headers: { "x-forwarded-for": "6.6.6.6, 203.0.113.7" } })).text, "203.0.113.7");
  });
});

Deno.test("Context.Host() believes a forwarding header from a trusted proxy alone", async () => {
  const configurator = fw.WithHostProxyHeader("X-Forwarded-Host", "10.0.0.1");
  const headers = { "x-forwarded-host": "public.example:8443" };
  assertEquals((await seenFrom("10.0.0.1", headers, configurator)).host, "public.example:8443");
  assertEquals((await seenFrom("10.0.0.2", headers, configurator)).host, "asked.example");
  assertEquals((await seenFrom("10.0.0.1", {}, configurator)).host, "asked.example");
  assertEquals((await seenFrom("10.0.0.1", { "x-forwarded-host": "" }, configurator)).host, "asked.example");
  assertEquals((await seenFrom("10.0.0.1", headers)).host, "asked.example");
});

Deno.test("Context.Host() of a trusted proxy chooses the subdomain", async () => {
  const app = quiet().Configure(fw.WithHostProxyHeader("X-Forwarded-Host", "127.0.0.1"));
  app.Get("/", (ctx) => ctx.WriteString("root"));
  app.Subdomain("admin").Get("/", (ctx) => ctx.WriteString(`admin ${ctx.SubdomainFull()}`));
  await overSocket(app, async (ask) => {
    assertEquals((await ask("/", { headers: { "x-forwarded-host": "admin.example.com" } })).text, "admin admin.");
    assertEquals((await ask("/")).text, "root");
  });
});

Deno.test("Context.Host() and RemoteAddr() trust what reaches a unix socket", async () => {
  const app = quiet().Configure(
    fw.WithRemoteAddrHeader("X-Forwarded-For", "192.0.2.1"),
    fw.WithHostProxyHeader("X-Forwarded-Host"),
  );
  app.Get("/", (ctx) => ctx.WriteString(`${ctx.RemoteAddr()} ${ctx.Host()}`));
  const headers = { "x-forwarded-for": "203.0.113.7", "x-forwarded-host": "public.example" };
  const remoteAddr: Deno.UnixAddr = { transport: "unix", path: "" };
  const response = await app.fetch(new Request("http://localhost/", { headers }), { remoteAddr });
  assertEquals(await response.text(), "203.0.113.7 public.example");
});

const subdomains: [host: string, vhost: string, expected: string][] = [
  ["example.com", "", ""],
  ["www.example.com", "", "www."],
  ["A.B.example.com:80", "", "a.b."],
  ["localhost", "", ""],
  ["admin.localhost:8080", "", "admin."],
  ["com", "", ""],
  ["127.0.0.1:80", "", ""],
  ["[::1]:80", "", ""],
  ["", "", ""],
  ["shop.example.co.uk", "example.co.uk", "shop."],
  ["example.co.uk", "example.co.uk", ""],
  ["other.com", "example.co.uk", ""],
  ["notexample.co.uk", "example.co.uk", ""],
  ["SHOP.EXAMPLE.CO.UK:1", "Example.co.uk:2", "shop."],
];

for (const [host, vhost, expected] of subdomains) {
  Deno.test(`subdomainOf() of "${host}" with root "${vhost}" is "${expected}"`, () => {
    assertEquals(subdomainOf(host, vhost), expected);
  });
}

/** What an application behind proxies sees of a client. */
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

Deno.test("WithProxy() makes address, links and Secure cookies those that the client uses", async () => {
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

Deno.test("WithProxy() takes the header Forwarded of the hop that the client is on", async () => {
  const own = "for=203.0.113.7;proto=https;host=shop.example";
  assertEquals(await seen(standard, { forwarded: own }), full);
  assertEquals(await seen(standard, { forwarded: `${own}, for=10.0.0.2;proto=http;host=inner` }), full);
  assertEquals(await seen(standard, { forwarded: `for=6.6.6.6;proto=http;host=evil.example, ${own}` }), full);
  assertEquals(await seen(standard, { forwarded: own }, "203.0.113.9"), { addr: "203.0.113.9", ...plain });
});

Deno.test("WithProxy() does not take a header that it was not told of", async () => {
  const spoofed = { forwarded: "for=6.6.6.6;proto=https;host=evil.example", "x-forwarded-for": "203.0.113.7" };
  assertEquals(await seen(trusting, spoofed), { addr: "203.0.113.7", ...plain });
  assertEquals((await seen(standard, { "x-forwarded-for": "6.6.6.6" })).addr, "10.0.0.1");
  const addressOnly: fw.ProxyOptions = { Trust: ["10.0.0.1"], Take: ["X-Forwarded-For"] };
  const all = { "x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "https", "x-forwarded-host": "evil.example" };
  assertEquals(await seen(addressOnly, all), { addr: "203.0.113.7", ...plain });
});

Deno.test("WithProxy(): what a client put in front of a list does not count", async () => {
  const headers = {
    "x-forwarded-for": "6.6.6.6, 203.0.113.7",
    "x-forwarded-proto": "http, https",
    "x-forwarded-host": "evil.example, shop.example",
  };
  assertEquals(await seen(trusting, headers), full);
  // Two proxies that each add an entry to every list.
  assertEquals(
    await seen(trusting, {
      "x-forwarded-for": "203.0.113.7, 10.0.0.2",
      "x-forwarded-proto": "https, http",
      "x-forwarded-host": "shop.example, inner",
    }),
    full,
  );
  // Lists of different lengths cannot be laid side by side: the nearest proxy's word counts.
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
    // A backslash in quotes escapes what follows it: what is left may be a host.
    if (!host.includes("\\")) assertEquals(viaStandard.link, plain.link);
  });
}

for (const proto of ["javascript", "", "https:", "https://x", "__proto__", "ftp"]) {
  Deno.test(`WithProxy() ignores the forwarded scheme ${JSON.stringify(proto)}`, async () => {
    const headers = { "x-forwarded-for": "203.0.113.7", "x-forwarded-proto": proto };
    assertEquals(await seen(trusting, headers), { addr: "203.0.113.7", ...plain });
  });
}

Deno.test("WithProxy() falls back to the connection where Forwarded cannot be read", async () => {
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

Deno.test("WithProxy() knows networks by name", async () => {
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

Deno.test("WithProxy() refuses Forwarded beside its older rivals, no proxy, and what is not a network", () => {
  const both: fw.ProxyOptions = { Trust: ["::1"], Take: ["Forwarded", "X-Forwarded-For"] };
  assertThrows(() => fw.WithProxy(both), fw.FrameworkError, 'Cannot take "Forwarded" together with others');
  for (const Trust of [[], ["everyone"], ["10.0.0.0/33"], ["constructor"]]) {
    assertThrows(() => fw.New().Configure(fw.WithProxy({ Trust })).Build(), fw.FrameworkError);
  }
});

Deno.test("Context.Scheme() and AbsoluteURI() without a proxy are those of the request", async () => {
  const app = quiet();
  app.Get(
    "/a/b",
    (ctx) => ctx.JSON([ctx.Scheme(), ctx.AbsoluteURI(""), ctx.AbsoluteURI("c"), ctx.AbsoluteURI("/d?e")]),
  );
  const response = await app.fetch(new Request("https://x.example:8443/a/b?q=1"));
  assertEquals(await response.json(), [
    "https",
    "https://x.example:8443/a/b?q=1",
    "https://x.example:8443/a/c",
    "https://x.example:8443/d?e",
  ]);
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
