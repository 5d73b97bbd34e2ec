import { assert, assertEquals, assertNotEquals, assertRejects, assertThrows } from "@std/assert";
import { PassingTime } from "../../clocks.ts";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import * as jwt from "../../../src/middleware/jwt/mod.ts";
import { NewMemory } from "../../../src/state/store/memory.ts";
import { New as newRedis } from "../../../src/state/redis/store.ts";
import type { Store } from "../../../src/state/store/store.ts";
import { closeClient, newClient } from "../../state/redis/clients.ts";
import { ignoredFor, serverIsMissing, startRedis } from "../../state/sessions/redis_server.ts";
import { quiet } from "../../serving.ts";
import type { Place } from "../../state/store/place.ts";
import { testEach } from "../../state/store/stores.ts";

const Key = "s".repeat(64);
const Verification = { Algorithms: ["HS256"], Key } as const;
const signer = jwt.NewSigner({ Algorithm: "HS256", Key });
const day = 86_400_000;

function newPairs(Store: Store, options: Partial<jwt.PairOptions> = {}): jwt.Pairs {
  return jwt.NewPairs({ Signer: signer, Verification, Store, ...options });
}

async function refreshed(pairs: jwt.Pairs, token: string): Promise<jwt.Pair> {
  const [pair] = await pairs.Refresh(token);
  assertNotEquals(pair, undefined);
  return pair as jwt.Pair;
}

/** Returns the remaining lifetime of a blocked family, as reported by the store. */
async function blockedFor(token: string, place: Place): Promise<number> {
  const { fam } = JSON.parse(atob((token.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/")));
  const client = newClient(place.address);
  try {
    return Number(await client.sendCommand(["PTTL", `${place.prefix}jwt:family:${fam}`]));
  } finally {
    await closeClient(client);
  }
}

type End = (pairs: jwt.Pairs, store: Store, tokens: { first: jwt.Pair; latest: jwt.Pair }) => Promise<void>;

const ends: [how: string, end: End][] = [
  ["a token that is used again", async (pairs, _, { first }) => {
    assertEquals((await pairs.Refresh(first.RefreshToken))[0], undefined);
  }],
  ["Pairs.Revoke() of the first token", async (pairs, _, { first }) => await pairs.Revoke(first.RefreshToken)],
  ["Pairs.Revoke() of the latest token", async (pairs, _, { latest }) => await pairs.Revoke(latest.RefreshToken)],
  ["Verifier.Block() of the first access token", async (_, Blocklist, { first }) => {
    await jwt.NewVerifier({ ...Verification, Blocklist }).Block(first.AccessToken);
  }],
  ["Context.Logout()", async (_, Blocklist, { latest }) => {
    const app = quiet();
    app.Use(jwt.New({ ...Verification, Blocklist }));
    app.Post("/", async (ctx) => await ctx.Logout());
    const headers = { authorization: `Bearer ${latest.AccessToken}` };
    const response = await app.fetch(new Request("http://localhost/", { method: "POST", headers }));
    assertEquals(response.status, 200);
  }],
];

for (const [how, end] of ends) {
  testEach(
    `jwt: after ${how}, no token of the login is accepted until the last of them has expired`,
    async (store, place) => {
      // The clock of Redis cannot be changed, so the lifetime of the block is checked instead.
      using time = place.kind === "redis" ? undefined : new PassingTime();
      const pairs = newPairs(store);
      const first = await pairs.Issue({ sub: "ada" });
      time?.tick(20 * day);
      let latest = await refreshed(pairs, first.RefreshToken);
      await end(pairs, store, { first, latest });
      if (place.kind === "redis") {
        assert(await blockedFor(latest.RefreshToken, place) >= 30 * day);
      }
      for (let elapsed = 20; elapsed < 51; elapsed += 5) {
        assertEquals((await pairs.Refresh(latest.RefreshToken))[0], undefined, `day ${elapsed}`);
        time?.tick(5 * day);
      }
      latest = await pairs.Issue({ sub: "ada" });
      assertNotEquals((await pairs.Refresh(latest.RefreshToken))[0], undefined, "another login is not blocked");
    },
  );
}

testEach("Pairs.Revoke() ends a login also by a token that has expired meanwhile", async (store) => {
  using time = new PassingTime();
  const pairs = newPairs(store);
  const first = await pairs.Issue({ sub: "ada" });
  time.tick(20 * day);
  const stolen = await refreshed(pairs, first.RefreshToken);
  time.tick(11 * day);
  await pairs.Revoke(first.RefreshToken);
  assertEquals((await pairs.Refresh(stolen.RefreshToken))[0], undefined);
}, ["memory", "sqlite"]);

testEach("jwt: a family stays blocked if RefreshAge was raised after the presented token was issued", async (store) => {
  using time = new PassingTime();
  const first = await newPairs(store, { RefreshAge: 10 * day }).Issue({ sub: "ada" });
  const longer = newPairs(store, { RefreshAge: 60 * day });
  const stolen = await refreshed(longer, first.RefreshToken);
  await longer.Refresh(first.RefreshToken);
  time.tick(50 * day);
  assertEquals((await longer.Refresh(stolen.RefreshToken))[0], undefined);
}, ["memory", "sqlite"]);

testEach("Pairs.Refresh() works as long as it is used, and detects old tokens at any time", async (store) => {
  using time = new PassingTime();
  const pairs = newPairs(store);
  let pair = await pairs.Issue({ sub: "ada" });
  let older = pair;
  for (let turn = 0; turn < 12; turn++) {
    time.tick(20 * day);
    older = pair;
    pair = await refreshed(pairs, pair.RefreshToken);
  }
  assertEquals((await pairs.Refresh(older.RefreshToken))[0], undefined, "used before");
  assertEquals((await pairs.Refresh(pair.RefreshToken))[0], undefined, "the whole login is blocked");
}, ["memory", "sqlite"]);

testEach("Pairs.Refresh() without end by one account leaves the store to everyone else", async (store) => {
  let keys = 0;
  const counting: Store = {
    ...methodsOf(store),
    Increment: (key, n, lifetime) => {
      const value = store.Increment(key, n, lifetime);
      if (value === 1) keys++;
      return value;
    },
    Set: (...args) => (keys++, store.Set(...args)),
    Create: (...args) => (keys++, store.Create(...args)),
  };
  const pairs = newPairs(counting);
  let pair = await pairs.Issue({ sub: "mallory" });
  for (let turn = 0; turn < 200; turn++) pair = await refreshed(pairs, pair.RefreshToken);
  assert(keys <= 3, `${keys} keys`);
}, ["memory", "sqlite"]);

Deno.test("Pairs.Refresh() by one account does not fill a small store in memory", async () => {
  const pairs = newPairs(NewMemory({ MaxKeys: 10, WhenFull: "refuse" }));
  let pair = await pairs.Issue({ sub: "mallory" });
  for (let turn = 0; turn < 50; turn++) pair = await refreshed(pairs, pair.RefreshToken);
  const other = await pairs.Issue({ sub: "ada" });
  await pairs.Revoke((await refreshed(pairs, other.RefreshToken)).RefreshToken);
});

Deno.test("Pairs.Refresh() always rejects a token whose counter the store has lost", async () => {
  const before = newPairs(NewMemory({ WhenFull: "refuse" }));
  let pair = await before.Issue({ sub: "ada" });
  const used = [pair.RefreshToken];
  for (let turn = 0; turn < 3; turn++) {
    pair = await refreshed(before, pair.RefreshToken);
    used.push(pair.RefreshToken);
  }
  const restarted = newPairs(NewMemory({ WhenFull: "refuse" }));
  for (let turn = 0; turn < 10; turn++) {
    assertEquals((await restarted.Refresh(used[2] ?? ""))[0], undefined);
  }
});

Deno.test("jwt.NewVerifier() and NewPairs() reject a store that evicts", () => {
  for (const store of [NewMemory(), NewMemory({ WhenFull: "evict" }), { ...methodsOf(NewMemory()), Evicts: true }]) {
    assertThrows(() => jwt.NewVerifier({ ...Verification, Blocklist: store }), FrameworkError, "evicts keys");
    assertThrows(() => newPairs(store), FrameworkError, "evicts keys");
  }
  jwt.NewVerifier({ ...Verification, Blocklist: NewMemory({ WhenFull: "refuse" }) });
});

Deno.test({
  name: `jwt: a blocklist rejects a Redis server that evicts keys${ignoredFor(serverIsMissing)}`,
  ignore: serverIsMissing !== undefined,
  async fn() {
    await using redis = await startRedis();
    const client = newClient(redis.URL);
    const store = newRedis(client, { Timeout: 5000 });
    try {
      await client.sendCommand(["CONFIG", "SET", "maxmemory", "50mb"]);
      await client.sendCommand(["CONFIG", "SET", "maxmemory-policy", "volatile-lru"]);
      const verifier = jwt.NewVerifier({ ...Verification, Blocklist: store });
      const token = await signer.Sign({ sub: "ada" });
      await assertRejects(() => verifier.Block(token), FrameworkError, '"noeviction"');
      await assertRejects(() => verifier.Verify(token), FrameworkError, '"noeviction"');
      await client.sendCommand(["CONFIG", "SET", "maxmemory-policy", "noeviction"]);
      await verifier.Block(token);
      assertEquals((await verifier.Verify(token))[0], undefined);
    } finally {
      await store.Close?.();
      await closeClient(client);
    }
  },
});

function methodsOf(store: Store): Store {
  return {
    Take: (...args) => store.Take(...args),
    Increment: (...args) => store.Increment(...args),
    Get: (...args) => store.Get(...args),
    Set: (...args) => store.Set(...args),
    Create: (...args) => store.Create(...args),
    Delete: (...args) => store.Delete(...args),
  };
}
