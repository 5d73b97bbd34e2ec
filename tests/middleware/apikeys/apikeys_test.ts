import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import * as fw from "@fw/web";
import * as apikeys from "@fw/web/apikeys";
import * as sqlite from "@fw/web/apikeys/sqlite";
import * as mcp from "@fw/web/mcp";
import * as auth from "@fw/web/middleware/auth";
import * as openapi from "@fw/web/openapi";

const day = 24 * 60 * 60 * 1000;

function newApp(keys: apikeys.Keys): fw.Application {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.Get("/posts", keys.Require("posts:read"), (ctx) => ctx.JSON(ctx.User()));
  app.Post("/posts", keys.Require("posts:write"), (ctx) => ctx.WriteString("saved"));
  app.Delete("/account", keys.Require(), apikeys.Deny(), (ctx) => ctx.WriteString("deleted"));
  app.Get("/admin", keys.Require(), auth.Allow("admin"), (ctx) => ctx.WriteString("welcome"));
  return app;
}

/** Sends a request and returns the status. */
async function send(app: fw.Application, target: string, key?: string): Promise<number> {
  const [method = "", path = ""] = target.split(" ");
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const response = await app.fetch(new Request(`http://localhost${path}`, { method, headers }));
  await response.body?.cancel();
  return response.status;
}

Deno.test("Keys.Create() returns a key that scanners recognize and that contains a checksum", async () => {
  const keys = apikeys.New({ Store: apikeys.NewMemory(), Prefix: "acme" });
  const { Key, ID } = await keys.Create({ Owner: "ada", Name: "CI", Scopes: ["posts:read"] });
  assertMatch(Key, new RegExp(`^${keys.Pattern()}$`));
  assertMatch(`export TOKEN="${Key}";`, new RegExp(keys.Pattern()));
  assert(Key.startsWith(`acme_${ID}`));
  const app = newApp(keys);
  assertEquals(await send(app, "GET /posts", Key), 200);
  for (let at = 0; at < Key.length; at++) {
    const changed = Key.slice(0, at) + (Key[at] === "x" ? "y" : "x") + Key.slice(at + 1);
    assertEquals(await send(app, "GET /posts", changed), 401, changed);
  }
});

Deno.test("Keys.Require() asks the store only for keys with a valid checksum", async () => {
  const store = apikeys.NewMemory();
  let finds = 0;
  const counting: apikeys.Store = {
    ...bound(store),
    Find(id) {
      finds++;
      return store.Find(id);
    },
  };
  const keys = apikeys.New({ Store: counting });
  const { Key } = await keys.Create({ Owner: "ada", Name: "CI" });
  const app = newApp(keys);
  await send(app, "GET /admin", `${Key.slice(0, -1)}!`);
  await send(app, "GET /admin", Key.slice(0, -1) + (Key.endsWith("a") ? "b" : "a"));
  assertEquals(finds, 0);
  await send(app, "GET /admin", Key);
  assertEquals(finds, 1);
});

Deno.test("Keys.Create() stores only a hash of the key", async () => {
  const stored: unknown[] = [];
  const memory = apikeys.NewMemory();
  const keys = apikeys.New({
    Store: {
      ...bound(memory),
      Insert(key) {
        stored.push(key);
        return memory.Insert(key);
      },
    },
  });
  const { Key, ID } = await keys.Create({ Owner: "ada", Name: "CI" });
  const text = JSON.stringify(stored);
  assert(!text.includes(Key.slice(3 + ID.length)), text);
  const listed = await keys.List("ada");
  assertEquals(listed.map(({ ID }) => ID), [ID]);
  assert(!("Hash" in (listed[0] ?? {})) && !("Key" in (listed[0] ?? {})));
});

Deno.test("Keys.Require() sets the user, limited to the scopes of the key", async () => {
  const keys = apikeys.New({
    Store: apikeys.NewMemory(),
    User: (owner) => ({
      ID: owner,
      Name: "Ada",
      Roles: ["admin", "editor"],
      Method: "session",
      Claims: { plan: "pro" },
    }),
  });
  const app = newApp(keys);
  const few = await keys.Create({ Owner: "ada", Name: "few", Scopes: ["posts:read"] });
  const headers = { authorization: `Bearer ${few.Key}` };
  const user = await (await app.fetch(new Request("http://localhost/posts", { headers }))).json();
  assertEquals(user, {
    ID: "ada",
    Name: "Ada",
    Roles: [],
    Method: "key",
    Claims: { plan: "pro", key: few.ID, scopes: ["posts:read"] },
  });
  assertEquals(await send(app, "POST /posts", few.Key), 403);
  assertEquals(await send(app, "GET /admin", few.Key), 403);
  const admin = await keys.Create({ Owner: "ada", Name: "more", Scopes: ["admin"] });
  assertEquals(await send(app, "GET /admin", admin.Key), 200);
  const boss = await keys.Create({ Owner: "ada", Name: "boss", Scopes: ["boss"] });
  assertEquals(await send(app, "GET /admin", boss.Key), 403);
});

Deno.test("Keys.Require() refuses a key whose owner no longer exists", async () => {
  const keys = apikeys.New({ Store: apikeys.NewMemory(), User: () => Promise.resolve(undefined) });
  const { Key } = await keys.Create({ Owner: "ada", Name: "CI", Scopes: ["posts:read"] });
  assertEquals(await send(newApp(keys), "GET /posts", Key), 401);
});

Deno.test("Keys.Require() accepts the user of earlier middleware, unless the request has an invalid key", async () => {
  const keys = apikeys.New({ Store: apikeys.NewMemory() });
  const app = fw.New();
  app.Use((ctx) => {
    ctx.SetUser({ ID: "bob", Name: "Bob", Roles: [], Method: "session" });
    return ctx.Next();
  });
  app.Get("/", keys.Require("posts:read"), (ctx) => ctx.WriteString(`${ctx.User()?.ID} ${apikeys.Of(ctx)?.Name}`));
  const ask = async (authorization?: string) => {
    const headers = authorization === undefined ? {} : { authorization };
    const response = await app.fetch(new Request("http://localhost/", { headers }));
    return [response.status, await response.text()];
  };
  const { Key } = await keys.Create({ Owner: "ada", Name: "CI", Scopes: ["posts:read"] });
  assertEquals(await ask(), [200, "bob undefined"]);
  assertEquals(await ask(`Bearer ${Key}`), [200, "ada CI"]);
  assertEquals((await ask(`Bearer ${Key}x`))[0], 401);
  assertEquals((await ask(`Bearer ${Key}, Bearer ${Key}`))[0], 401);
  assertEquals((await ask(Key))[0], 401);
  assertEquals(await ask("Bearer e30.e30.e30"), [200, "bob undefined"]);
});

/** Keys that are not those of a store of administrators, as options for `apikeys.New`. */
const otherKeys: Readonly<Record<string, Partial<apikeys.Options>>> = {
  "the same prefix": {},
  "another prefix": { Prefix: "guest" },
  "another header": { Header: "X-Key" },
};

for (const [name, options] of Object.entries(otherKeys)) {
  Deno.test(`Keys.Require() refuses keys of another store with ${name}, also in a mounted application`, async () => {
    const admins = apikeys.New({ Store: apikeys.NewMemory() });
    const guests = apikeys.New({ Store: apikeys.NewMemory(), ...options });
    const inner = fw.New();
    inner.Get("/posts", admins.Require("posts:read"), (ctx) => ctx.WriteString(ctx.User()?.ID ?? ""));
    const app = fw.New();
    app.Use(guests.Require());
    app.Get("/posts", admins.Require("posts:read"), (ctx) => ctx.WriteString(ctx.User()?.ID ?? ""));
    app.Mount("/inner", inner);
    const { Key: guest } = await guests.Create({ Owner: "bob", Name: "CI", Scopes: ["posts:read"] });
    const { Key: admin } = await admins.Create({ Owner: "ada", Name: "CI", Scopes: ["posts:read"] });
    const sent: Record<string, string> = options.Header === undefined
      ? { authorization: `Bearer ${guest}` }
      : { [options.Header]: guest };
    for (const path of ["/posts", "/inner/posts"]) {
      const ask = async (headers: HeadersInit) => {
        const response = await app.fetch(new Request(`http://localhost${path}`, { headers }));
        return [response.status, response.ok ? await response.text() : ""];
      };
      assertEquals(await ask(sent), [401, ""], path);
      if (options.Header === undefined) continue;
      assertEquals(await ask({ ...sent, authorization: `Bearer ${admin}` }), [200, "ada"], path);
    }
  });
}

Deno.test("apikeys.Deny() refuses requests that were authenticated by a key, also in a mounted application", async () => {
  const keys = apikeys.New({ Store: apikeys.NewMemory() });
  const { Key } = await keys.Create({ Owner: "ada", Name: "CI" });
  const app = newApp(keys);
  assertEquals(await send(app, "DELETE /account", Key), 403);
  const inner = fw.New();
  inner.Post("/keys", apikeys.Deny(), (ctx) => ctx.WriteString("created"));
  const outer = fw.New();
  outer.Party("/inner", keys.Require()).Mount("/", inner.fetch);
  assertEquals(await send(outer, "POST /inner/keys", Key), 403);
  const open = fw.New();
  open.Post("/keys", apikeys.Deny(), (ctx) => ctx.WriteString("created"));
  assertEquals(await send(open, "POST /keys"), 200);
});

Deno.test("Keys.Require() refuses expired and revoked keys", async () => {
  const keys = apikeys.New({ Store: apikeys.NewMemory() });
  const app = newApp(keys);
  using time = new FakeTime();
  const short = await keys.Create({ Owner: "ada", Name: "short", Scopes: ["posts:read"], Lifetime: day });
  const endless = await keys.Create({ Owner: "ada", Name: "endless", Scopes: ["posts:read"], Lifetime: Infinity });
  assertEquals([short.Expires?.getTime(), endless.Expires], [Date.now() + day, null]);
  time.tick(day - 1);
  assertEquals(await send(app, "GET /posts", short.Key), 200);
  time.tick(1);
  assertEquals(await send(app, "GET /posts", short.Key), 401);
  assertEquals(await send(app, "GET /posts", endless.Key), 200);
  assertEquals(await keys.Revoke("bob", endless.ID), false);
  assertEquals(await send(app, "GET /posts", endless.Key), 200);
  assertEquals(await keys.Revoke("ada", endless.ID), true);
  assertEquals(await send(app, "GET /posts", endless.Key), 401);
});

Deno.test("Keys.Rotate() creates a key like the old one, which remains valid during the overlap", async () => {
  const keys = apikeys.New({ Store: apikeys.NewMemory() });
  const app = newApp(keys);
  using time = new FakeTime();
  const old = await keys.Create({ Owner: "ada", Name: "CI", Scopes: ["posts:read"], Lifetime: 30 * day });
  time.tick(day);
  assertEquals(await keys.Rotate("bob", old.ID), undefined);
  assertEquals(await keys.Rotate("ada", "nothing"), undefined);
  const fresh = await keys.Rotate("ada", old.ID, { Overlap: 1000 });
  assertEquals([fresh?.Name, fresh?.Scopes, fresh?.Expires?.getTime()], [
    "CI",
    ["posts:read"],
    Date.now() + 30 * day,
  ]);
  assertEquals(await send(app, "GET /posts", old.Key), 200);
  assertEquals(await send(app, "GET /posts", fresh?.Key), 200);
  time.tick(1000);
  assertEquals(await send(app, "GET /posts", old.Key), 401);
  assertEquals(await send(app, "GET /posts", fresh?.Key), 200);
  assertEquals(await keys.Rotate("ada", old.ID), undefined);
});

Deno.test("Keys.Require() writes the last use at most once a minute", async () => {
  const memory = apikeys.NewMemory();
  let writes = 0;
  const keys = apikeys.New({
    Store: {
      ...bound(memory),
      Touch(id, at) {
        writes++;
        return memory.Touch(id, at);
      },
    },
  });
  const app = newApp(keys);
  using time = new FakeTime();
  const { Key } = await keys.Create({ Owner: "ada", Name: "CI", Scopes: ["posts:read"] });
  for (let i = 0; i < 120; i++) {
    assertEquals(await send(app, "GET /posts", Key), 200);
    time.tick(1000);
  }
  assertEquals(writes, 2);
  const [info] = await keys.List("ada");
  assertEquals((info?.LastUsed?.getTime() ?? 0) > Date.now() - 61_000, true);
});

// The store guard waits five seconds for a store that does not respond.
const unfinished = { sanitizeOps: false, sanitizeResources: false };

Deno.test("Keys.Require() does not fail if the last use cannot be written", unfinished, async () => {
  for (const Touch of [() => Promise.reject(new Error("down")), () => new Promise<void>(() => {}), throwing]) {
    const keys = apikeys.New({ Store: { ...bound(apikeys.NewMemory()), Touch } });
    const { Key } = await keys.Create({ Owner: "ada", Name: "CI", Scopes: ["posts:read"] });
    const app = newApp(keys);
    assertEquals(await send(app, "GET /posts", Key), 200);
    await keys.List("ada");
  }
});

function throwing(): never {
  throw new Error("down");
}

Deno.test("apikeys.New() reads the key from another header", async () => {
  const keys = apikeys.New({ Store: apikeys.NewMemory(), Header: "X-API-Key" });
  const { Key } = await keys.Create({ Owner: "ada", Name: "CI", Scopes: ["posts:read"] });
  const app = newApp(keys);
  const ask = async (headers: Record<string, string>) =>
    (await app.fetch(new Request("http://localhost/posts", { headers }))).status;
  assertEquals([await ask({ "x-api-key": Key }), await ask({ authorization: `Bearer ${Key}` })], [200, 401]);
  assertEquals(await ask({ "x-api-key": "nonsense" }), 401);
});

Deno.test("apikeys.New() and its methods refuse invalid options", async () => {
  const Store = apikeys.NewMemory();
  for (const Prefix of ["", "a", "a-b", "_a", "a_", "1a", "ä1", "x".repeat(21)]) {
    assertThrows(() => apikeys.New({ Store, Prefix }), fw.FrameworkError, "Prefix must have", Prefix);
  }
  assertThrows(() => apikeys.New({} as apikeys.Options), fw.FrameworkError, "Store");
  assertThrows(() => apikeys.New({ Store, Header: "X API" }), fw.FrameworkError);
  const keys = apikeys.New({ Store });
  assertThrows(() => keys.Require("a b"), fw.FrameworkError);
  for (const wrong of [{ Owner: "" }, { Name: "a\0" }, { Scopes: ["a b"] }, { Scopes: [""] }, { Lifetime: 0 }]) {
    await assertRejects(() => keys.Create({ Owner: "ada", Name: "CI", ...wrong }), fw.FrameworkError);
  }
  await assertRejects(() => keys.Rotate("ada", "x", { Overlap: -1 }), fw.FrameworkError);
});

Deno.test("Keys.Require() appears in the OpenAPI document with its scopes", async () => {
  for (
    const [Header, scheme] of [
      ["Authorization", { type: "http", scheme: "bearer", bearerFormat: "fw_…" }],
      ["X-API-Key", { type: "apiKey", in: "header", name: "X-API-Key" }],
    ] as const
  ) {
    const app = newApp(apikeys.New({ Store: apikeys.NewMemory(), Header }));
    const document = await openapi.New({ Title: "Posts", Version: "1.0.0" }).Build(app);
    const { components, paths } = JSON.parse(JSON.stringify(document));
    assertEquals(components.securitySchemes, { apiKey: scheme });
    assertEquals(paths["/posts"].get.security, [{ apiKey: ["posts:read"] }]);
  }
});

Deno.test("a key calls the tools that its scopes allow, and sees no others", async () => {
  const keys = apikeys.New({ Store: apikeys.NewMemory() });
  const app = newApp(keys);
  mcp.New(app, { Name: "posts", Routes: ({ Path }) => Path === "/posts", Sessions: false });
  const { Key } = await keys.Create({ Owner: "ada", Name: "agent", Scopes: ["posts:read"] });
  const call = async (method: string, params: object = {}) => {
    const response = await app.fetch(
      new Request("http://localhost/mcp", {
        method: "POST",
        headers: { "content-type": "application/json", accept: "application/json", authorization: `Bearer ${Key}` },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      }),
    );
    return (await response.json()).result;
  };
  const { tools } = await call("tools/list");
  assertEquals(tools.map(({ name }: { name: string }) => name).length, 1);
  const { content } = await call("tools/call", { name: tools[0].name, arguments: {} });
  assertEquals(JSON.parse(content[0].text).ID, "ada");
});

const stores: Readonly<Record<string, (folder: string) => apikeys.Store & { Close?(): void }>> = {
  "apikeys.NewMemory()": () => apikeys.NewMemory(),
  "apikeys/sqlite.New()": (folder) => sqlite.New({ File: `${folder}/keys.db` }),
};

for (const [name, open] of Object.entries(stores)) {
  Deno.test(`${name} finds, lists, touches, expires and deletes keys`, async () => {
    const folder = await Deno.makeTempDir({ prefix: "fw_keys_" });
    const store = open(folder);
    const at = (ms: number) => new Date(1_800_000_000_000 + ms);
    const key: apikeys.StoredKey = {
      ID: "a",
      Owner: "ada",
      Name: "ключ 🔑 'x'",
      Hash: "h",
      Scopes: ["posts:read", "b"],
      Created: at(0),
      Expires: null,
      LastUsed: null,
    };
    try {
      await store.Insert(key);
      await store.Insert({ ...key, ID: "b", Scopes: [], Created: at(1), Expires: at(10), LastUsed: at(5) });
      await store.Insert({ ...key, ID: "c", Owner: "bob" });
      assertEquals(await store.Find("a"), key);
      assertEquals(await store.Find("z"), null);
      assertEquals((await store.List("ada")).map(({ ID }) => ID), ["a", "b"]);
      assertEquals(await store.List("eve"), []);
      await store.Touch("a", at(20));
      assertEquals((await store.Find("a"))?.LastUsed, at(20));
      assertEquals([await store.Expire("a", "bob", at(3)), await store.Expire("a", "ada", at(30))], [false, true]);
      assertEquals((await store.Find("a"))?.Expires, at(30));
      await store.Expire("b", "ada", at(40));
      assertEquals((await store.Find("b"))?.Expires, at(10));
      assertEquals([await store.Delete("a", "bob"), await store.Delete("a", "ada"), await store.Delete("a", "ada")], [
        false,
        true,
        false,
      ]);
    } finally {
      store.Close?.();
      await Deno.remove(folder, { recursive: true });
    }
  });
}

/** Returns the methods of a store as functions. */
function bound(store: apikeys.Store): apikeys.Store {
  return {
    Insert: (key) => store.Insert(key),
    Find: (id) => store.Find(id),
    List: (owner) => store.List(owner),
    Touch: (id, at) => store.Touch(id, at),
    Expire: (id, owner, at) => store.Expire(id, owner, at),
    Delete: (id, owner) => store.Delete(id, owner),
  };
}
