import { assert, assertEquals, assertGreater, assertMatch, assertNotEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import * as fw from "../../../mod.ts";
import * as auth from "../../../src/middleware/login/mod.ts";
import * as sessions from "../../../src/state/sessions/mod.ts";
import * as httptest from "../../../src/tools/httptest/mod.ts";
import type { Store } from "../../../src/state/sessions/store.ts";
import { testEach } from "./stores.ts";

const minute = 60_000;

function user(id: string): fw.User {
  return { ID: id, Name: `user ${id}`, Roles: [], Method: "test" };
}

interface Site {
  readonly app: fw.Application;
  readonly manager: sessions.Sessions;
}

function newSite(Store: Store, config: sessions.Config = {}): Site {
  const manager = sessions.New({ Cookie: "sid", Store, ...config });
  const app = fw.New();
  app.Use(auth.Session({ Sessions: manager, Load: user }));
  app.Post("/login/{id}", async (ctx) => {
    const [keep, remember] = [await ctx.FormValue("keep"), await ctx.FormValue("remember")];
    await auth.Login(ctx, { ID: ctx.Params().Get("id") }, {
      Keep: [keep],
      ...remember !== "" && { Remember: remember === "yes" },
    });
    ctx.WriteString(ctx.User()?.Name ?? "nobody");
  });
  app.Post("/logout", (ctx) => auth.Logout(ctx));
  app.Post("/regenerate", (ctx) => void sessions.Get(ctx)?.Regenerate());
  app.Get("/me", (ctx) => ctx.WriteString(ctx.User()?.ID ?? "nobody"));
  app.Post("/set/{key}", (ctx) => void sessions.Get(ctx)?.Set(ctx.Params().Get("key"), "kept"));
  app.Get("/values", (ctx) => ctx.JSON(sessions.Get(ctx)?.GetAll() ?? null));
  app.Get("/list", async (ctx) => ctx.JSON(await manager.Of(ctx.User()?.ID ?? "").List(ctx)));
  app.Post("/others", async (ctx) => ctx.JSON(await manager.Of(ctx.User()?.ID ?? "").EndOthers(ctx)));
  return { app, manager };
}

async function loggedIn(app: fw.Application, id: string): Promise<httptest.Client> {
  const browser = httptest.New(app);
  await browser.POST(`/login/${id}`).WithHeader("user-agent", "Firefox").Expect().Status(200).Body(`user ${id}`);
  return browser;
}

testEach("Sessions.Of() lists the sessions of a user, without their IDs", async (store) => {
  const { app, manager } = newSite(store);
  const laptop = await loggedIn(app, "1");
  await loggedIn(app, "1");
  await loggedIn(app, "2");
  const list = await (await laptop.GET("/list").Expect().Status(200)).JSON() as Record<string, unknown>[];
  assertEquals(list.length, 2);
  assertEquals(list.filter(({ IsCurrent }) => IsCurrent).length, 1);
  for (const each of list) {
    assertEquals(Object.keys(each).sort(), ["Address", "Created", "Handle", "IsCurrent", "LastSeen", "UserAgent"]);
    assertEquals(each["UserAgent"], "Firefox");
    assertMatch(String(each["Handle"]), /^[\w-]{22}$/);
    // A handle gives no access.
    await httptest.New(app).GET("/me").WithCookie("sid", String(each["Handle"])).Expect().Body("nobody");
  }
  assertEquals((await manager.Of("2").List()).length, 1);
  assertEquals(await manager.Of("nobody").List(), []);
});

testEach("UserSessions.End() ends one session, and none of another user", async (store) => {
  const { app, manager } = newSite(store);
  const [laptop, phone] = [await loggedIn(app, "1"), await loggedIn(app, "1")];
  const list = await (await phone.GET("/list").Expect().Status(200)).JSON() as { Handle: string; IsCurrent: boolean }[];
  const handle = list.find(({ IsCurrent }) => IsCurrent)?.Handle ?? "";
  assertEquals(await manager.Of("2").End(handle), false);
  await phone.GET("/me").Expect().Body("1");
  const destroyed: string[] = [];
  manager.OnDestroy((id) => destroyed.push(id));
  assertEquals(await manager.Of("1").End(handle), true);
  assertEquals(await manager.Of("1").End(handle), false);
  await phone.GET("/me").Expect().Body("nobody");
  await laptop.GET("/me").Expect().Body("1");
  assertEquals(destroyed.length, 1);
});

testEach("UserSessions.EndAll() ends all sessions of a user, even those whose rows remain", async (store) => {
  const { app, manager } = newSite(store);
  const [laptop, phone, other] = [await loggedIn(app, "1"), await loggedIn(app, "1"), await loggedIn(app, "2")];
  assertEquals(await manager.Of("1").EndAll(), 2);
  assertEquals(await manager.Of("1").List(), []);
  await laptop.GET("/me").Expect().Body("nobody");
  await phone.GET("/me").Expect().Body("nobody");
  await other.GET("/me").Expect().Body("2");
  // A new login belongs to the new generation.
  await (await loggedIn(app, "1")).GET("/me").Expect().Body("1");
  assertEquals(await manager.Of("1").EndAll(), 1);
  assertEquals(await manager.Of("1").EndAll(), 0);
});

testEach("UserSessions.EndOthers() keeps the session of the request", async (store) => {
  const { app, manager } = newSite(store);
  const [laptop, phone] = [await loggedIn(app, "1"), await loggedIn(app, "1")];
  await laptop.POST("/regenerate").Expect().Status(200);
  await laptop.POST("/others").Expect().Body("1");
  await laptop.GET("/me").Expect().Body("1");
  await phone.GET("/me").Expect().Body("nobody");
  assertEquals((await manager.Of("1").List()).length, 1);
  await laptop.POST("/logout").Expect().Status(200);
  assertEquals(await manager.Of("1").List(), []);
});

testEach("auth.Login() replaces the session and keeps only the named values", async (store) => {
  const { app } = newSite(store);
  const browser = httptest.New(app);
  for (const key of ["cart", "planted"]) await browser.POST(`/set/${key}`).Expect().Status(200);
  const before = cookieOf(browser);
  await browser.POST("/login/1").WithForm({ keep: "cart" }).Expect().Status(200);
  assertNotEquals(cookieOf(browser), before);
  await browser.GET("/values").Expect().JSON({ cart: "kept" });
  // The session before the login has ended.
  await httptest.New(app).GET("/values").WithCookie("sid", before).Expect().JSON({});
  // Another user does not get the values of the first one.
  await browser.POST("/login/2").Expect().Body("user 2");
  await browser.GET("/values").Expect().JSON({});
});

testEach("Sessions.DestroyByID() and DestroyAll() end the sessions of users", async (store) => {
  const { app, manager } = newSite(store);
  const [laptop, phone] = [await loggedIn(app, "1"), await loggedIn(app, "1")];
  assertEquals(await manager.DestroyByID(cookieOf(laptop)), true);
  assertEquals((await manager.Of("1").List()).length, 1);
  if (store.DestroyAll !== undefined) assertEquals(await manager.DestroyAll(), 1);
  await phone.GET("/me").Expect().Body("nobody");
});

testEach("auth.Login() ends the least recently used of more than 100 sessions", async (store) => {
  const { app, manager } = newSite(store);
  const first = await loggedIn(app, "1");
  for (let count = 0; count < 100; count++) await loggedIn(app, "1");
  assertEquals((await manager.Of("1").List()).length, 100);
  await first.GET("/me").Expect().Body("nobody");
});

testEach("Concurrent logins of a user are all recorded", async (store) => {
  const { app, manager } = newSite(store);
  const browsers = await Promise.all(Array.from({ length: 10 }, () => loggedIn(app, "1")));
  assertEquals((await manager.Of("1").List()).length, 10);
  await Promise.all(browsers.map((browser) => browser.POST("/logout").Expect().Status(200)));
  assertEquals((await manager.Of("1").List()).length, 0);
});

testEach("A request in flight does not revive a session that was ended", async (store) => {
  const { app, manager } = newSite(store);
  const { promise, resolve } = Promise.withResolvers<void>();
  const entered = Promise.withResolvers<void>();
  app.Post("/slow", async (ctx) => {
    entered.resolve();
    await promise;
    sessions.Get(ctx)?.Set("late", true);
  });
  const browser = await loggedIn(app, "1");
  const slow = browser.POST("/slow").Expect();
  await entered.promise;
  await manager.Of("1").EndAll();
  resolve();
  await slow.Status(200);
  await browser.GET("/me").Expect().Body("nobody");
  await browser.GET("/values").Expect().JSON({});
});

Deno.test("UserSessions.List() records the last use at most once per minute", async () => {
  using time = new FakeTime();
  const { app, manager } = newSite(sessions.NewMemory());
  const browser = await loggedIn(app, "1");
  const seen = async () => (await manager.Of("1").List())[0]?.LastSeen.getTime() ?? 0;
  const first = await seen();
  time.tick(minute / 2);
  await browser.GET("/me").Expect().Body("1");
  assertEquals(await seen(), first);
  time.tick(minute);
  await browser.GET("/me").WithHeader("user-agent", "Chrome").Expect().Body("1");
  assertGreater(await seen(), first);
  assertEquals((await manager.Of("1").List())[0]?.UserAgent, "Chrome");
});

for (
  const [name, config, steps, wanted] of [
    [
      "a used session after MaxLifetime",
      { Expires: 10 * minute, Rolling: true, MaxLifetime: 30 * minute },
      4,
      "nobody",
    ],
    ["no session before MaxLifetime", { Expires: 10 * minute, Rolling: true, MaxLifetime: 30 * minute }, 3, "1"],
    ["a session without an end after MaxLifetime", { MaxLifetime: 30 * minute }, 4, "nobody"],
  ] as const
) {
  Deno.test(`sessions.New() ends ${name}`, async () => {
    using time = new FakeTime();
    const { app } = newSite(sessions.NewMemory(), config);
    const browser = await loggedIn(app, "1");
    for (let step = 1; step < steps; step++) {
      time.tick(9 * minute);
      await browser.GET("/me").Expect().Body("1");
    }
    time.tick(minute * 9);
    if (wanted === "nobody") await browser.GET("/me").Expect().Body("nobody");
  });
}

Deno.test("sessions.New() limits the cookie's lifetime to MaxLifetime", async () => {
  const { app } = newSite(sessions.NewMemory(), { MaxLifetime: 30 * minute });
  const response = await app.fetch(new Request("http://localhost/login/1", { method: "POST" }));
  assertMatch(response.headers.get("set-cookie") ?? "", /Max-Age=1800\b/i);
});

for (const [remember, pattern] of [["yes", /Max-Age=3600\b/i], ["no", /^sid=[^;]+; (?!.*Max-Age)/i]] as const) {
  Deno.test(`auth.Login() with Remember "${remember}" sets the cookie's lifetime`, async () => {
    const { app } = newSite(sessions.NewMemory(), { Expires: 60 * minute });
    const body = new URLSearchParams({ remember });
    const response = await app.fetch(new Request("http://localhost/login/1", { method: "POST", body }));
    assertMatch(response.headers.get("set-cookie") ?? "", pattern);
  });
}

Deno.test("Sessions.Of() reads a constant number of rows, regardless of the number of sessions", async () => {
  const store = sessions.NewMemory();
  let reads = 0;
  const counted: Store = {
    Load: (id) => (reads++, store.Load(id)),
    Create: (...args) => store.Create(...args),
  };
  const { app, manager } = newSite(counted);
  for (let id = 0; id < 200; id++) await loggedIn(app, String(id));
  const browser = await loggedIn(app, "one");
  const count = async (work: () => PromiseLike<unknown>) => {
    reads = 0;
    await work();
    return reads;
  };
  assertEquals(await count(() => browser.GET("/me").Expect().Body("one")), 2);
  assertEquals(await count(() => manager.Of("one").List()), 1);
  // The user's row, the session's row, and the list of ended sessions.
  assert(await count(() => manager.Of("one").EndAll()) <= 3);
});

function cookieOf(browser: httptest.Client): string {
  return browser.Cookie("sid");
}
