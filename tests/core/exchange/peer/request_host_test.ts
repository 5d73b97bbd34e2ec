import { assertEquals } from "@std/assert";
import * as fw from "../../../../mod.ts";
import { subdomainOf } from "../../../../src/core/exchange/peer/request_host.ts";
import { overSocket, quiet } from "../../../serving.ts";
import { seenFrom } from "./seen_from.ts";

Deno.test("Context.Host() accepts a forwarding header only from a trusted proxy", async () => {
  const configurator = fw.WithProxy({ Trust: ["10.0.0.1"], Take: ["X-Forwarded-Host"] });
  const headers = { "x-forwarded-host": "public.example:8443" };
  assertEquals((await seenFrom("10.0.0.1", headers, configurator)).host, "public.example:8443");
  assertEquals((await seenFrom("10.0.0.2", headers, configurator)).host, "asked.example");
  assertEquals((await seenFrom("10.0.0.1", {}, configurator)).host, "asked.example");
  assertEquals((await seenFrom("10.0.0.1", { "x-forwarded-host": "" }, configurator)).host, "asked.example");
  assertEquals((await seenFrom("10.0.0.1", headers)).host, "asked.example");
});

Deno.test("Context.Host() from a trusted proxy determines the subdomain", async () => {
  const app = quiet().Configure(fw.WithProxy({ Trust: ["127.0.0.1"], Take: ["X-Forwarded-Host"] }));
  app.Get("/", (ctx) => ctx.WriteString("root"));
  app.Subdomain("admin").Get("/", (ctx) => ctx.WriteString(`admin ${ctx.SubdomainFull()}`));
  await overSocket(app, async (ask) => {
    assertEquals((await ask("/", { headers: { "x-forwarded-host": "admin.example.com" } })).text, "admin admin.");
    assertEquals((await ask("/")).text, "root");
  });
});

Deno.test("Context.Host() and RemoteAddr() trust peers on a Unix socket", async () => {
  const app = quiet().Configure(fw.WithProxy({ Trust: ["192.0.2.1"] }));
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
  Deno.test(`subdomainOf() returns "${expected}" for "${host}" with root "${vhost}"`, () => {
    assertEquals(subdomainOf(host, vhost), expected);
  });
}
