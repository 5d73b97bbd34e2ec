import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { createHmac } from "node:crypto";
import { generateKeyPair } from "npm:jose@^6/key/generate/keypair";
import { exportJWK, exportPKCS8, exportSPKI } from "npm:jose@^6/key/export";
import { PassingTime } from "../clocks.ts";
import * as fw from "../../mod.ts";
import * as auth from "../../src/middleware/auth.ts";
import * as jwt from "../../src/middleware/jwt/mod.ts";
import { NewMemory } from "../../src/state/store/memory.ts";
import type { Store } from "../../src/state/store/store.ts";
import { bothWays, logged, quiet } from "../serving.ts";
import { testEach } from "../state/store/stores.ts";

const secret = "s".repeat(64);
const shared = { Algorithms: ["HS256"], Key: secret } as const;
const signer = jwt.NewSigner({ Algorithm: "HS256", Key: secret });

function appWith(options: jwt.Options = shared): fw.Application {
  const app = quiet();
  app.Use(jwt.New(options));
  app.Get("/", (ctx) => ctx.JSON({ id: ctx.User()?.ID ?? null, roles: ctx.User()?.Roles ?? [] }));
  app.Get("/logout", async (ctx) => {
    await ctx.Logout();
    ctx.WriteString("out");
  });
  return app;
}

async function ask(app: fw.Application, token: string | undefined, path = "/"): Promise<Response> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return await app.fetch(new Request(`http://localhost${path}`, { headers }));
}

async function statusOf(token: string | undefined, options?: jwt.Options): Promise<number> {
  return (await ask(appWith(options), token)).status;
}

function encode(value: unknown): string {
  return new TextEncoder().encode(JSON.stringify(value)).toBase64({ alphabet: "base64url", omitPadding: true });
}

/** Signs a token with an arbitrary header. */
function forge(header: object, claims: object, key: string | Uint8Array): string {
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac("sha256", key).update(signed).digest("base64url")}`;
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}

const claims = { sub: "ada", roles: ["admin"] };

bothWays("jwt.New() accepts a token, and sets the user", appWith, async (visit) => {
  const token = await signer.Sign(claims);
  const response = await visit("/", { headers: { authorization: `Bearer ${token}` } });
  assertEquals(JSON.parse(response.text), { id: "ada", roles: ["admin"] });
  const stranger = await visit("/");
  assertEquals([stranger.status, stranger.headers.get("www-authenticate")], [401, "Bearer"]);
  const wrong = await visit("/", { headers: { authorization: "Bearer a.b.c" } });
  assertEquals([wrong.status, wrong.headers.get("www-authenticate")], [401, 'Bearer error="invalid_token"']);
});

Deno.test("jwt.New() reads one token from Authorization, with a case-insensitive scheme", async () => {
  const app = appWith();
  const token = await signer.Sign(claims);
  const status = async (authorization: string) =>
    (await app.fetch(new Request("http://localhost/", { headers: { authorization } }))).status;
  assertEquals([await status(`Bearer ${token}`), await status(`bearer   ${token} `)], [200, 200]);
  for (
    const header of [
      token,
      `Basic ${token}`,
      `Bearer ${token}, Bearer ${token}`,
      `Bearer ${token} x`,
      "Bearer",
      `xBearer ${token}`,
    ]
  ) {
    assertEquals(await status(header), 401, header);
  }
  assertEquals((await app.fetch(new Request(`http://localhost/?token=${token}`))).status, 401);
  const cookie = new Request("http://localhost/", { headers: { cookie: `token=${token}` } });
  assertEquals((await app.fetch(cookie)).status, 401);
});

Deno.test("jwt.New() reads tokens from the configured sources, in order", async () => {
  const app = appWith({ ...shared, From: [jwt.FromHeader, jwt.FromCookie("t"), jwt.FromQuery("token")] });
  const token = await signer.Sign(claims);
  const status = async (path: string, headers: Record<string, string> = {}) =>
    (await app.fetch(new Request(`http://localhost${path}`, { headers }))).status;
  assertEquals(await status("/", { cookie: `t=${token}` }), 200);
  assertEquals(await status(`/?token=${token}`), 200);
  assertEquals(await status(`/?token=${token}`, { cookie: "t=bad" }), 401, "the first that is there counts");
});

Deno.test("jwt.New() with Optional accepts requests without a token, and rejects malformed tokens", async () => {
  const app = appWith({ ...shared, Optional: true, From: [jwt.FromHeader, jwt.FromCookie("t")] });
  const token = await signer.Sign(claims);
  const status = async (headers: Record<string, string>) =>
    (await app.fetch(new Request("http://localhost/", { headers }))).status;
  for (const authorization of ["Basic YTpi", "Bearerx abc", "Digest x=y", `Bearer ${token}`, ""]) {
    assertEquals(await status(authorization === "" ? {} : { authorization }), 200, authorization);
  }
  const malformed = [
    "Bearer a b",
    "Bearer",
    "bearer ",
    "BEARER\ta.b.c",
    "Bearer a,b",
    `Bearer ${token} x`,
    `Bearer ${token}, Bearer ${token}`,
    `Basic YTpi, Bearer ${token}`,
    `Bearer "${token}"`,
    "Bearer é",
    token,
  ];
  for (const authorization of malformed) {
    assertEquals(await status({ authorization }), 401, authorization);
    assertEquals(await status({ authorization, cookie: `t=${token}` }), 401, `${authorization} with a cookie`);
  }
});

Deno.test("jwt.New() requires the token type in Type (RFC 8725, 3.11)", async () => {
  const sign = (Type?: string) => signer.Sign(claims, Type === undefined ? {} : { Type });
  const demanding: jwt.Options = { ...shared, Type: "at+jwt" };
  for (const Type of ["at+jwt", "AT+JWT", "application/at+jwt"]) {
    assertEquals(await statusOf(await sign(Type), demanding), 200, Type);
  }
  for (const Type of [undefined, "JWT", "refresh+jwt", "reset+jwt", "at+jwt2"]) {
    assertEquals(await statusOf(await sign(Type), demanding), 401, Type);
  }
  const bare = forge({ alg: "HS256" }, { ...claims, exp: now() + 60 }, secret);
  assertEquals([await statusOf(bare, demanding), await statusOf(bare)], [401, 200]);
  for (const Type of ["refresh+jwt", "Refresh+JWT", "application/refresh+jwt"]) {
    assertEquals(await statusOf(await sign(Type)), 401, Type);
  }
  assertThrows(() => jwt.New({ ...shared, Type: "" }), fw.FrameworkError, '"Type" of jwt');
  assertThrows(() => jwt.New({ ...shared, Type: "a b" }), fw.FrameworkError, "media type");
});

Deno.test("Pairs signs access tokens of the type that its verifier requires", async () => {
  const demanding: jwt.Options = { ...shared, Type: "at+jwt" };
  const pairs = jwt.NewPairs({ Signer: signer, Verification: demanding });
  const first = await pairs.Issue(claims);
  const [second] = await pairs.Refresh(first.RefreshToken);
  for (const token of [first.AccessToken, second?.AccessToken]) assertEquals(await statusOf(token, demanding), 200);
  assertEquals(await statusOf(second?.RefreshToken, demanding), 401);
});

Deno.test("jwt.New() with several issuers distinguishes their users", async () => {
  const app = appWith({ ...shared, Issuer: ["https://a.example", "https://b.example"] });
  const ids = [];
  for (const iss of ["https://a.example", "https://b.example"]) {
    ids.push((await (await ask(app, await signer.Sign({ ...claims, iss }))).json()).id);
  }
  assertEquals(ids, ["https://a.example#ada", "https://b.example#ada"]);
});

const attacks: [what: string, token: () => string | Promise<string>][] = [
  ["no algorithm", () => `${encode({ alg: "none" })}.${encode({ ...claims, exp: now() + 60 })}.`],
  ["no algorithm in other letters", () => `${encode({ alg: "nOnE" })}.${encode({ ...claims, exp: now() + 60 })}.`],
  ["no signature", async () => (await signer.Sign(claims)).replace(/[^.]+$/, "")],
  ["two parts", async () => (await signer.Sign(claims)).replace(/\.[^.]+$/, "")],
  ["four parts", async () => `${await signer.Sign(claims)}.x`],
  ["another secret", () => forge({ alg: "HS256" }, { ...claims, exp: now() + 60 }, "x".repeat(32))],
  ["an empty secret", () => forge({ alg: "HS256" }, { ...claims, exp: now() + 60 }, "")],
  ["another algorithm of the same secret", () => {
    return jwt.NewSigner({ Algorithm: "HS512", Key: secret }).Sign(claims);
  }],
  ["changed claims", async () => {
    const [head, , tail] = (await signer.Sign(claims)).split(".");
    return `${head}.${encode({ ...claims, sub: "root", exp: now() + 60 })}.${tail}`;
  }],
  ["a header with a key of its own", () => {
    const header = { alg: "HS256", jwk: { kty: "oct", k: encode("x") }, jku: "https://evil.example/keys" };
    return forge(header, { ...claims, exp: now() + 60 }, "x");
  }],
  [
    "a critical header that is not understood",
    () => forge({ alg: "HS256", crit: ["exp2"], exp2: 1 }, { ...claims, exp: now() + 60 }, secret),
  ],
  ["an end in the past", () => forge({ alg: "HS256" }, { ...claims, exp: now() - 10 }, secret)],
  ["no end", () => forge({ alg: "HS256" }, claims, secret)],
  ["an end that is not a number", () => forge({ alg: "HS256" }, { ...claims, exp: "2999-01-01" }, secret)],
  ["a beginning in the future", () => forge({ alg: "HS256" }, { ...claims, nbf: now() + 60, exp: now() + 99 }, secret)],
  ["no user", () => forge({ alg: "HS256" }, { exp: now() + 60 }, secret)],
  ["a user that is not a text", () => forge({ alg: "HS256" }, { sub: { $ne: null }, exp: now() + 60 }, secret)],
  ["claims that are not an object", () => forge({ alg: "HS256" }, ["ada"], secret)],
  ["a refresh token", () => signer.Sign(claims, { Type: "refresh+jwt" })],
  ["ten thousand characters", () => signer.Sign({ ...claims, more: "x".repeat(10_000) })],
  ["text that is not a token", () => "e30.e30.e30"],
];
for (const [what, token] of attacks) {
  Deno.test(`jwt.New() responds with 401 to a token with ${what}`, async () => {
    assertEquals(await statusOf(await token()), 401);
  });
}

Deno.test("jwt.New() accepts a correct token that was signed manually, so the forgeries above fail for the right reason", async () => {
  assertEquals(await statusOf(forge({ alg: "HS256" }, { ...claims, exp: now() + 60 }, secret)), 200);
  assertEquals(await statusOf(forge({ alg: "HS256" }, claims, secret), { ...shared, AllowWithoutExpiry: true }), 200);
});

Deno.test("jwt.New() does not use a public key as a secret", async () => {
  const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });
  const pem = await exportSPKI(publicKey);
  const options: jwt.Options = { Algorithms: ["RS256"], Key: pem };
  const own = jwt.NewSigner({ Algorithm: "RS256", Key: await exportPKCS8(privateKey) });
  assertEquals(await statusOf(await own.Sign(claims), options), 200);
  for (const key of [pem, pem.trim(), `${pem}\n`, pem.replaceAll("\n", "")]) {
    for (const alg of ["HS256", "RS256"]) {
      assertEquals(await statusOf(forge({ alg, typ: "JWT" }, { ...claims, exp: now() + 60 }, key), options), 401);
    }
  }
  assertThrows(
    () => jwt.New({ Algorithms: ["HS256", "RS256"], Key: pem }),
    fw.FrameworkError,
    "a public key is not a secret",
  );
  assertThrows(() => jwt.New({ Algorithms: ["HS256"], Key: pem }), fw.FrameworkError, "use a secret");
});

for (const algorithm of ["ES256", "EdDSA", "Ed25519", "PS256", "ES384"] as const) {
  Deno.test(`jwt.NewSigner() and New() support ${algorithm} with keys as PEM, JWK and CryptoKey`, async () => {
    const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
    const pairs: [jwt.KeyMaterial, jwt.KeyMaterial][] = [
      [await exportPKCS8(privateKey), await exportSPKI(publicKey)],
      [await exportJWK(privateKey) as jwt.JWK, await exportJWK(publicKey) as jwt.JWK],
      [privateKey, publicKey],
    ];
    for (const [Key, verifying] of pairs) {
      const token = await jwt.NewSigner({ Algorithm: algorithm, Key }).Sign(claims);
      assertEquals(await statusOf(token, { Algorithms: [algorithm], Key: verifying }), 200);
      assertEquals(await statusOf(token, shared), 401);
    }
  });
}

Deno.test("jwt.New() checks the issuer and the audience", async () => {
  const options: jwt.Options = { ...shared, Issuer: "https://a.example", Audience: ["api", "admin"] };
  const token = (iss: unknown, aud: unknown) =>
    forge({ alg: "HS256" }, { ...claims, iss, aud, exp: now() + 60 }, secret);
  assertEquals(await statusOf(token("https://a.example", "api"), options), 200);
  assertEquals(await statusOf(token("https://a.example", ["x", "admin"]), options), 200);
  for (
    const [iss, aud] of [
      ["https://a.example.evil.example", "api"],
      ["https://a.example/", "api"],
      [["https://a.example"], "api"],
      [undefined, "api"],
      ["https://a.example", "apis"],
      ["https://a.example", ["x"]],
      ["https://a.example", undefined],
      ["https://a.example", {}],
    ]
  ) {
    assertEquals(await statusOf(token(iss, aud), options), 401, JSON.stringify([iss, aud]));
  }
  const own = jwt.NewSigner({ Algorithm: "HS256", Key: secret, Issuer: "https://a.example", Audience: ["api"] });
  assertEquals(await statusOf(await own.Sign(claims), options), 200);
});

Deno.test("jwt.New() rejects an expired token, even if it was verified a moment before", async () => {
  using time = new PassingTime();
  const app = appWith({ ...shared, Tolerance: 0 });
  const token = await signer.Sign(claims, { MaxAge: 10_000 });
  assertEquals((await ask(app, token)).status, 200);
  time.tick(9000);
  assertEquals((await ask(app, token)).status, 200);
  time.tick(2000);
  assertEquals((await ask(app, token)).status, 401);
  const tolerant = appWith({ ...shared, Tolerance: 5000 });
  assertEquals((await ask(tolerant, token)).status, 200);
  time.tick(5000);
  assertEquals((await ask(tolerant, token)).status, 401);
});

Deno.test("jwt.New() caches verifications and copies the claims for each request", async () => {
  const verifier = jwt.NewVerifier(shared);
  const app = quiet();
  app.Use(verifier.Handler());
  app.Get("/", (ctx) => {
    const own = verifier.Claims(ctx) as { roles: string[] };
    const seen = [...own.roles];
    own.roles.push("root");
    ctx.JSON(seen);
  });
  const headers = { authorization: `Bearer ${await signer.Sign(claims)}` };
  const visit = () => app.fetch(new Request("http://localhost/", { headers }));
  let verified = 0;
  Object.defineProperty(crypto.subtle, "verify", {
    configurable: true,
    value: (...given: Parameters<SubtleCrypto["verify"]>) => {
      verified++;
      return SubtleCrypto.prototype.verify.apply(crypto.subtle, given);
    },
  });
  try {
    for (const _ of [1, 2, 3]) assertEquals(await (await visit()).json(), ["admin"]);
  } finally {
    Reflect.deleteProperty(crypto.subtle, "verify");
  }
  assertEquals(verified, 1);
});

Deno.test("jwt.NewVerifier() validates and types claims with a schema", async () => {
  const { z } = await import("npm:zod@^4");
  const verifier = jwt.NewVerifier({
    ...shared,
    Claims: z.object({ sub: z.string(), level: z.number().min(3) }),
    User: (it) => ({ ID: it.sub, Name: it.sub, Roles: it.level > 5 ? ["admin"] : [], Method: "jwt" }),
  });
  const app = quiet();
  app.Use(verifier.Handler());
  app.Get("/", (ctx) => {
    const level: number | undefined = verifier.Claims(ctx)?.level;
    ctx.JSON([level, ctx.User()?.Roles]);
  });
  assertEquals(await (await ask(app, await signer.Sign({ sub: "ada", level: 7 }))).json(), [7, ["admin"]]);
  for (const wrong of [{ sub: "ada", level: 1 }, { sub: "ada" }, { level: 7 }]) {
    assertEquals((await ask(app, await signer.Sign(wrong))).status, 401);
  }
  const [good, none] = await verifier.Verify(await signer.Sign({ sub: "ada", level: 4 }));
  assertEquals([good, none], [{ sub: "ada", level: 4 }, null]);
  const [, error] = await verifier.Verify("a.b.c");
  assertEquals(error?.message, "Cannot accept the token: it is not valid");
});

Deno.test("jwt.New() with Optional accepts requests without a token, but not with an invalid one", async () => {
  const options = { ...shared, Optional: true };
  assertEquals(await (await ask(appWith(options), undefined)).json(), { id: null, roles: [] });
  assertEquals(await statusOf("a.b.c", options), 401);
  assertEquals((await (await ask(appWith(options), await signer.Sign(claims))).json()).id, "ada");
});

Deno.test("auth.Allow() uses the roles in a token", async () => {
  const app = quiet();
  app.Use(jwt.New(shared));
  app.Get("/", auth.Allow("admin"), (ctx) => ctx.WriteString("in"));
  assertEquals((await ask(app, await signer.Sign(claims))).status, 200);
  assertEquals((await ask(app, await signer.Sign({ sub: "bob", roles: "admin" }))).status, 403, "a text is not a list");
  assertEquals((await ask(app, await signer.Sign({ sub: "bob" }))).status, 403);
});

testEach("Context.Logout() blocks the token in the store, for every process that shares it", async (Blocklist) => {
  const [one, two] = [appWith({ ...shared, Blocklist }), appWith({ ...shared, Blocklist })];
  const [token, other] = [await signer.Sign(claims), await signer.Sign(claims)];
  assertEquals([(await ask(one, token)).status, (await ask(two, token)).status], [200, 200]);
  assertEquals((await ask(one, token, "/logout")).status, 200);
  assertEquals([(await ask(one, token)).status, (await ask(two, token)).status], [401, 401]);
  assertEquals((await ask(two, other)).status, 200, "another token of the same user is another token");
  const verifier = jwt.NewVerifier({ ...shared, Blocklist });
  await verifier.Block(other);
  await verifier.Block("a.b.c");
  assertEquals((await ask(one, other)).status, 401);
});

Deno.test("Verifier.Block() cannot be bypassed with another encoding of the same signature", async () => {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const options: jwt.Options = { Algorithms: ["ES256"], Key: publicKey, Blocklist: NewMemory({ WhenFull: "refuse" }) };
  const token = await jwt.NewSigner({ Algorithm: "ES256", Key: privateKey }).Sign(claims);
  const [head = "", body = "", tail = ""] = token.split(".");
  const bytes = Uint8Array.fromBase64(tail, { alphabet: "base64url" });
  // This is the same point with the other sign. Both (r, n - s) and (r, s) are valid signatures.
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n;
  const s = BigInt(`0x${bytes.subarray(32).toHex()}`);
  bytes.set(Uint8Array.fromHex((order - s).toString(16).padStart(64, "0")), 32);
  const twin = `${head}.${body}.${bytes.toBase64({ alphabet: "base64url", omitPadding: true })}`;
  const app = appWith(options);
  assertNotEquals(twin, token);
  assertEquals([(await ask(app, token)).status, (await ask(app, twin)).status], [200, 200]);
  await ask(app, token, "/logout");
  assertEquals([(await ask(app, token)).status, (await ask(app, twin)).status], [401, 401]);
  assertEquals((await ask(app, `${token}=`)).status, 401);
});

Deno.test("jwt.New() responds with 503 while the blocklist fails, because a blocked token must not be accepted", async () => {
  const Blocklist: Store = Object.assign(Object.create(NewMemory({ WhenFull: "refuse" })), {
    Get: () => Promise.reject(new Error("down")),
  });
  assertEquals(await statusOf(await signer.Sign(claims), { ...shared, Blocklist }), 503);
  assertEquals(await statusOf("a.b.c", { ...shared, Blocklist }), 401);
});

/** Starts a key server that counts its requests. */
async function serveKeys(
  work: (server: { url: string; keys: object[]; asked: () => number; fail: (on: boolean) => void }) => Promise<void>,
) {
  let asked = 0;
  let fails = false;
  const keys: object[] = [];
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => {
    asked++;
    return fails ? new Response("down", { status: 500 }) : Response.json({ keys });
  });
  await work({ url: `http://127.0.0.1:${server.addr.port}/jwks`, keys, asked: () => asked, fail: (on) => fails = on });
}

Deno.test("jwt.New() fetches keys once and again for a new key ID, but not for every unknown ID", async () => {
  await serveKeys(async ({ url, keys, asked }) => {
    const [one, two] = [await generateKeyPair("ES256"), await generateKeyPair("ES256")];
    keys.push({ ...await exportJWK(one.publicKey), kid: "one", alg: "ES256", use: "sig" });
    const app = appWith({ Algorithms: ["ES256"], JWKS: url });
    const sign = (key: CryptoKey, KeyID: string) => jwt.NewSigner({ Algorithm: "ES256", Key: key, KeyID }).Sign(claims);
    for (let i = 0; i < 5; i++) assertEquals((await ask(app, await sign(one.privateKey, "one"))).status, 200);
    assertEquals(asked(), 1);
    assertEquals((await ask(app, await sign(two.privateKey, "one"))).status, 401, "the name of another's key");
    for (let i = 0; i < 20; i++) assertEquals((await ask(app, await sign(two.privateKey, `guess${i}`))).status, 401);
    assertEquals(asked(), 1, "within the cooldown no guess makes it ask");
  });
});

Deno.test("jwt.New() responds with 503 without delay while keys cannot be fetched, and recovers", async () => {
  using time = new PassingTime();
  await serveKeys(async ({ url, keys, asked, fail }) => {
    const { publicKey, privateKey } = await generateKeyPair("EdDSA");
    keys.push({ ...await exportJWK(publicKey), kid: "one", alg: "EdDSA" });
    const app = appWith({ Algorithms: ["EdDSA"], JWKS: url });
    const token = await jwt.NewSigner({ Algorithm: "EdDSA", Key: privateKey, KeyID: "one" }).Sign(claims);
    fail(true);
    for (let i = 0; i < 5; i++) assertEquals((await ask(app, token)).status, 503);
    assertEquals(asked(), 1, "after a failure the server is left alone for a second");
    fail(false);
    assertEquals((await ask(app, token)).status, 503);
    time.tick(1001);
    assertEquals((await ask(app, token)).status, 200);
  });
});

Deno.test("jwt.New() with JWKS does not use a secret as a key", async () => {
  await serveKeys(async ({ url, keys }) => {
    const { publicKey } = await generateKeyPair("RS256", { extractable: true });
    const jwk = await exportJWK(publicKey);
    keys.push({ ...jwk, kid: "one", alg: "RS256" }, { kty: "oct", k: encode("x"), kid: "oct" });
    const options: jwt.Options = { Algorithms: ["RS256"], JWKS: url };
    for (const key of [await exportSPKI(publicKey), jwk.n ?? "", "x"]) {
      for (const kid of ["one", "oct"]) {
        assertEquals(await statusOf(forge({ alg: "HS256", kid }, { ...claims, exp: now() + 60 }, key), options), 401);
      }
    }
  });
});

function newPairs(Store: Store, more: Partial<jwt.PairOptions> = {}): jwt.Pairs {
  return jwt.NewPairs({ Signer: signer, Verification: shared, Store, ...more });
}

testEach("Pairs.Refresh() accepts a refresh token only once in 50 parallel attempts", async (store) => {
  const pairs = newPairs(store);
  const { RefreshToken } = await pairs.Issue(claims);
  const results = await Promise.all(Array.from({ length: 50 }, () => pairs.Refresh(RefreshToken)));
  assertEquals(results.filter(([pair]) => pair !== undefined).length, 1);
});

testEach(
  "Pairs.Refresh() with a used token blocks all tokens of the same login",
  async (store) => {
    const pairs = newPairs(store);
    const app = appWith({ ...shared, Blocklist: store });
    const first = await pairs.Issue(claims);
    const [second] = await pairs.Refresh(first.RefreshToken);
    const [third] = await pairs.Refresh(second?.RefreshToken ?? "");
    assertEquals((await ask(app, third?.AccessToken)).status, 200);
    assertNotEquals(third?.RefreshToken, second?.RefreshToken);
    const other = await pairs.Issue(claims);

    // A thief uses the first refresh token.
    const [stolen, error] = await pairs.Refresh(first.RefreshToken);
    assertEquals([stolen, error?.message], [undefined, "Cannot refresh the tokens: the refresh token is not valid"]);
    for (const pair of [first, second, third]) assertEquals((await ask(app, pair?.AccessToken)).status, 401);
    assertEquals((await pairs.Refresh(third?.RefreshToken ?? ""))[0], undefined);
    assertEquals((await ask(app, other.AccessToken)).status, 200, "another login goes on");
    assertNotEquals((await pairs.Refresh(other.RefreshToken))[0], undefined);
  },
);

testEach("Context.Logout() ends the whole login, including its refresh tokens", async (store) => {
  const pairs = newPairs(store);
  const app = appWith({ ...shared, Blocklist: store });
  const first = await pairs.Issue(claims);
  await ask(app, first.AccessToken, "/logout");
  assertEquals((await pairs.Refresh(first.RefreshToken))[0], undefined);
  const second = await pairs.Issue(claims);
  await pairs.Revoke(second.RefreshToken);
  assertEquals((await ask(app, second.AccessToken)).status, 401);
  assertEquals((await pairs.Refresh(second.RefreshToken))[0], undefined);
  await pairs.Revoke("a.b.c");
});

Deno.test("Pairs.Refresh() rejects access tokens, tokens with another key, and expired tokens", async () => {
  using time = new PassingTime();
  const pairs = newPairs(NewMemory({ WhenFull: "refuse" }), { RefreshAge: 60_000 });
  const pair = await pairs.Issue(claims);
  const foreign = jwt.NewSigner({ Algorithm: "HS256", Key: "f".repeat(32) });
  for (
    const token of [
      pair.AccessToken,
      await foreign.Sign({ ...claims, fam: "x" }, { Type: "refresh+jwt" }),
      await signer.Sign(claims, { Type: "refresh+jwt" }),
      "",
      "a.b.c",
    ]
  ) {
    assertEquals((await pairs.Refresh(token))[0], undefined);
  }
  time.tick(66_000);
  assertEquals((await pairs.Refresh(pair.RefreshToken))[0], undefined);
});

Deno.test("Pairs.Refresh() lets the application change the claims, reject the refresh or throw without side effects", async () => {
  let refreshed: () => jwt.Claims | undefined = () => ({
    sub: "ada",
    roles: ["reader"],
    jti: "mine",
    exp: 1,
    fam: "forged",
  });
  const store = NewMemory({ WhenFull: "refuse" });
  const pairs = newPairs(store, { OnRefresh: () => refreshed() });
  const verifier = jwt.NewVerifier({ ...shared, Blocklist: store });
  const first = await pairs.Issue({ ...claims, fam: "forged" });
  const [second] = await pairs.Refresh(first.RefreshToken);
  const [content] = await verifier.Verify(second?.AccessToken ?? "");
  const [original] = await verifier.Verify(first.AccessToken);
  assertEquals(content?.roles, ["reader"]);
  assertEquals([content?.fam, content?.fam === "forged", content?.jti === "mine"], [original?.fam, false, false]);
  refreshed = () => {
    throw new Error("database");
  };
  let failed = false;
  await pairs.Refresh(second?.RefreshToken ?? "").catch(() => failed = true);
  assertEquals(failed, true);
  refreshed = () => undefined;
  const third = await pairs.Issue(claims);
  assertEquals((await pairs.Refresh(third.RefreshToken))[0], undefined);
  refreshed = () => ({ sub: "ada" });
  assertNotEquals((await pairs.Refresh(second?.RefreshToken ?? ""))[0], undefined, "it was not used up by the failure");
});

const privateRSA = await exportPKCS8((await generateKeyPair("RS256", { extractable: true })).privateKey);
const refused: [string, () => unknown][] = [
  ["no algorithm", () => jwt.New({ Algorithms: [], Key: secret })],
  ["the algorithm none", () => jwt.New({ Algorithms: ["none" as jwt.Algorithm], Key: secret })],
  ["a short secret", () => jwt.New({ Algorithms: ["HS256"], Key: "short" })],
  ["a secret too short for its digest", () => jwt.New({ Algorithms: ["HS512"], Key: "x".repeat(63) })],
  ["one key for two algorithms", () => jwt.New({ Algorithms: ["HS256", "HS512"], Key: secret })],
  ["neither key nor URL", () => jwt.New({ Algorithms: ["HS256"] })],
  ["both key and URL", () => jwt.New({ ...shared, JWKS: "https://a.example/keys" })],
  ["secrets by URL", () => jwt.New({ Algorithms: ["HS256"], JWKS: "https://a.example/keys" })],
  ["keys over plain HTTP", () => jwt.New({ Algorithms: ["RS256"], JWKS: "http://a.example/keys" })],
  [
    "keys over plain HTTP from what looks local",
    () => jwt.New({ Algorithms: ["RS256"], JWKS: "http://127.0.0.1.evil.example/keys" }),
  ],
  ["keys from a file", () => jwt.New({ Algorithms: ["RS256"], JWKS: "file:///etc/keys" })],
  ["a private key that verifies", () => jwt.New({ Algorithms: ["RS256"], Key: privateRSA })],
  ["a private JWK that verifies", () => jwt.New({ Algorithms: ["ES256"], Key: { kty: "EC", d: "x" } })],
  ["a secret for a public key", () => jwt.New({ Algorithms: ["RS256"], Key: secret })],
  ["bytes for a public key", () => jwt.New({ Algorithms: ["RS256"], Key: new Uint8Array(64) })],
  [
    "a broken PEM",
    () => jwt.New({ Algorithms: ["RS256"], Key: "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----" }),
  ],
  ["a public key that signs", () => jwt.NewSigner({ Algorithm: "RS256", Key: "-----BEGIN PUBLIC KEY-----" })],
  ["tokens for no time", () => jwt.NewSigner({ Algorithm: "HS256", Key: secret, MaxAge: 0 })],
  ["too much tolerance", () => jwt.New({ ...shared, Tolerance: 86_400_000 })],
];
for (const [what, create] of refused) {
  Deno.test(`jwt rejects ${what}`, () => {
    assertThrows(create, fw.FrameworkError);
  });
}

for (
  const [type, status] of [
    ["JWT", 200],
    ["at+jwt", 200],
    ["application/AT+JWT", 200],
    ["reset+jwt", 401],
    ["secevent+jwt", 401],
    ["refresh+jwt", 401],
    ["logout+jwt", 401],
  ] as const
) {
  Deno.test(`New() of jwt without Type responds with ${status} to a token of type ${type}`, async () => {
    const key = "at least 32 bytes that nobody can guess";
    const app = fw.New();
    app.Get("/", jwt.New({ Algorithms: ["HS256"], Key: key }), (ctx) => ctx.WriteString("in"));
    const token = await jwt.NewSigner({ Algorithm: "HS256", Key: key }).Sign({ sub: "ada" }, { Type: type });
    const headers = { authorization: `Bearer ${token}` };
    const response = await app.fetch(new Request("http://localhost/", { headers }));
    await response.body?.cancel();
    assertEquals(response.status, status);
  });
}

Deno.test("Context.Logout() throws if a token would stay valid because jwt has no Blocklist", async () => {
  const key = "at least 32 bytes that nobody can guess";
  const { app, lines } = logged();
  app.Post("/logout", jwt.New({ Algorithms: ["HS256"], Key: key }), (ctx) => ctx.Logout());
  const token = await jwt.NewSigner({ Algorithm: "HS256", Key: key }).Sign({ sub: "ada" });
  const request = new Request("http://localhost/logout", {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
  });
  const response = await app.fetch(request);
  await response.body?.cancel();
  assertEquals(response.status, 500);
  assert(lines.join().includes("set the option Blocklist of jwt"));
});

Deno.test("New() and NewSigner() measure shared secrets of every kind", async () => {
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const short = await crypto.subtle.importKey("raw", new Uint8Array(31), hmac, false, ["sign", "verify"]);
  const long = await crypto.subtle.importKey("raw", new Uint8Array(32), hmac, false, ["sign", "verify"]);
  for (const Key of ["x".repeat(31), "", new Uint8Array(31), short]) {
    assertThrows(() => jwt.New({ Algorithms: ["HS256"], Key }), fw.FrameworkError, "at least 32 bytes");
    assertThrows(() => jwt.NewSigner({ Algorithm: "HS256", Key }), fw.FrameworkError, "at least 32 bytes");
  }
  jwt.New({ Algorithms: ["HS256"], Key: long });
});
