import { toFileUrl } from "@std/path";
import { assert, assertEquals, assertThrows } from "@std/assert";
import { spy } from "@std/testing/mock";
import { Worker } from "node:worker_threads";
import * as fw from "../../mod.ts";
import * as auth from "../../src/middleware/auth.ts";
import * as basicauth from "../../src/middleware/basicauth/mod.ts";
import { passwordKind } from "../../src/middleware/basicauth/password.ts";
import { processorTime } from "../growth.ts";
import { bothWays, quiet } from "../serving.ts";
import { testEach } from "../state/store/stores.ts";

const users: basicauth.Account[] = [
  { Name: "ada", Password: "engine:with:colons", Roles: ["admin", "editor"], ID: "1" },
  { Name: "bob", Password: "bäcker \u{1f42f}" },
  { Name: "eve", Password: "x" },
];

function appWith(options: basicauth.Options = { Users: users }): fw.Application {
  const app = quiet();
  app.Use(basicauth.New(options));
  app.Get("/", (ctx) => ctx.JSON(ctx.User()));
  app.Get("/logout", (ctx) => ctx.Logout());
  return app;
}

function basic(name: string, password: string): string {
  return `Basic ${new TextEncoder().encode(`${name}:${password}`).toBase64()}`;
}

async function ask(
  app: fw.Application,
  authorization: string | undefined,
  path = "/",
  hostname = "192.0.2.1",
): Promise<Response> {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  const remoteAddr: Deno.NetAddr = { transport: "tcp", hostname, port: 1 };
  return await app.fetch(new Request(`http://localhost${path}`, { headers }), { remoteAddr });
}

async function statusOf(app: fw.Application, authorization: string | undefined): Promise<number> {
  return (await ask(app, authorization)).status;
}

bothWays("basicauth.New() requires a password, and sets the user", appWith, async (visit) => {
  const stranger = await visit("/");
  assertEquals(stranger.status, 401);
  assertEquals(stranger.headers.get("www-authenticate"), 'Basic realm="Restricted", charset="UTF-8"');
  const ada = await visit("/", { headers: { authorization: basic("ada", "engine:with:colons") } });
  assertEquals(JSON.parse(ada.text), { ID: "1", Name: "ada", Roles: ["admin", "editor"], Method: "basic" });
  const bob = await visit("/", { headers: { authorization: basic("bob", "bäcker \u{1f42f}") } });
  assertEquals(JSON.parse(bob.text), { ID: "bob", Name: "bob", Roles: [], Method: "basic" });
});

const headers: [what: string, header: string, status: number][] = [
  ["the scheme in other letters", basic("ada", "engine:with:colons").replace("Basic", "bASIC"), 200],
  ["two spaces", basic("ada", "engine:with:colons").replace(" ", "  "), 200],
  ["a wrong password", basic("ada", "engine"), 401],
  ["a password that begins right", basic("ada", "engine:with:colon"), 401],
  ["a password that goes on", basic("ada", "engine:with:colonss"), 401],
  ["an empty password", basic("ada", ""), 401],
  ["an empty name", basic("", "x"), 401],
  ["the name in capitals", basic("ADA", "engine:with:colons"), 401],
  ["a name that does not exist", basic("zed", "x"), 401],
  ["a name of Object.prototype", basic("__proto__", "x"), 401],
  ["another name of it", basic("constructor", "x"), 401],
  ["the password of another user", basic("ada", "x"), 401],
  ["no colon", `Basic ${btoa("adaengine")}`, 401],
  ["another scheme", `Bearer ${btoa("eve:x")}`, 401],
  ["no credentials", "Basic", 401],
  ["a comma list", `${basic("eve", "x")}, ${basic("eve", "x")}`, 401],
  ["what is not base64", "Basic %%%%", 401],
  ["base64url", "Basic ZXZlOng_", 401],
  ["bytes that are not UTF-8", `Basic ${new Uint8Array([0xff, 0xfe, 0x3a, 0x78]).toBase64()}`, 401],
  ["a control character", basic("eve", "x\0"), 401],
  ["a line break in the name", basic("eve\n", "x"), 401],
  ["far too long a password", basic("eve", "x".repeat(5000)), 401],
  ["a prefix before the scheme", `xBasic ${btoa("eve:x")}`, 401],
];
for (const [what, header, status] of headers) {
  Deno.test(`basicauth.New() responds with ${status} to ${what}`, async () => {
    assertEquals(await statusOf(appWith(), header), status);
  });
}

Deno.test("basicauth.New() accepts argon2 and bcrypt hashes", async () => {
  const { bcrypt } = await import("npm:hash-wasm@^4");
  const hash = await bcrypt({ password: "builder", salt: crypto.getRandomValues(new Uint8Array(16)), costFactor: 5 });
  const app = appWith({
    Users: [
      { Name: "ada", Password: await auth.HashPassword("engine") },
      { Name: "bob", Password: hash },
      { Name: "old", Password: hash.replace("$2a$", "$2y$") },
    ],
    MaxTries: 0,
  });
  assertEquals(await statusOf(app, basic("ada", "engine")), 200);
  assertEquals(await statusOf(app, basic("bob", "builder")), 200);
  assertEquals(await statusOf(app, basic("old", "builder")), 200);
  for (const password of ["", "engine ", "Engine", "builder", hash, "x".repeat(100)]) {
    assertEquals(await statusOf(app, basic("ada", password)), 401, password);
  }
  for (const password of ["", "engine", hash, "builder\u00e4", "x".repeat(100)]) {
    assertEquals(await statusOf(app, basic("bob", password)), 401, password);
  }
  assertEquals(await statusOf(app, basic("nobody", "engine")), 401);
});

Deno.test("basicauth.New() takes the same time for unknown names", async () => {
  const { bcrypt } = await import("npm:hash-wasm@^4");
  const salt = crypto.getRandomValues(new Uint8Array(16));
  const hash = await bcrypt({ password: "builder", salt, costFactor: 7, outputType: "encoded" });
  const cheap = await bcrypt({ password: "builder", salt, costFactor: 4, outputType: "encoded" });
  const all = [
    { Name: "plain", Password: "text" },
    { Name: "argon", Password: await auth.HashPassword("engine", { Memory: 64 }) },
    { Name: "bcrypt", Password: hash },
    { Name: "older", Password: cheap },
  ];
  for (const Users of [all, [...all].reverse(), all.slice(0, 2), [all[0], all[2]] as typeof all]) {
    const app = appWith({ Users, MaxTries: 0 });
    const work = async (name: string, password: string) => {
      using sent = spy(Worker.prototype, "postMessage");
      const before = processorTime();
      assertEquals(await statusOf(app, basic(name, password)), 401);
      const cost = processorTime() - before;
      // Threads compute the hashes, which take as long as their parameters say.
      const kinds = sent.calls.map(({ args: [job] }) => passwordKind(job.options.hash)).sort();
      assertEquals(kinds, [...new Set(Users.map(({ Password }) => passwordKind(Password)))].filter(Boolean).sort());
      return cost;
    };
    await work("warm-up", "x");
    const names = [...Users.map(({ Name }) => Name), "unknown", "another"];
    let costs = names.map(() => Infinity);
    // The CPU time includes garbage collection, so the minimum of several rounds is compared.
    for (let round = 0; round < 3 || (round < 20 && !areSimilar(costs)); round++) {
      const next: number[] = [];
      for (const name of names) next.push(await work(name, `wrong${round}`));
      costs = costs.map((cost, i) => Math.min(cost, next[i] ?? Infinity));
    }
    assert(areSimilar(costs), `${costs} ms`);
  }
});

function areSimilar(costs: readonly number[]): boolean {
  return Math.max(...costs) < 2.5 * Math.min(...costs);
}

Deno.test("basicauth.New() does not block other requests while it verifies passwords", async () => {
  const app = appWith({ Users: [{ Name: "ada", Password: await auth.HashPassword("engine") }], MaxTries: 0 });
  const done: string[] = [];
  const guesses = Array.from({ length: 5 }, async (_, guess) => {
    await statusOf(app, basic("ada", `wrong${guess}`));
    done.push("guess");
  });
  const other = (async () => {
    // Data from a socket and timers are processed in separate turns of the event loop.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
    done.push("other");
  })();
  await Promise.all([...guesses, other]);
  assert(done.indexOf("other") < 4, done.join());
});

Deno.test("basicauth.New() responds with 503 if a verification would wait for too long", async () => {
  const { bcrypt } = await import("npm:hash-wasm@^4");
  const Password = await bcrypt({
    password: "engine",
    salt: crypto.getRandomValues(new Uint8Array(16)),
    costFactor: 4,
  });
  const app = appWith({ Users: [{ Name: "ada", Password }], MaxTries: 0 });
  const statuses = await Promise.all(
    Array.from({ length: 2_000 }, (_, guess) => statusOf(app, basic("ada", `x${guess}`))),
  );
  assertEquals(statuses.filter((status) => status !== 503 && status !== 401), []);
  assertEquals([401, 503].map((status) => statuses.includes(status)), [true, true]);
  assertEquals(await statusOf(app, basic("ada", "engine")), 200);
});

Deno.test("basicauth.New() does not read a long password as its first 72 bytes", async () => {
  const { bcrypt } = await import("npm:hash-wasm@^4");
  const password = "p".repeat(72);
  const hash = await bcrypt({ password, salt: crypto.getRandomValues(new Uint8Array(16)), costFactor: 5 });
  const app = appWith({ Users: [{ Name: "ada", Password: hash }] });
  assertEquals(await statusOf(app, basic("ada", password)), 200);
  assertEquals(await statusOf(app, basic("ada", `${password}more`)), 401);
});

Deno.test("basicauth.New() verifies the same credentials only once, not for every request", async () => {
  const app = appWith({ Users: [{ Name: "ada", Password: await auth.HashPassword("engine") }] });
  assertEquals(await statusOf(app, basic("ada", "engine")), 200);
  // The user is found synchronously, so no hash was computed.
  const remoteAddr: Deno.NetAddr = { transport: "tcp", hostname: "192.0.2.1", port: 1 };
  const request = new Request("http://localhost/", { headers: { authorization: basic("ada", "engine") } });
  assert(app.fetch(request, { remoteAddr }) instanceof Response);
  assertEquals(await statusOf(app, basic("ada", "engin")), 401);
  assertEquals(await statusOf(app, `Basic ${btoa("ada:engine ")}`), 401);
});

Deno.test("basicauth.New() calls a custom function for every request, with the request available", async () => {
  let calls = 0;
  const Users: basicauth.Lookup = async (name, password, ctx) => {
    calls++;
    await Promise.resolve();
    if (name !== "ada" || password !== "engine") return undefined;
    return ctx.Path() === "/" ? { ID: "7", Name: "Ada L.", Roles: ["admin"], Method: "basic" } : undefined;
  };
  const app = appWith({ Users });
  assertEquals((await (await ask(app, basic("ada", "engine"))).json()).Name, "Ada L.");
  assertEquals((await ask(app, basic("ada", "engine"), "/logout")).status, 401, "the function said no to this path");
  assertEquals(await statusOf(app, basic("ada", "x")), 401);
  assertEquals(calls, 3);
  const plain = appWith({ Users: (name) => name === "true" });
  assertEquals(await (await ask(plain, basic("true", "x"))).json(), {
    ID: "true",
    Name: "true",
    Roles: [],
    Method: "basic",
  });
  assertEquals(await statusOf(plain, basic("false", "x")), 401);
});

Deno.test("basicauth.New() rejects all requests when the function fails", async () => {
  const app = appWith({ Users: () => Promise.reject(new Error("database")) });
  assertEquals(await statusOf(app, basic("ada", "engine")), 500);
});

Deno.test("basicauth.New() reads users from a JSON file and from lines", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const hash = await auth.HashPassword("engine");
    await Deno.writeTextFile(
      `${folder}/users.json`,
      JSON.stringify([{ Name: "ada", Password: hash, Roles: ["admin"] }]),
    );
    await Deno.writeTextFile(`${folder}/htpasswd`, `# users\nada:${hash}\r\n\nbob:builder\n`);
    const json = appWith({ File: `${folder}/users.json` });
    assertEquals((await (await ask(json, basic("ada", "engine"))).json()).Roles, ["admin"]);
    const lines = appWith({ File: toFileUrl(`${folder}/htpasswd`) });
    assertEquals(await statusOf(lines, basic("ada", "engine")), 200);
    assertEquals(await statusOf(lines, basic("bob", "builder")), 200);
    const broken: [name: string, text: string, message: string][] = [
      ["absent", "", "Cannot read the users from"],
      ["broken.json", '[{"Name": "ada", "Password": "sesame"', "invalid JSON"],
      ["list.json", "[1]", "Cannot add the user"],
      ["null.json", "[null]", "Cannot add the user"],
      ["lines", "ada", 'line 1 is not "name:hash"'],
      ["empty", "", "the list has no users"],
      ["md5", "ada:$apr1$abc$def", "an unsupported hash; use argon2"],
    ];
    for (const [name, text, message] of broken) {
      if (name !== "absent") await Deno.writeTextFile(`${folder}/${name}`, text);
      const error = assertThrows(() => basicauth.New({ File: `${folder}/${name}` }), fw.FrameworkError, message);
      assertEquals(error.message.includes("sesame"), false);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

testEach(
  "basicauth.New() verifies at most MaxTries wrong passwords per address, even if 200 arrive in parallel",
  async (Store) => {
    let looks = 0;
    const Users: basicauth.Lookup = async (_name, password) => {
      looks++;
      await Promise.resolve();
      return password === "right";
    };
    const app = appWith({ Users, MaxTries: 5, Store });
    const statuses = await Promise.all(
      Array.from({ length: 200 }, async (_, i) => (await ask(app, basic("ada", `guess${i}`))).status),
    );
    assertEquals([looks, statuses.filter((status) => status === 401).length], [5, 5]);
    const late = await ask(app, basic("ada", "right"));
    assertEquals([late.status, late.headers.get("retry-after")], [429, "900"], "a right guess comes too late");
    assertEquals((await ask(app, basic("ada", "right"), "/", "192.0.2.2")).status, 200, "another address is free");
  },
);

Deno.test("basicauth.New() does not count correct passwords as attempts", async () => {
  const app = appWith({ Users: users, MaxTries: 3 });
  for (let i = 0; i < 10; i++) assertEquals(await statusOf(app, basic("eve", "x")), 200);
  assertEquals(await statusOf(app, basic("ada", "guess1")), 401);
  assertEquals(await statusOf(app, basic("eve", "x")), 200);
  assertEquals(await statusOf(app, basic("ada", "guess2")), 401);
  assertEquals(await statusOf(app, basic("bob", "bäcker \u{1f42f}")), 200);
  assertEquals(await statusOf(app, basic("ada", "guess3")), 401);
  assertEquals(await statusOf(app, basic("ada", "engine:with:colons")), 429);
  assertEquals(await statusOf(app, undefined), 401, "who does not guess is asked as ever");
});

testEach("basicauth.New() accepts correct passwords in parallel, and counts only wrong ones", async (Store) => {
  const Users: basicauth.Lookup = async (_name, password) => {
    await Promise.resolve();
    return password === "x";
  };
  const apps = [appWith({ Users, MaxTries: 3, Store }), appWith({ Users: users, MaxTries: 3, Store })];
  for (const [at, app] of apps.entries()) {
    const statusOf = async (password: string) =>
      (await ask(app, basic("eve", password), "/", `192.0.2.${at + 1}`)).status;
    assertEquals(await statusOf("guess1"), 401);
    const statuses = await Promise.all(Array.from({ length: 40 }, () => statusOf("x")));
    assertEquals([...new Set(statuses)], [200]);
    assertEquals([await statusOf("guess2"), await statusOf("guess3"), await statusOf("guess4")], [401, 401, 429]);
  }
});

Deno.test("basicauth.New() does not count attempts whose function fails", async () => {
  let isDown = true;
  const Users: basicauth.Lookup = () => {
    if (isDown) throw new Error("The database is down");
    return true;
  };
  const app = appWith({ Users, MaxTries: 2 });
  for (let i = 0; i < 5; i++) assertEquals(await statusOf(app, basic("ada", "x")), 500);
  isDown = false;
  assertEquals(await statusOf(app, basic("ada", "x")), 200);
});

Deno.test("basicauth.New() counts attempts by the network of an IPv6 address", async () => {
  const app = appWith({ Users: users, MaxTries: 1 });
  assertEquals((await ask(app, basic("ada", "a"), "/", "2001:db8::1")).status, 401);
  assertEquals((await ask(app, basic("ada", "b"), "/", "2001:db8::2")).status, 429);
});

Deno.test("Context.Logout() after basicauth removes the user and makes the browser discard the credentials", async () => {
  const response = await ask(appWith(), basic("eve", "x"), "/logout");
  assertEquals([response.status, response.headers.has("www-authenticate")], [401, true]);
});

Deno.test("basicauth.New() with HTTPSOnly never requests a password over plain HTTP", async () => {
  const app = appWith({ Users: users, HTTPSOnly: true });
  const response = await ask(app, basic("eve", "x"));
  assertEquals([response.status, response.headers.has("www-authenticate")], [403, false]);
  const secure = new Request("https://localhost/", { headers: { authorization: basic("eve", "x") } });
  assertEquals((await app.fetch(secure)).status, 200);
});

Deno.test("basicauth.New() quotes the realm", async () => {
  const response = await ask(appWith({ Users: users, Realm: 'The "back\\office"' }), undefined);
  assertEquals(response.headers.get("www-authenticate"), 'Basic realm="The \\"back\\\\office\\"", charset="UTF-8"');
});

const refused: [string, basicauth.Options][] = [
  ["no users", {}],
  ["an empty list", { Users: [] }],
  ["both a list and a file", { Users: users, File: "users" }],
  ["an empty password", { Users: [{ Name: "a", Password: "" }] }],
  ["a name with a colon", { Users: [{ Name: "a:b", Password: "x" }] }],
  ["a name twice", { Users: [{ Name: "a", Password: "x" }, { Name: "a", Password: "y" }] }],
  ["a broken argon2 hash", { Users: [{ Name: "a", Password: "$argon2id$v=19$m=1$x" }] }],
  ["a broken bcrypt hash", { Users: [{ Name: "a", Password: "$2b$10$short" }] }],
  ["an MD5 hash", { Users: [{ Name: "a", Password: "$apr1$x$y" }] }],
  ["a SHA hash", { Users: [{ Name: "a", Password: "{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=" }] }],
  ["a line break in the realm", { Users: users, Realm: "a\r\nset-cookie: b=c" }],
  ["a negative number of tries", { Users: users, MaxTries: -1 }],
  ["a period of nothing", { Users: users, TriesPeriod: 0 }],
];
for (const [what, options] of refused) {
  Deno.test(`basicauth.New() rejects ${what}`, () => {
    assertThrows(() => basicauth.New(options), fw.FrameworkError);
  });
}

Deno.test("auth.Allow() responds with 401 without a user and with 403 without the exact role", async () => {
  const app = quiet();
  app.Use((ctx) => {
    const roles = ctx.GetHeader("x-roles");
    if (roles !== "") ctx.SetUser({ ID: "1", Name: "ada", Roles: roles.split(","), Method: "test" });
    return ctx.Next();
  });
  app.Get("/any", auth.Allow(), (ctx) => ctx.WriteString("in"));
  app.Get("/admin", auth.Allow("admin", "root"), (ctx) => ctx.WriteString("in"));
  const status = async (path: string, roles?: string) => {
    const headers: Record<string, string> = roles === undefined ? {} : { "x-roles": roles };
    return (await app.fetch(new Request(`http://localhost${path}`, { headers }))).status;
  };
  assertEquals([await status("/any"), await status("/admin")], [401, 401]);
  assertEquals([await status("/any", "guest"), await status("/admin", "guest")], [200, 403]);
  assertEquals([await status("/admin", "admin"), await status("/admin", "guest,root")], [200, 200]);
  for (const roles of ["Admin", "administrator", "adm", "admin ,x", " admin,x", "constructor"]) {
    assertEquals(await status("/admin", `x,${roles}`), 403, roles);
  }
});

Deno.test("auth.AllowFunc() allows a request only if the function returns true", async () => {
  for (const [verdict, expected] of [[true, 200], [false, 403], [undefined, 403], [1, 403], ["yes", 403]] as const) {
    for (const isLate of [false, true]) {
      const app = quiet();
      app.Use((ctx) => {
        ctx.SetUser({ ID: "1", Name: "ada", Roles: [], Method: "test" });
        return ctx.Next();
      });
      const test = () => (isLate ? Promise.resolve(verdict) : verdict) as boolean;
      app.Get("/", auth.AllowFunc(test), (ctx) => ctx.WriteString("in"));
      assertEquals((await app.fetch(new Request("http://localhost/"))).status, expected);
    }
  }
});

Deno.test("Context.User() is undefined before a login and after a logout, which runs once", async () => {
  const app = quiet();
  let logouts = 0;
  app.Get("/", async (ctx) => {
    const before = ctx.User();
    await ctx.Logout();
    ctx.SetUser({ ID: "1", Name: "ada", Roles: [], Method: "test" }, async () => {
      await Promise.resolve();
      logouts++;
    });
    const during = ctx.User()?.Name;
    await ctx.Logout();
    await ctx.Logout();
    ctx.JSON([before ?? null, during, ctx.User() ?? null, logouts]);
  });
  assertEquals(await (await app.fetch(new Request("http://localhost/"))).json(), [null, "ada", null, 1]);
});
