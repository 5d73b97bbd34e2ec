import { assertEquals } from "@std/assert";
import { onWindows, testUnless } from "../../../skipped.ts";
import * as fw from "../../../../mod.ts";
import { bothWays, overSocket, quiet } from "../../../serving.ts";
import { seenFrom } from "./seen_from.ts";

async function addrFrom(peer: string, forwarded: string, ...proxies: string[]): Promise<string> {
  const configurator = fw.WithProxy({ Trust: proxies, Take: ["X-Forwarded-For"] });
  return (await seenFrom(peer, { "x-forwarded-for": forwarded }, configurator)).addr;
}

bothWays("Context.RemoteAddr() returns the peer's address without a port", () => {
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

Deno.test("Context.RemoteAddr() returns IPv6 addresses without brackets and IPv4-mapped addresses without a prefix", async () => {
  assertEquals((await seenFrom("2001:db8::1", {})).addr, "2001:db8::1");
  assertEquals((await seenFrom("::ffff:203.0.113.7", {})).addr, "203.0.113.7");
  assertEquals((await seenFrom("::FFFF:203.0.113.7", {})).addr, "203.0.113.7");
});

const noDualStack = onWindows("sockets for IPv6 do not accept IPv4");

testUnless(noDualStack, "Context.RemoteAddr() on a dual-stack socket returns the client's IPv4 address", async () => {
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

Deno.test("Context.RemoteAddr() is empty without a connection and for sockets without an address", async () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.WriteString(ctx.RemoteAddr()));
  assertEquals(await (await app.fetch(new Request("http://localhost/"))).text(), "");
  const unix: Deno.UnixAddr = { transport: "unix", path: "" };
  assertEquals(await (await app.fetch(new Request("http://localhost/"), { remoteAddr: unix })).text(), "");
});

Deno.test("Context.RemoteAddr() accepts a forwarding header only from a trusted proxy", async () => {
  assertEquals(await addrFrom("10.0.0.1", "203.0.113.7", "10.0.0.1"), "203.0.113.7");
  assertEquals(await addrFrom("10.0.0.2", "203.0.113.7", "10.0.0.1"), "10.0.0.2");
  assertEquals(await addrFrom("203.0.113.9", "127.0.0.1", "10.0.0.0/8"), "203.0.113.9");
  assertEquals(await addrFrom("10.9.9.9", "203.0.113.7", "10.0.0.0/8"), "203.0.113.7");
  assertEquals(await addrFrom("::1", "203.0.113.7", "::1"), "203.0.113.7");
  assertEquals(await addrFrom("2001:db8:1::5", "2001:db8:2::6", "2001:db8:1::/48"), "2001:db8:2::6");
  assertEquals(await addrFrom("::ffff:10.0.0.1", "203.0.113.7", "10.0.0.1"), "203.0.113.7");
});

Deno.test("Context.RemoteAddr() returns the last address that is not a trusted proxy's, because earlier ones may be forged", async () => {
  assertEquals(await addrFrom("10.0.0.1", "6.6.6.6, 203.0.113.7", "10.0.0.1"), "203.0.113.7");
  assertEquals(await addrFrom("10.0.0.1", "6.6.6.6, 203.0.113.7, 10.0.0.3, 10.0.0.2", "10.0.0.0/24"), "203.0.113.7");
  assertEquals(await addrFrom("10.0.0.1", "127.0.0.1, 203.0.113.7", "10.0.0.1"), "203.0.113.7");
  assertEquals(await addrFrom("10.0.0.1", "10.0.0.9, 203.0.113.7", "10.0.0.0/24"), "203.0.113.7");
  assertEquals(await addrFrom("10.0.0.1", "'; drop table, 203.0.113.7", "10.0.0.1"), "203.0.113.7");
});

Deno.test("Context.RemoteAddr() returns the first address of the list if the client is in a trusted network", async () => {
  assertEquals(await addrFrom("10.0.0.1", "10.0.0.7", "10.0.0.0/8"), "10.0.0.7");
  assertEquals(await addrFrom("10.0.0.1", "10.0.0.7, 10.0.0.3", "10.0.0.0/8"), "10.0.0.7");
});

Deno.test("Context.RemoteAddr() falls back to the peer if the list cannot be parsed", async () => {
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

Deno.test("Context.RemoteAddr() checks the configured headers in order", async () => {
  const configurator = fw.WithConfiguration({
    RemoteAddrHeaders: ["CF-Connecting-IP", "X-Real-IP"],
    TrustedProxies: ["10.0.0.1"],
  });
  const both = { "cf-connecting-ip": "203.0.113.1", "x-real-ip": "203.0.113.2" };
  assertEquals((await seenFrom("10.0.0.1", both, configurator)).addr, "203.0.113.1");
  assertEquals((await seenFrom("10.0.0.1", { "x-real-ip": "203.0.113.2" }, configurator)).addr, "203.0.113.2");
  assertEquals(
    (await seenFrom("10.0.0.1", { "cf-connecting-ip": "x", "x-real-ip": "203.0.113.2" }, configurator)).addr,
    "203.0.113.2",
  );
  assertEquals((await seenFrom("10.0.0.1", { "x-forwarded-for": "203.0.113.3" }, configurator)).addr, "10.0.0.1");
});

Deno.test("Context.RemoteAddr() ignores a spoofed header and uses a proxy's, over a socket", async () => {
  const app = quiet().Configure(fw.WithProxy({ Trust: ["192.0.2.1"] }));
  app.Get("/", (ctx) => ctx.WriteString(ctx.RemoteAddr()));
  await overSocket(app, async (ask) => {
    assertEquals((await ask("/", { headers: { "x-forwarded-for": "203.0.113.7" } })).text, "127.0.0.1");
  });
  const behind = quiet().Configure(fw.WithProxy({ Trust: ["127.0.0.0/8"] }));
  behind.Get("/", (ctx) => ctx.WriteString(ctx.RemoteAddr()));
  await overSocket(behind, async (ask) => {
    assertEquals((await ask("/", { headers: { "x-forwarded-for": "6.6.6.6, 203.0.113.7" } })).text, "203.0.113.7");
  });
});
