import { assertEquals } from "@std/assert";
import * as fw from "../../../../mod.ts";
import { tlsFile } from "../../../http/server/support.ts";
import { quiet } from "../../../serving.ts";

Deno.test("Context.Scheme() and AbsoluteURI() use the request if there is no proxy", async () => {
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

Deno.test("Context.Scheme() ignores the scheme in the request line on a plain listener, even next to a TLS listener", async () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.WriteString(ctx.Scheme()));
  const ports: number[] = [];
  const { promise: listening, resolve } = Promise.withResolvers<void>();
  app.Configure(fw.WithOnListen((address) => {
    if (ports.push((address as Deno.NetAddr).port) === 2) resolve();
  }));
  const running = [app.Run(fw.Addr("127.0.0.1:0"))];
  await new Promise((done) => setTimeout(done, 50));
  running.push(app.Run(fw.TLS("127.0.0.1:0", tlsFile("localhost.crt"), tlsFile("localhost.key"))));
  await listening;
  const connection = await Deno.connect({ hostname: "127.0.0.1", port: ports[0] ?? 0 });
  await connection.write(new TextEncoder().encode("GET https://x/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
  const text = await new Response(connection.readable).text();
  assertEquals(text.split("\r\n\r\n")[1], "http");
  await app.Shutdown();
  await Promise.all(running);
});
