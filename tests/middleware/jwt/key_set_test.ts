import { assert, assertEquals } from "@std/assert";
import { exportJWK } from "npm:jose@^6/key/export";
import { generateKeyPair } from "npm:jose@^6/key/generate/keypair";
import { PassingTime } from "../../clocks.ts";
import * as jwt from "../../../src/middleware/jwt/mod.ts";
import { logged, quiet } from "../../serving.ts";

const Issuer = "https://issuer.example";
const Audience = "app";

/** Starts a key server with one published key and configurable responses. */
async function startServer() {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const keys: object[] = [{ ...await exportJWK(publicKey), kid: "one", alg: "ES256" }];
  const state = { asked: 0, respond: (): Response | Promise<Response> => Response.json({ keys }) };
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => {
    state.asked++;
    return state.respond();
  });
  const url = `http://127.0.0.1:${server.addr.port}/jwks`;
  const app = quiet();
  app.Use(jwt.New({ Algorithms: ["ES256"], JWKS: url, Issuer, Audience }));
  app.Get("/", (ctx) => ctx.WriteString("in"));
  const sign = (key: CryptoKey, KeyID: string) =>
    jwt.NewSigner({ Algorithm: "ES256", Key: key, KeyID, Issuer, Audience }).Sign({ sub: "ada" }, { MaxAge: 1e11 });
  const status = async (token: string) => {
    const headers = { authorization: `Bearer ${token}` };
    const response = await app.fetch(new Request("http://localhost/", { headers }));
    await response.body?.cancel();
    return response.status;
  };
  return {
    state,
    keys,
    url,
    /** Each token is different, so that none is cached. */
    good: async () => await status(await sign(privateKey, "one")),
    stranger: async (kid: string) => await status(await sign(privateKey, kid)),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const outages: [what: string, respond: () => Response | Promise<Response>][] = [
  ["responds 500", () => new Response("down", { status: 500 })],
  ["responds with a page", () => new Response("<html>")],
  ["responds with JSON that is no key set", () => Response.json({ error: "down" })],
  ["responds with too much", () => new Response("x".repeat(2 << 20))],
  ["redirects", () => Response.redirect("http://127.0.0.1:1/")],
];
for (const [what, respond] of outages) {
  Deno.test(`jwt: a key server that ${what} does not affect users with a known key`, async () => {
    using time = new PassingTime();
    await using server = await startServer();
    assertEquals(await server.good(), 200);
    server.state.respond = respond;
    for (const elapsed of [31_000, 31_000, 600_000, 3_600_000, 8 * 3_600_000]) {
      time.tick(elapsed);
      const before = server.state.asked;
      const strangers = await Promise.all(Array.from({ length: 20 }, (_, at) => server.stranger(`guess${at}`)));
      assertEquals(new Set(strangers), new Set([503]), "whether the key exists cannot be known");
      assertEquals(await server.good(), 200);
      assertEquals(await server.stranger("another"), 503);
      assertEquals(await server.good(), 200);
      assert(server.state.asked - before <= 1, `asked ${server.state.asked - before} times`);
    }
    time.tick(24 * 3_600_000);
    assertEquals(await server.good(), 503, "a set is not used for ever");
    server.state.respond = () => Response.json({ keys: server.keys });
    time.tick(1001);
    assertEquals([await server.good(), await server.stranger("guess")], [200, 401]);
  });
}

for (const stall of ["before its headers", "in its body"]) {
  Deno.test(`jwt: a key server that stalls ${stall} times out, and known keys do not wait for it`, async () => {
    await using server = await startServer();
    assertEquals(await server.good(), 200);
    const asked = Promise.withResolvers<void>();
    const leave = Promise.withResolvers<void>();
    let stalled: ReadableStreamDefaultController | undefined;
    server.state.respond = async () => {
      asked.resolve();
      if (stall === "before its headers") await leave.promise;
      return new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode('{"keys":['));
            stalled = controller;
          },
        }),
      );
    };
    const time = new PassingTime();
    try {
      time.tick(31_000);
      const stranger = server.stranger("guess");
      await asked.promise;
      assertEquals(await server.good(), 200);
      // Real requests need turns of the event loop, which a fake clock does not provide.
      for (let turn = 0; turn < 200 && stalled === undefined && stall === "in its body"; turn++) await realTurn();
      time.tick(5001);
      assertEquals(await stranger, 503);
      time.tick(601_000);
      server.state.respond = () => new Response("down", { status: 500 });
      assertEquals(await server.good(), 200);
    } finally {
      time.restore();
      leave.resolve();
      try {
        stalled?.close();
      } catch {
        // The client has disconnected.
      }
    }
  });
}

Deno.test("jwt: a new key is accepted after the key set has been fetched again, and a withdrawn key no longer is", async () => {
  using time = new PassingTime();
  await using server = await startServer();
  assertEquals([await server.good(), await server.stranger("two")], [200, 401]);
  server.keys.push({ ...server.keys[0], kid: "two" });
  assertEquals(await server.stranger("two"), 401);
  time.tick(30_001);
  assertEquals(await server.stranger("two"), 200);
  server.keys.shift();
  assertEquals(await server.good(), 200);
  time.tick(600_001);
  assertEquals([await server.good(), await server.stranger("two")], [401, 200]);
});

Deno.test("jwt: concurrent requests share one request to the key server", async () => {
  await using server = await startServer();
  const statuses = await Promise.all(Array.from({ length: 20 }, () => server.good()));
  assertEquals([new Set(statuses), server.state.asked], [new Set([200]), 1]);
});

const warnings: [options: Partial<jwt.Options>, named: string | undefined][] = [
  [{}, "set Issuer and Audience"],
  [{ Issuer }, "set Audience"],
  [{ Audience }, "set Issuer"],
  [{ Issuer, Audience }, undefined],
];
for (const [options, named] of warnings) {
  Deno.test(`jwt.New() with JWKS and ${Object.keys(options).join(" and ") || "nothing else"} ${named === undefined ? "says nothing" : "warns"} at the start`, async () => {
    const { app, lines } = logged();
    const guard = jwt.New({ Algorithms: ["ES256"], JWKS: "https://issuer.example/jwks", ...options });
    app.Use(guard);
    app.Party("/api").Use(guard).Get("/", () => {});
    await app.Build();
    app.Logger().Flush();
    const warned = lines.filter((line) => line.includes("issuer.example/jwks"));
    assertEquals(warned.length, named === undefined ? 0 : 1);
    if (named !== undefined) assert(warned[0]?.includes(named), warned[0]);
  });
}

function realTurn(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
  });
}
