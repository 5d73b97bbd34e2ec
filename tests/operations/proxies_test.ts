import { assert, assertEquals } from "@std/assert";
import { ignoredFor } from "../state/sessions/redis_server.ts";
import { missing, proxies, startProxy } from "./proxies.ts";
import { Server } from "./servers.ts";

/** Headers with which a client may impersonate another one. */
const forged = {
  "x-forwarded-for": "203.0.113.99",
  "x-forwarded-host": "evil.example",
  "x-forwarded-proto": "https",
  "x-forwarded-prefix": "/evil",
  "forwarded": "for=203.0.113.98;host=evil.example;proto=https",
};

/** Sends a GET request with a custom host and reads the response. */
async function get(url: string, path: string, headers: Record<string, string> = {}): Promise<string> {
  const { hostname, port } = new URL(url);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  const lines = Object.entries({ host: "shop.example", connection: "close", ...headers }).map(([name, value]) =>
    `${name}: ${value}\r\n`
  );
  await connection.write(new TextEncoder().encode(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`));
  let text = "";
  const [buffer, decoder] = [new Uint8Array(4096), new TextDecoder()];
  for (let count = await connection.read(buffer); count !== null; count = await connection.read(buffer)) {
    text += decoder.decode(buffer.subarray(0, count), { stream: true });
  }
  return text;
}

for (const [name, kind] of Object.entries(proxies)) {
  const reason = await missing(kind);

  Deno.test({
    name: `The recipe for ${name} passes on the client's address and rejects forged ones${ignoredFor(reason)}`,
    ignore: reason !== undefined,
    async fn() {
      await using one = new Server(0);
      await using two = new Server(0);
      await Promise.all([one.start(), two.start()]);
      await using proxy = await startProxy(kind, [one.port, two.port]);
      for (const headers of [{}, forged]) {
        const text = await get(proxy.url, "/seen", { ...headers, cookie: "c=1" });
        const seen = JSON.parse(/\{[^]*\}/.exec(text)?.[0] ?? "{}");
        assertEquals(
          seen,
          { address: "127.0.0.1", host: "shop.example", scheme: "http", cookie: "1", link: "/seen" },
          text,
        );
      }
    },
  });

  Deno.test({
    name: `The recipe for ${name} passes on events without buffering${ignoredFor(reason)}`,
    ignore: reason !== undefined,
    async fn() {
      await using one = new Server(0);
      await using two = new Server(0);
      await Promise.all([one.start(), two.start()]);
      await using proxy = await startProxy(kind, [one.port, two.port]);
      const response = await fetch(`${proxy.url}/events`);
      const pieces: string[] = [];
      for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) pieces.push(piece);
      assertEquals(pieces.join("").match(/data: \w+/g), ["data: one", "data: two", "data: three"]);
      assert(pieces.length >= 3, `the events came in ${pieces.length} pieces`);
    },
  });
}
