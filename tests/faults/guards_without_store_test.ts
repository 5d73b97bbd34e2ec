/** Tests guards whose store is down: each row of the table in the book, as seen by a client. */

import * as fw from "@fw/web";
import * as basicauth from "@fw/web/middleware/basicauth";
import * as cache from "@fw/web/middleware/cache";
import * as csrf from "@fw/web/middleware/csrf";
import * as jwt from "@fw/web/middleware/jwt";
import * as oauth from "@fw/web/middleware/oauth";
import * as ratelimit from "@fw/web/middleware/ratelimit";
import * as sessions from "@fw/web/sessions";
import type * as store from "@fw/web/store";
import { assertEquals, assertRejects } from "@std/assert";
import { quiet } from "../serving.ts";

const Key = "s".repeat(64);
const verification = { Algorithms: ["HS256"], Key } as const;
const signer = jwt.NewSigner({ Algorithm: "HS256", Key });

function fail(): Promise<never> {
  return Promise.reject(new Error("the store is down"));
}

const down: store.Store = { Take: fail, Increment: fail, Get: fail, Set: fail, Create: fail, Delete: fail };
const sessionsDown: sessions.Store = { Load: fail, Create: fail };

/** A row of the table, with the responses to a read and a write behind the guard. */
interface Row {
  readonly guard: string;
  readonly state: "closed" | "open";
  /** The expected statuses of GET and POST. */
  readonly statuses: readonly [number, number];
  readonly handler: () => fw.Handler;
  readonly headers?: () => Promise<Record<string, string>>;
}

async function bearer(): Promise<Record<string, string>> {
  return { authorization: `Bearer ${await signer.Sign({ sub: "ada" })}` };
}

function basic(): Promise<Record<string, string>> {
  return Promise.resolve({ authorization: `Basic ${btoa("ada:engine")}` });
}

/** Returns the cookie of a session that the client claims to have. */
function cookie(): Promise<Record<string, string>> {
  return Promise.resolve({ cookie: `fwsessionid=${"a".repeat(43)}` });
}

const Users = [{ Name: "ada", Password: "engine" }];

const rows: readonly Row[] = [
  {
    guard: "`ratelimit`",
    state: "closed",
    statuses: [503, 503],
    handler: () => ratelimit.New({ Limit: 10, Period: 1000, Store: down }),
  },
  {
    guard: "`ratelimit` with `AllowWithoutStore`",
    state: "open",
    statuses: [200, 200],
    handler: () => ratelimit.New({ Limit: 10, Period: 1000, Store: down, AllowWithoutStore: true }),
  },
  {
    guard: "`basicauth`, its count of tries",
    state: "closed",
    statuses: [503, 503],
    handler: () => basicauth.New({ Users, Store: down }),
    headers: basic,
  },
  {
    guard: "`jwt` with `Blocklist`",
    state: "closed",
    statuses: [503, 503],
    handler: () => jwt.New({ ...verification, Blocklist: down }),
    headers: bearer,
  },
  {
    guard: "`jwt` pairs",
    state: "closed",
    statuses: [503, 503],
    handler: () => {
      const pairs = jwt.NewPairs({ Signer: signer, Verification: verification, Store: down });
      return async (ctx) => {
        const { RefreshToken } = await pairs.Issue({ sub: "ada" });
        await assertRejects(() => pairs.Revoke(RefreshToken), fw.HTTPError);
        await pairs.Refresh(RefreshToken);
        await ctx.Next();
      };
    },
  },
  {
    guard: "`jwt` with `JWKS`, keys not known yet",
    state: "closed",
    statuses: [503, 503],
    handler: () =>
      jwt.New({ Algorithms: ["ES256"], JWKS: "http://127.0.0.1:1/jwks", Issuer: "issuer", Audience: "app" }),
    headers: () => Promise.resolve({ authorization: "Bearer eyJhbGciOiJFUzI1NiIsImtpZCI6ImEifQ.e30.AAAA" }),
  },
  {
    guard: "`jwt` with `JWKS`, keys known",
    state: "open",
    statuses: [200, 200],
    handler: () => knownKeys,
    headers: () => Promise.resolve({ authorization: `Bearer ${known.token}` }),
  },
  {
    guard: "`sessions`",
    state: "closed",
    statuses: [503, 503],
    handler: () => sessions.New({ Store: sessionsDown }).Handler(),
    headers: cookie,
  },
  {
    guard: "`oauth`, its sessions",
    state: "closed",
    statuses: [503, 503],
    handler: () =>
      oauth.New({
        Issuer: "https://login.invalid",
        ClientID: "app",
        RedirectURL: "https://app.example/callback",
        Sessions: sessions.New({ Store: sessionsDown }),
      }).Require("/login"),
    headers: cookie,
  },
  {
    guard: "`csrf`",
    state: "open",
    statuses: [200, 200],
    handler: () => csrf.New(),
  },
  {
    guard: "`cache`",
    state: "open",
    statuses: [200, 200],
    handler: () => cache.New({ MaxAge: 60_000, Store: cache.FromStore(down) }),
  },
];

/** A verifier that fetched its keys before the key server went down. */
const known = { token: "", handler: undefined as fw.Handler | undefined };
const knownKeys: fw.Handler = function (ctx) {
  return known.handler?.(ctx);
};

async function learnKeys(): Promise<void> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, [
    "sign",
    "verify",
  ]) as CryptoKeyPair;
  const keys = [{ ...await crypto.subtle.exportKey("jwk", publicKey), kid: "one", alg: "ES256" }];
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => Response.json({ keys }));
  const claims = { Issuer: "issuer", Audience: "app" };
  const verifier = jwt.NewVerifier({
    Algorithms: ["ES256"],
    JWKS: `http://127.0.0.1:${server.addr.port}/jwks`,
    ...claims,
  });
  const own = jwt.NewSigner({ Algorithm: "ES256", Key: privateKey, KeyID: "one", ...claims });
  known.token = await own.Sign({ sub: "ada" });
  known.handler = verifier.Handler();
  assertEquals((await verifier.Verify(await own.Sign({ sub: "bob" })))[1], null);
}

for (const { guard, state, statuses, handler, headers } of rows) {
  Deno.test(`${guard.replaceAll("`", "")} is ${state} while its store is down`, async () => {
    if (guard.endsWith("keys known")) await learnKeys();
    const app = quiet();
    app.Any("/", handler(), (ctx) => ctx.WriteString("inside"));
    const found = [];
    for (const method of ["GET", "POST"]) {
      const response = await app.fetch(new Request("http://localhost/", { method, headers: await headers?.() ?? {} }));
      assertEquals(await response.text(), response.status === 200 ? "inside" : "Service Unavailable");
      found.push(response.status);
    }
    assertEquals(found, [...statuses]);
  });
}

Deno.test("the book has a row for each guard and its store", async () => {
  const guide = await Deno.readTextFile(new URL("../../examples/book/reference/security.md", import.meta.url));
  const [, section = ""] = guide.split("## If a store is down\n");
  const table = (section.split(/^#/m)[0] ?? "").split("\n").filter((line) => line.startsWith("| `"));
  const cells = table.map((line) => line.split("|").map((cell) => cell.trim()).slice(1, 3));
  assertEquals(
    cells.map(([guard, state]) => [guard, state?.split(/[:,]/)[0]]),
    rows.map((row) => [row.guard, row.state]),
  );
});
