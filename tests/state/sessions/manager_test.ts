import {
  assert,
  assertEquals,
  assertGreater,
  assertMatch,
  assertNotEquals,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import { setTimeout as sleep } from "node:timers/promises";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import type { Context } from "../../../src/core/context/context.ts";
import * as fw from "../../../mod.ts";
import * as auth from "../../../src/middleware/login/mod.ts";
import * as sessions from "../../../src/state/sessions/mod.ts";
import { inTime } from "../../in_time.ts";
import { SpyStore } from "./spy_store.ts";
import { testEach } from "./stores.ts";
import { Visitor } from "./visitor.ts";

type Routes = Record<string, (session: sessions.Session, ctx: Context, manager: sessions.Sessions) => unknown>;

/** Creates an application that starts a session for every route and responds with the result of the route. */
function site(config: sessions.Config, routes: Routes): { app: fw.Application; manager: sessions.Sessions } {
  const manager = sessions.New(config);
  const app = fw.New();
  for (const [path, work] of Object.entries(routes)) {
    app.Get(path, async (ctx) => {
      const session = await manager.Start(ctx);
      ctx.WriteString(String(await work(session, ctx, manager) ?? ""));
    });
  }
  return { app, manager };
}

function visitorOf(app: fw.Application): Visitor {
  return new Visitor(app.fetch);
}

/** The precision of lifetimes, in milliseconds. Timers and the clock of a store may be up to a millisecond early. */
const precision = 2;

const counting: Routes = { "/": (session) => session.Increment("n"), "/id": (session) => session.ID() };

testEach("Sessions.Start() finds the session again by its cookie", async (Store) => {
  const { app } = site({ Store }, {
    ...counting,
    "/new": (session) => session.IsNew(),
  });
  const visitor = visitorOf(app);
  assertEquals([await visitor.ask("/new"), await visitor.ask("/"), await visitor.ask("/")], ["true", "1", "2"]);
  assertEquals([await visitor.ask("/new"), await visitor.ask("/id")], ["false", visitor.id]);
  assertEquals(await visitorOf(app).ask("/"), "1");
});

testEach("Session.Set() and similar methods store values for the next request", async (Store) => {
  const { app } = site({ Store }, {
    "/set": (session) => {
      session.Set("a", { at: new Date(5), id: 7n });
      session.SetImmutable("b", "fixed");
      session.Set("c", 1);
      session.SetFlash("d", "message");
    },
    "/change": (session) => {
      session.Set("b", "other");
      session.Delete("c");
      session.Increment("e", 5);
    },
    "/get": (session) => Deno.inspect({ ...session.GetAll() }) + session.PeekFlash("d"),
    "/clear": (session) => session.Clear(),
  });
  const visitor = visitorOf(app);
  await visitor.ask("/set");
  await visitor.ask("/change");
  const all = await visitor.ask("/get");
  for (const part of ["1970-01-01T00:00:00.005Z", "7n", '"fixed"', "e: 5", "message"]) assertStringIncludes(all, part);
  assert(!all.includes("c:"));
  await visitor.ask("/clear");
  assertEquals(await visitor.ask("/get"), "{}message");
});

testEach("Session.GetFlash() returns a message exactly once, even for concurrent requests", async (Store) => {
  const { app } = site({ Store }, {
    "/set": (session) => session.SetFlash("info", "saved"),
    "/take": (session) => session.GetFlash("info"),
  });
  const visitor = visitorOf(app);
  await visitor.ask("/set");
  const all = await Promise.all(Array.from({ length: 20 }, () => visitor.ask("/take")));
  assertEquals(all.filter((it) => it !== ""), ["saved"]);
  assertEquals(await visitor.ask("/take"), "");
});

testEach("Session.SetImmutable() takes precedence over a concurrent Set(), regardless of the order", async (Store) => {
  const gate = Promise.withResolvers<void>();
  const { app } = site({ Store }, {
    "/plain": async (session) => {
      session.Set("role", "plain");
      await gate.promise;
    },
    "/fixed": (session) => session.SetImmutable("role", "fixed"),
    "/": (session) => session.Get("role"),
    "/begin": (session) => session.Set("begun", true),
  });
  const visitor = visitorOf(app);
  await visitor.ask("/begin");
  const late = visitor.ask("/plain");
  await visitor.ask("/fixed");
  gate.resolve();
  await late;
  assertEquals(await visitor.ask("/"), "fixed");
});

testEach("Session.Regenerate() keeps the data and invalidates the old ID", async (Store) => {
  const { app } = site({ Store }, {
    ...counting,
    "/login": (session) => {
      session.Set("user", "ada");
      session.Regenerate();
    },
    "/user": (session) => session.Get("user"),
  });
  const [visitor, thief] = [visitorOf(app), visitorOf(app)];
  await visitor.ask("/");
  thief.cookie = visitor.cookie;
  await visitor.ask("/login");
  assertNotEquals(visitor.cookie, thief.cookie);
  assertEquals([await visitor.ask("/user"), await visitor.ask("/")], ["ada", "2"]);
  assertEquals([await thief.ask("/user"), await thief.ask("/")], ["", "1"]);
});

testEach("Session.Regenerate() loses no changes of concurrent requests", async (Store) => {
  const gate = Promise.withResolvers<void>();
  let waiting = 0;
  const all = Promise.withResolvers<void>();
  const { app } = site({ Store }, {
    ...counting,
    "/login": (session) => {
      session.Regenerate();
    },
    "/slow": async (session, ctx) => {
      session.Set(ctx.Request().url, 1);
      if (++waiting === 10) all.resolve();
      await gate.promise;
    },
    "/len": (session) => session.Len(),
  });
  const visitor = visitorOf(app);
  await visitor.ask("/");
  const slow = Array.from({ length: 10 }, (_, i) => visitor.ask(`/slow?${i}`));
  await all.promise;
  await visitor.ask("/login");
  gate.resolve();
  await Promise.all(slow);
  assertEquals(await visitor.ask("/len"), "11");
});

testEach(
  "Session.Regenerate() in two concurrent requests creates two sessions",
  async (Store) => {
    const gate = Promise.withResolvers<void>();
    const { app } = site({ Store }, {
      ...counting,
      "/slow": async (session) => {
        session.Set("user", "mallory");
        session.Regenerate();
        await gate.promise;
      },
      "/login": (session) => {
        session.Set("user", "ada");
        session.Regenerate();
      },
      "/user": (session) => session.Get("user"),
    });
    const [ada, mallory] = [visitorOf(app), visitorOf(app)];
    await ada.ask("/");
    mallory.cookie = ada.cookie;
    const slow = mallory.ask("/slow");
    await ada.ask("/login");
    gate.resolve();
    await slow;
    assertNotEquals(ada.cookie, mallory.cookie);
    assertEquals([await ada.ask("/user"), await ada.ask("/")], ["ada", "2"]);
    assertEquals([await mallory.ask("/user"), await mallory.ask("/")], ["mallory", "1"]);
  },
);

testEach("Session.Regenerate() in a form that is sent twice keeps the session, and drops a message", async (Store) => {
  const gate = Promise.withResolvers<void>();
  const { app } = site({ Store, MaxLifetime: 3_600_000 }, {
    ...counting,
    "/save": async (session, ctx) => {
      session.Regenerate();
      session.SetFlash("notice", "Saved");
      if (ctx.URLParam("n") === "1") await gate.promise;
    },
  });
  const [visitor, second] = [visitorOf(app), visitorOf(app)];
  await visitor.ask("/");
  second.cookie = visitor.cookie;
  const slow = second.ask("/save?n=1");
  await visitor.ask("/save?n=2");
  gate.resolve();
  await slow;
  assertEquals([second.status, second.line], [200, ""]);
  assertEquals(await visitor.ask("/"), "2");
});

testEach("Sessions.Destroy() ends the session and removes the cookie", async (Store) => {
  const { app } = site({ Store }, {
    ...counting,
    "/logout": (_, ctx, manager) => manager.Destroy(ctx),
  });
  const visitor = visitorOf(app);
  await visitor.ask("/");
  const { cookie } = visitor;
  await visitor.ask("/logout");
  assertStringIncludes(visitor.line, "Max-Age=0");
  assertEquals(visitor.cookie, "");
  visitor.cookie = cookie;
  assertEquals(await visitor.ask("/"), "1");
  assertNotEquals(visitor.cookie, cookie);
});

testEach("Session.Set() does not restore a session that another request has destroyed", async (Store) => {
  const gate = Promise.withResolvers<void>();
  const { app } = site({ Store }, {
    ...counting,
    "/slow": async (session) => {
      session.Set("a", 1);
      await gate.promise;
    },
    "/logout": (session) => session.Destroy(),
  });
  const visitor = visitorOf(app);
  await visitor.ask("/");
  const { cookie } = visitor;
  const slow = new Visitor(app.fetch);
  slow.cookie = cookie;
  const asked = slow.ask("/slow");
  await visitor.ask("/logout");
  gate.resolve();
  await asked;
  assertEquals([slow.status, slow.line], [200, ""]);
  assertEquals(await slow.ask("/"), "1");
  assertNotEquals(slow.cookie, cookie);
});

testEach(
  "Session.Regenerate() of a destroyed session keeps only the values set by the request",
  async (Store) => {
    const gate = Promise.withResolvers<void>();
    const { app } = site({ Store }, {
      ...counting,
      "/login": async (session) => {
        session.Set("user", "ada");
        session.Regenerate();
        await gate.promise;
      },
      "/logout": (session) => session.Destroy(),
      "/all": (session) => Object.keys(session.GetAll()).join(),
    });
    const [visitor, other] = [visitorOf(app), visitorOf(app)];
    await visitor.ask("/");
    other.cookie = visitor.cookie;
    const login = visitor.ask("/login");
    await other.ask("/logout");
    gate.resolve();
    await login;
    assertEquals(await visitor.ask("/all"), "user");
  },
);

testEach("Sessions.DestroyByID() ends a session and reports whether it existed", async (Store) => {
  const { app, manager } = site({ Store }, counting);
  const visitor = visitorOf(app);
  await visitor.ask("/");
  assertEquals(await manager.DestroyByID(visitor.id), true);
  assertEquals(await manager.DestroyByID(visitor.id), false);
  assertEquals(await manager.DestroyByID("a b\r\n"), false);
  assertEquals(await visitor.ask("/"), "1");
});

testEach("Sessions.OnDestroy() is called once per session, with the ID", async (Store) => {
  const { app, manager } = site({ Store }, {
    ...counting,
    "/logout": (session) => session.Destroy(),
  });
  const ended: string[] = [];
  manager.OnDestroy((id) => void ended.push(id));
  const [one, two] = [visitorOf(app), visitorOf(app)];
  await one.ask("/");
  await two.ask("/");
  const ids = [one.id, two.id];
  await Promise.all([one.ask("/logout"), one.ask("/logout"), manager.DestroyByID(two.id)]);
  await visitorOf(app).ask("/logout");
  assertEquals(ended.toSorted(), ids.toSorted());
});

testEach("Sessions.New() with Expires ends a session after its lifetime, even if it is used", async (Store) => {
  const Expires = 400;
  const { app } = site({ Store, Expires }, counting);
  const { begin, away, visitor } = await inTime(Expires - precision, async () => {
    const [away, visitor] = [visitorOf(app), visitorOf(app)];
    await away.ask("/");
    const begin = performance.now();
    assertEquals([await visitor.ask("/"), await visitor.ask("/"), visitor.line], ["1", "2", ""]);
    return { begin, away, visitor };
  });
  const { cookie } = visitor;
  while (await visitor.ask("/") !== "1") await sleep(20);
  assertGreater(performance.now() - begin, Expires - precision);
  assertNotEquals(visitor.cookie, cookie);
  assertEquals(await away.ask("/"), "1");
});

testEach("Sessions.New() with Rolling restarts the lifetime with every request", async (Store) => {
  const Expires = 300;
  const { app } = site({ Store, Expires, Rolling: true }, {
    "/set": (session) => session.Set("n", 1),
    "/look": (session) => session.Get("n"),
  });
  const visitor = visitorOf(app);
  for (let [lived, before] = [0, -Infinity]; lived < 2 * Expires;) {
    await sleep(Expires / 5);
    const begin = performance.now();
    const n = await visitor.ask("/look");
    if (performance.now() - before < Expires - precision) {
      assertEquals(n, "1");
      assertStringIncludes(visitor.line, "Max-Age=1;");
      lived += begin - before;
    } else {
      // This is the first visit, or a busy machine has delayed it until after the end of the session.
      await visitor.ask("/set");
      lived = 0;
    }
    before = begin;
  }
});

testEach("Sessions.UpdateExpiration() changes the lifetime permanently", async (Store) => {
  const Expires = 300;
  const { app } = site({ Store, Expires }, {
    ...counting,
    "/remember": async (session, ctx, manager) => {
      assertEquals(await manager.UpdateExpiration(ctx, 3_600_000), null);
      return session.Get("n");
    },
    "/forget": (_, ctx, manager) => manager.UpdateExpiration(ctx, -1),
  });
  const visitor = await inTime(Expires - precision, async () => {
    const visitor = visitorOf(app);
    assertEquals([await visitor.ask("/"), await visitor.ask("/remember")], ["1", "1"]);
    return visitor;
  });
  assertStringIncludes(visitor.line, "Max-Age=3600;");
  await sleep(Expires + 50);
  assertEquals(await visitor.ask("/"), "2");
  await visitor.ask("/forget");
  assert(visitor.line !== "" && !visitor.line.includes("Max-Age") && !visitor.line.includes("Expires"));
  assertEquals(await visitor.ask("/"), "3");
});

Deno.test("Sessions.UpdateExpiration() returns an error if the request has no session", async () => {
  const manager = sessions.New();
  const app = fw.New();
  app.Get("/", async (ctx) => ctx.WriteString((await manager.UpdateExpiration(ctx, 1000))?.message ?? "none"));
  const visitor = visitorOf(app);
  assertEquals(await visitor.ask("/"), "Cannot update the expiration: the request has no session");
  assertEquals(visitor.line, "");
});

Deno.test("Sessions.Start() sends a cookie with HttpOnly and SameSite", async () => {
  const { app } = site({}, counting);
  const visitor = visitorOf(app);
  await visitor.ask("/");
  assertMatch(visitor.line, /^fwsessionid=[\w-]{32}; /);
  for (const part of ["HttpOnly", "SameSite=Lax", "Path=/", "Max-Age=34560000", "Expires="]) {
    assertStringIncludes(visitor.line, part);
  }
  assert(!visitor.line.includes("Secure") && !visitor.line.includes("Domain"));
  await visitor.ask("/");
  assertEquals(visitor.line, "");
});

Deno.test("Sessions.Start() sends a Secure cookie over TLS", async () => {
  const visitor = new Visitor(site({}, counting).app.fetch, "https://localhost");
  await visitor.ask("/");
  assertStringIncludes(visitor.line, "Secure");
});

Deno.test("Sessions.New() configures the cookie", async () => {
  const config = {
    Cookie: "sid",
    Expires: 5000,
    Domain: "example.com",
    Path: "/app",
    SameSite: "None",
    Secure: true,
    Generator: () => `id-${crypto.randomUUID()}`,
  } as const;
  const visitor = visitorOf(site(config, counting).app);
  await visitor.ask("/");
  assertMatch(visitor.line, /^sid=id-[0-9a-f-]{36}; /);
  for (const part of ["Max-Age=5;", "Domain=example.com", "Path=/app", "SameSite=None", "Secure", "HttpOnly"]) {
    assertStringIncludes(visitor.line, part);
  }
});

Deno.test("Sessions.New() sends a cookie named __Host- with Secure", async () => {
  const visitor = visitorOf(site({ Cookie: "__Host-sid" }, counting).app);
  await visitor.ask("/");
  assertStringIncludes(visitor.line, "Secure");
});

Deno.test("Sessions.New() with Expires -1 sends a cookie that ends with the browser session", async () => {
  const visitor = visitorOf(site({ Expires: -1 }, counting).app);
  await visitor.ask("/");
  assert(!visitor.line.includes("Max-Age") && !visitor.line.includes("Expires"));
  assertEquals(await visitor.ask("/"), "2");
});

Deno.test("Sessions.New() rejects settings that browsers do not accept", () => {
  const wrong: [sessions.Config, string][] = [
    [{ Cookie: "a b" }, '"Cookie" of sessions: it must be a valid cookie name, not "a b"'],
    [{ Cookie: "" }, '"Cookie" of sessions: it must be a valid cookie name, not ""'],
    [{ Expires: -2 }, 'Cannot use the option "Expires" of sessions: it must be an integer of at least -1, not -2'],
    [{ Expires: NaN }, '"Expires" of sessions: it must be an integer of at least -1, not NaN'],
    [{ SameSite: "None", Secure: false }, "browsers require the cookie to be Secure"],
    [{ SameSite: "lax" as "Lax" }, 'it must be "Strict" or "Lax" or "None", not "lax"'],
    [{ Cookie: "__Host-a", Domain: "example.com" }, "it must be Secure"],
    [{ Cookie: "__Host-a", Path: "/app" }, "it must be Secure"],
  ];
  for (const [config, message] of wrong) assertThrows(() => sessions.New(config), FrameworkError, message);
});

Deno.test("Sessions.Start() fails if the ID generator returns an invalid ID, or one in use", async () => {
  for (const id of ["", "a b", "x".repeat(129), "a;b", "é"]) {
    const visitor = visitorOf(quiet(site({ Generator: () => id }, counting).app));
    await visitor.ask("/");
    assertEquals([visitor.status, visitor.line], [500, ""]);
  }
  const { app } = site({ Generator: () => "the-same" }, counting);
  const [one, two] = [visitorOf(app), visitorOf(quiet(app))];
  assertEquals(await one.ask("/"), "1");
  await two.ask("/");
  assertEquals([two.status, two.line], [500, ""]);
  assertEquals(await one.ask("/"), "2");
});

Deno.test("Sessions.Start() returns the same session for repeated and concurrent calls", async () => {
  const Store = new SpyStore();
  const manager = sessions.New({ Store });
  const app = fw.New();
  app.Get("/", async (ctx) => {
    const [one, two] = await Promise.all([manager.Start(ctx), manager.Start(ctx)]);
    one.Increment("n");
    ctx.WriteString(`${one === two && two === await manager.Start(ctx)} ${two.Get("n")}`);
  });
  const visitor = visitorOf(app);
  assertEquals(await visitor.ask("/"), "true 1");
  Store.reset();
  assertEquals(await visitor.ask("/"), "true 2");
  assertEquals([Store.reads, Store.writes], [1, 1]);
});

Deno.test("Sessions.Start() is synchronous if the store is in memory", async () => {
  const manager = sessions.New();
  const app = fw.New();
  app.Get("/", (ctx) => ctx.WriteString(String(manager.Start(ctx) instanceof sessions.Session)));
  const visitor = visitorOf(app);
  assertEquals([await visitor.ask("/"), await visitor.ask("/")], ["true", "true"]);
});

Deno.test("Sessions.Start() works as a standalone function", async () => {
  const { Start } = sessions.New();
  const app = fw.New();
  app.Get("/", async (ctx) => ctx.WriteString(String((await Start(ctx)).Increment("n"))));
  assertEquals(await visitorOf(app).ask("/"), "1");
});

Deno.test("Sessions.Start() takes one read and no write if nothing changes", async () => {
  const Store = new SpyStore();
  const { app } = site({ Store, Expires: 60_000 }, { ...counting, "/read": (session) => session.Get("n") });
  const visitor = visitorOf(app);
  await visitor.ask("/");
  assertEquals([Store.reads, Store.writes], [0, 1]);
  Store.reset();
  assertEquals(await visitor.ask("/read"), "1");
  assertEquals([Store.reads, Store.writes], [1, 0]);
});

Deno.test("Session.Set() and similar methods write only the changes, once per request", async () => {
  const Store = new SpyStore();
  const { app } = site({ Store }, {
    "/": (session) => ["a", "b", "c"].map((key) => session.Set(key, key)),
    "/change": (session) => {
      session.Set("a", 1);
      session.Set("a", 2);
      session.Increment("n");
      session.Increment("n");
      session.Delete("b");
      session.Set("new", 1);
      session.Delete("new");
    },
  });
  const visitor = visitorOf(app);
  await visitor.ask("/");
  Store.reset();
  await visitor.ask("/change");
  assertEquals([Store.reads, Store.writes], [1, 1]);
  assertEquals(Store.commits, [{ Set: new Map([[".a", "2"]]), Add: new Map([[".n", 2]]), Delete: new Set([".b"]) }]);
});

Deno.test("Session.Set() and similar methods are applied in order", async () => {
  const { app } = site({}, {
    "/": (session) => ["a", "b", "c", "d", "e"].map((key) => session.Set(key, 5)),
    "/change": (session) => {
      session.Increment("a");
      session.Set("a", 1);
      session.Delete("b");
      session.Set("b", 2);
      session.Set("c", 3);
      session.Increment("c");
      session.Delete("d");
      session.Increment("d");
      session.Increment("e");
      session.Delete("e");
    },
    "/all": (session) => JSON.stringify(session.GetAll()),
  });
  const visitor = visitorOf(app);
  await visitor.ask("/");
  await visitor.ask("/change");
  assertEquals(JSON.parse(await visitor.ask("/all")), { a: 1, b: 2, c: 4, d: 1 });
});

testEach(
  "Session.GetFlash() removes the message for PeekFlash(), but not a message set afterwards",
  async (Store) => {
    const gate = Promise.withResolvers<void>();
    const taken = Promise.withResolvers<void>();
    const { app } = site({ Store }, {
      "/set": (session) => session.SetFlash("info", "first"),
      "/again": (session) => session.SetFlash("info", "second"),
      "/take": async (session) => {
        const got = [await session.GetFlash("info"), await session.GetFlash("info"), session.PeekFlash("info")];
        session.Set("other", 1);
        taken.resolve();
        await gate.promise;
        return [...got, session.HasFlash()].join();
      },
      "/peek": (session) => session.PeekFlash("info"),
    });
    const visitor = visitorOf(app);
    await visitor.ask("/set");
    const take = visitor.ask("/take");
    await taken.promise;
    await visitor.ask("/again");
    gate.resolve();
    assertEquals([await take, await visitor.ask("/peek")], ["first,,,false", "second"]);
  },
);

Deno.test("Session.GetFlash() accesses the store only if there is a message", async () => {
  const Store = new SpyStore();
  const { app } = site({ Store }, { ...counting, "/take": (session) => session.GetFlash("info") });
  const visitor = visitorOf(app);
  await visitor.ask("/");
  Store.reset();
  await visitor.ask("/take");
  assertEquals([Store.reads, Store.writes], [1, 0]);
});

Deno.test("Sessions.Handler() stores nothing and sends no cookie for a new session without values", async () => {
  const Store = new SpyStore();
  const manager = sessions.New({ Store });
  const app = fw.New();
  app.Use(manager.Handler());
  app.Get("/health", (ctx) => ctx.WriteString("well"));
  app.Get("/asked", (ctx) => ctx.WriteString(String(manager.Get(ctx)?.IsNew())));
  app.Get("/set", (ctx) => void manager.Get(ctx)?.Set("a", 1));
  const visitor = visitorOf(app);
  assertEquals(await visitor.ask("/health"), "well");
  assertEquals([visitor.line, Store.reads, Store.writes], ["", 0, 0]);
  assertEquals([await visitor.ask("/asked"), await visitor.ask("/asked")], ["true", "true"]);
  assertEquals([visitor.line, Store.reads, Store.writes], ["", 0, 0]);
  await visitor.ask("/set");
  assertEquals([await visitor.ask("/asked"), Store.writes], ["false", 1]);
});

const emptyHanded: Routes = {
  "/read": (session) => session.GetString("user") + session.Len() + session.HasFlash(),
  "/delete": (session) => session.Delete("a"),
  "/clear": (session) => session.Clear(),
  "/undo": (session) => session.Set("a", 1) && session.Delete("a"),
  "/regenerate": (session) => session.Regenerate(),
  "/flash": (session) => session.GetFlash("a"),
  "/expire": (_, ctx, manager) => manager.UpdateExpiration(ctx, 5000),
};

for (const path of Object.keys(emptyHanded)) {
  Deno.test(`Sessions.Start() stores nothing if a request sets no values in a new session: ${path}`, async () => {
    const Store = new SpyStore();
    const { app } = site({ Store }, emptyHanded);
    const visitor = visitorOf(app);
    await visitor.ask(path);
    assertEquals([visitor.status, visitor.line, Store.reads, Store.writes], [200, "", 0, 0]);
  });
}

Deno.test("Sessions.UpdateExpiration() applies to a new session", async () => {
  const { app } = site({}, {
    "/login": async (session, ctx, manager) => {
      assertEquals(await manager.UpdateExpiration(ctx, 5000), null);
      session.Set("user", "ada");
    },
  });
  const visitor = visitorOf(app);
  await visitor.ask("/login");
  assertStringIncludes(visitor.line, "Max-Age=5;");
});

Deno.test("Sessions.Handler() starts the session for the handlers after it", async () => {
  for (const Store of [new SpyStore(), sessions.NewMemory()]) {
    const manager = sessions.New({ Store });
    const app = fw.New();
    app.Use(manager.Handler());
    app.Get("/", (ctx) => ctx.WriteString(String(manager.Get(ctx)?.Increment("n"))));
    const visitor = visitorOf(app);
    assertEquals([await visitor.ask("/"), await visitor.ask("/")], ["1", "2"]);
  }
});

Deno.test("Sessions.Get() returns null if no session was started or it was destroyed", async () => {
  const manager = sessions.New();
  const app = fw.New();
  app.Get("/", async (ctx) => {
    const before = manager.Get(ctx);
    const session = await manager.Start(ctx);
    const during = manager.Get(ctx);
    session.Destroy();
    ctx.JSON([before === null, during === session, manager.Get(ctx) === null]);
  });
  assertEquals(await visitorOf(app).ask("/"), "[true,true,true]");
});

Deno.test("Sessions.Start() after Destroy() starts another session in the same request", async () => {
  const { app } = site({}, {
    ...counting,
    "/switch": async (session, ctx, manager) => {
      session.Destroy();
      const next = await manager.Start(ctx);
      next.Set("fresh", true);
      return [next === session, next.IsNew(), next.Get("n")].join();
    },
    "/all": (session) => Object.keys(session.GetAll()).join(),
  });
  const visitor = visitorOf(app);
  await visitor.ask("/");
  const { id } = visitor;
  assertEquals(await visitor.ask("/switch"), "false,true,");
  assertEquals(visitor.line.split("\n").length, 1);
  assertNotEquals(visitor.id, id);
  assertEquals(await visitor.ask("/all"), "fresh");
});

Deno.test("Sessions.Destroy() without a session has no effect", async () => {
  const manager = sessions.New();
  const app = fw.New();
  app.Get("/", (ctx) => manager.Destroy(ctx));
  const visitor = visitorOf(app);
  await visitor.ask("/");
  assertEquals([visitor.status, visitor.line], [200, ""]);
});

Deno.test("Sessions.Destroy() does not require Start(), and removes a stale cookie", async () => {
  const manager = sessions.New();
  const app = fw.New();
  app.Get("/", async (ctx) => ctx.WriteString(String((await manager.Start(ctx)).Increment("n"))));
  app.Get("/logout", (ctx) => manager.Destroy(ctx));
  const visitor = visitorOf(app);
  await visitor.ask("/");
  const { cookie } = visitor;
  await visitor.ask("/logout");
  assertEquals(visitor.cookie, "");
  visitor.cookie = cookie;
  await visitor.ask("/logout");
  assertEquals(visitor.cookie, "");
});

Deno.test("Session.Set() is stored even if the handler fails afterwards", async () => {
  const { app } = site({}, {
    ...counting,
    "/wrong": (session) => {
      session.Increment("n");
      throw new fw.HTTPError(401);
    },
    "/broken": (session) => {
      session.Increment("n");
      throw new Error("broken");
    },
  });
  const visitor = visitorOf(quiet(app));
  assertEquals([await visitor.ask("/"), await visitor.ask("/wrong"), visitor.status], ["1", "Unauthorized", 401]);
  await visitor.ask("/broken");
  assertEquals([visitor.status, await visitor.ask("/")], [500, "4"]);
});

Deno.test("Session.Set() throws after the response has been sent", async () => {
  const late = Promise.withResolvers<sessions.Session>();
  const { app } = site({}, { "/": (session) => late.resolve(session) });
  await visitorOf(app).ask("/");
  const session = await late.promise;
  assertThrows(() => session.Set("a", 1), FrameworkError, "its changes have already been written");
});

for (const first of ["nothing", "Start", "Destroy"] as const) {
  Deno.test(`Sessions.Start() and Login() after the response do not lose changes silently, after ${first}`, async () => {
    const manager = sessions.New();
    const app = fw.New();
    app.Logger().SetLevel("disable");
    const kept = Promise.withResolvers<fw.Context>();
    app.Get("/", async (ctx) => {
      if (first !== "nothing") (await manager.Start(ctx)).Set("a", 1);
      if (first === "Destroy") await manager.Destroy(ctx);
      kept.resolve(ctx);
    });
    await visitorOf(app).ask("/");
    const ctx = await kept.promise;
    const session = await manager.Start(ctx);
    assertThrows(() => session.Set("b", 1), FrameworkError, "Cannot change the session: ");
    await assertRejects(() => auth.Login(ctx, { ID: "ada" }), FrameworkError, "Cannot change the session: ");
  });
}

Deno.test("Session.Set() also works if the handler returns a Response", async () => {
  const manager = sessions.New();
  const app = fw.New();
  app.Get("/", async (ctx) => new Response(String((await manager.Start(ctx)).Increment("n"))));
  const visitor = visitorOf(app);
  assertEquals([await visitor.ask("/"), await visitor.ask("/")], ["1", "2"]);
});

Deno.test("Sessions.New() does not mix the sessions of two managers", async () => {
  const [one, two] = [sessions.New({ Cookie: "one" }), sessions.New({ Cookie: "two" })];
  const app = fw.New();
  app.Get("/", async (ctx) => {
    (await one.Start(ctx)).Set("a", 1);
    const session = await two.Start(ctx);
    ctx.WriteString(String(session.Get("a")));
    session.Set("b", 2);
  });
  const response = await app.fetch(new Request("http://localhost/"));
  assertEquals(await response.text(), "undefined");
  assertEquals(response.headers.getSetCookie().map((line) => line.split("=")[0]), ["one", "two"]);
});

function quiet(app: fw.Application): fw.Application {
  app.Logger().SetLevel("disable");
  return app;
}
