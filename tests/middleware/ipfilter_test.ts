import { assertEquals, assertThrows } from "@std/assert";
import * as fw from "../../mod.ts";
import * as ipfilter from "../../src/middleware/ipfilter.ts";
import { overSocket, quiet } from "../serving.ts";

async function statusOf(
  options: ipfilter.Options,
  peer: string | undefined,
  headers: Record<string, string> = {},
  ...configurators: fw.Configurator[]
): Promise<number> {
  const app = quiet().Configure(...configurators);
  app.Use(ipfilter.New(options));
  app.Get("/", (ctx) => ctx.WriteString("in"));
  const remoteAddr: Deno.NetAddr | undefined = peer === undefined
    ? undefined
    : { transport: "tcp", hostname: peer, port: 1 };
  const request = new Request("http://localhost/", { headers });
  return (await app.fetch(request, remoteAddr === undefined ? undefined : { remoteAddr })).status;
}

const rules: ipfilter.Options = { Allow: ["192.0.2.0/24", "2001:db8::/32"], Deny: ["192.0.2.128/25", "2001:db8::bad"] };
const addresses: [address: string, status: number][] = [
  ["192.0.2.1", 200],
  ["192.0.2.127", 200],
  ["192.0.2.128", 403],
  ["192.0.3.1", 403],
  ["::ffff:192.0.2.1", 200],
  ["::ffff:192.0.2.200", 403],
  ["::ffff:c000:201", 200],
  ["2001:db8::1", 200],
  ["2001:DB8:0:0::1", 200],
  ["2001:db8::bad", 403],
  ["2001:db8:0:0:0:0:0:0bad", 403],
  ["2001:db9::1", 403],
  ["", 403],
  ["192.0.2.1.evil.example", 403],
  ["192.0.2", 403],
];
for (const [address, status] of addresses) {
  Deno.test(`ipfilter.New() responds with ${status} to "${address}"`, async () => {
    assertEquals(await statusOf(rules, address), status);
  });
}

Deno.test("ipfilter.New() with only Deny accepts all other requests, including those without an address", async () => {
  const options = { Deny: ["198.51.100.0/24"] };
  assertEquals(await statusOf(options, "198.51.100.9"), 403);
  assertEquals(await statusOf(options, "203.0.113.1"), 200);
  assertEquals(await statusOf(options, undefined), 200);
});

Deno.test("ipfilter.New() with an empty Allow rejects all requests", async () => {
  assertEquals(await statusOf({ Allow: [] }, "192.0.2.1"), 403);
});

Deno.test("ipfilter.New() ignores a forged forwarding header and uses one from a trusted proxy", async () => {
  const spoofed = { "x-forwarded-for": "192.0.2.1", "x-real-ip": "192.0.2.1", forwarded: "for=192.0.2.1" };
  assertEquals(await statusOf(rules, "203.0.113.1", spoofed), 403);
  const proxy = fw.WithProxy({ Trust: ["203.0.113.1"] });
  assertEquals(await statusOf(rules, "203.0.113.1", spoofed, proxy), 200);
  assertEquals(await statusOf(rules, "203.0.113.2", spoofed, proxy), 403);
  const padded = { "x-forwarded-for": "192.0.2.1, 198.51.100.7" };
  assertEquals(await statusOf(rules, "203.0.113.1", padded, proxy), 403);
});

Deno.test("ipfilter.New() checks every address regardless of earlier requests", async () => {
  const app = quiet();
  app.Use(ipfilter.New({ Deny: ["10.0.0.0/8"] }));
  app.Get("/", (ctx) => ctx.WriteString("in"));
  const ask = async (hostname: string) =>
    (await app.fetch(new Request("http://localhost/"), { remoteAddr: { transport: "tcp", hostname, port: 1 } })).status;
  assertEquals(await ask("10.0.0.1"), 403);
  for (let i = 0; i < 10_000; i++) {
    const tail = `${i >> 8}.${i & 255}`;
    assertEquals([await ask(`11.0.${tail}`), await ask(`10.0.${tail}`)], [200, 403]);
  }
  assertEquals(await ask("10.0.0.1"), 403);
});

Deno.test("ipfilter.New() lets the application respond to rejected requests", async () => {
  const app = quiet();
  app.Use(ipfilter.New({ Allow: ["192.0.2.1"], OnRefuse: (ctx) => ctx.StopWithText(404, "nothing here") }));
  app.Get("/", () => {
    throw new Error("ran");
  });
  await overSocket(app, async (ask) => {
    const response = await ask("/");
    assertEquals([response.status, response.text], [404, "nothing here"]);
  });
});

for (
  const options of [{}, { Deny: [] }, { Allow: ["office"] }, { Deny: ["10.0.0.0/33"] }, { Allow: ["10.0.0.1/-1"] }]
) {
  Deno.test(`ipfilter.New() rejects ${JSON.stringify(options)}`, () => {
    assertThrows(() => ipfilter.New(options), fw.FrameworkError);
  });
}
