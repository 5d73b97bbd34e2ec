import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import * as fw from "../../../mod.ts";
import { Allow } from "../../../src/middleware/auth.ts";
import * as auth from "../../../src/middleware/login/mod.ts";
import * as sessions from "../../../src/state/sessions/mod.ts";
import * as httptest from "../../../src/tools/httptest/mod.ts";
import { logged, quiet } from "../../serving.ts";

function user(id: string): fw.User {
  return { ID: id, Name: `user ${id}`, Roles: ["reader"], Method: "test" };
}

function newApp(Load: auth.SessionOptions["Load"], manager: sessions.Sessions = sessions.New({ Cookie: "sid" })) {
  const { app, lines } = logged();
  app.Use(auth.Session({ Sessions: manager, Load }));
  app.Post("/login", (ctx) => auth.Login(ctx, { ID: "1" }));
  app.Post("/logout", async (ctx) => {
    await auth.Logout(ctx);
    ctx.WriteString(ctx.User()?.ID ?? "nobody");
  });
  app.Get("/me", (ctx) => ctx.WriteString(ctx.User()?.Name ?? "nobody"));
  return { app, lines, manager };
}

for (const [name, load] of [["at once", user], ["later", (id: string) => Promise.resolve(user(id))]] as const) {
  Deno.test(`auth.Session() sets the user that Load returns ${name}`, async () => {
    const { app } = newApp(load);
    const browser = httptest.New(app);
    await browser.GET("/me").Expect().Body("nobody");
    await browser.POST("/login").Expect().Status(200);
    await browser.GET("/me").Expect().Body("user 1").Header("cache-control", "private");
    await browser.POST("/logout").Expect().Body("nobody");
    await browser.GET("/me").Expect().Body("nobody");
  });
}

Deno.test("auth.Session() loads the user at each request, and once per request, also in mounted applications", async () => {
  const loads: string[] = [];
  const manager = sessions.New({ Cookie: "sid" });
  const load = (id: string) => (loads.push(id), user(id));
  const { app } = newApp(load, manager);
  const inner = fw.New();
  inner.Use(auth.Session({ Sessions: manager, Load: load }));
  inner.Get("/me", (ctx) => ctx.WriteString(`inner ${ctx.User()?.Name}`));
  app.Mount("/inner", inner);
  const browser = httptest.New(app);
  await browser.GET("/me").Expect().Body("nobody");
  assertEquals(loads, []);
  await browser.POST("/login").Expect().Status(200);
  loads.length = 0;
  await browser.GET("/inner/me").Expect().Body("inner user 1");
  assertEquals(loads, ["1"]);
  await browser.GET("/me").Expect().Body("user 1");
  assertEquals(loads, ["1", "1"]);
});

Deno.test("auth.Login() logs in and keeps other changes of the session even if the handler throws afterwards", async () => {
  for (const [error, status] of [[new Error("Later"), 500], [new fw.HTTPError(403, "No"), 403]] as const) {
    const { app } = newApp(user);
    app.Post("/fail", async (ctx) => {
      await auth.Login(ctx, { ID: "1" });
      sessions.Get(ctx)?.Set("tries", 1);
      throw error;
    });
    app.Get("/tries", (ctx) => ctx.WriteString(String(sessions.Get(ctx)?.Get("tries"))));
    const browser = httptest.New(app);
    await browser.POST("/fail").Expect().Status(status);
    await browser.GET("/me").Expect().Body("user 1");
    await browser.GET("/tries").Expect().Body("1");
  }
});

Deno.test("auth.Session() notices changed roles and deleted users with the next request", async () => {
  let found: fw.User | null = user("1");
  const { app } = newApp(() => found);
  app.Get("/read", Allow("reader"), (ctx) => ctx.WriteString("read"));
  const browser = httptest.New(app);
  await browser.POST("/login").Expect().Status(200);
  await browser.GET("/read").Expect().Body("read");
  found = { ...user("1"), Roles: [] };
  await browser.GET("/read").Expect().Status(403);
  found = null;
  await browser.GET("/read").Expect().Status(401);
});

const wrong: [name: string, load: () => unknown][] = [
  ["another user", () => user("2")],
  ["an object without an ID", () => ({ Name: "Ada" })],
  ["a number", () => 1],
  ["an error", () => Promise.reject(new Error("no database"))],
];
for (const [name, load] of wrong) {
  Deno.test(`auth.Session() fails the request if Load returns ${name}, instead of serving it to nobody`, async () => {
    let isRight = true;
    const { app, lines } = newApp((id) => isRight ? user(id) : load() as fw.User);
    const browser = httptest.New(app);
    await browser.POST("/login").Expect().Status(200);
    isRight = false;
    await browser.GET("/me").Expect().Status(500);
    assertEquals(lines.length, 1);
  });
}

Deno.test("auth.Login() and Logout() need a session manager, and a user with an ID", async () => {
  const { app } = logged();
  const errors: unknown[] = [];
  app.Get("/without", async (ctx) => {
    for (const act of [() => auth.Login(ctx, { ID: "1" }), () => auth.Logout(ctx)]) {
      errors.push(await assertRejects(act, fw.FrameworkError));
    }
  });
  app.Get("/with", sessions.New().Handler(), async (ctx) => {
    for (const ID of ["", undefined, 7]) {
      errors.push(await assertRejects(() => auth.Login(ctx, { ID } as { ID: string }), fw.FrameworkError));
    }
  });
  await httptest.New(app).GET("/without").Expect().Status(200);
  await httptest.New(app).GET("/with").Expect().Status(200);
  assertEquals(errors.length, 5);
  assertThrows(() => auth.Session({ Sessions: { Start() {}, Get() {} } as never, Load: user }), fw.FrameworkError);
});

Deno.test("auth.Login() without auth.Session() sets the given user for the request", async () => {
  const app = fw.New();
  app.Use(sessions.New().Handler());
  app.Post("/login", async (ctx) => {
    await auth.Login(ctx, user("1"));
    ctx.WriteString(ctx.User()?.Name ?? "nobody");
  });
  await httptest.New(app).POST("/login").Expect().Body("user 1");
});

Deno.test("auth.Login() lets a handler use the session that it has read before", async () => {
  const { app } = newApp(user);
  app.Post("/both", async (ctx) => {
    const session = sessions.Get(ctx);
    const before = session?.ID();
    await auth.Login(ctx, { ID: "1" });
    session?.Set("after", true);
    ctx.JSON([before === session?.ID(), sessions.Get(ctx) === session]);
  });
  app.Get("/values", (ctx) => ctx.JSON(sessions.Get(ctx)?.GetAll()));
  const browser = httptest.New(app);
  await browser.POST("/both").Expect().JSON([false, true]);
  await browser.GET("/values").Expect().JSON({ after: true });
});

Deno.test("auth.Login() keeps values that a mounted application's manager has stored under another cookie", async () => {
  const { app } = newApp(user);
  const other = sessions.New({ Cookie: "other" });
  app.Post("/cart", async (ctx) => void (await other.Start(ctx)).Set("cart", 1));
  app.Get("/cart", async (ctx) => ctx.JSON((await other.Start(ctx)).Get("cart") ?? null));
  const browser = httptest.New(app);
  await browser.POST("/cart").Expect().Status(200);
  await browser.POST("/login").Expect().Status(200);
  await browser.GET("/cart").Expect().JSON(1);
  await browser.GET("/me").Expect().Body("user 1");
});

Deno.test("auth.Session() refuses the login of a manager with another cookie, also if both share a store", async () => {
  const Store = sessions.NewMemory();
  const app = quiet();
  const area = (Cookie: string) => {
    const Load = (ID: string) => ({ ID, Name: `${Cookie} ${ID}`, Roles: [], Method: "session" });
    const party = app.Party(`/${Cookie}`, auth.Session({ Sessions: sessions.New({ Cookie, Store }), Load }));
    party.Post("/login", (ctx) => auth.Login(ctx, { ID: "7" }));
    party.Get("/page", auth.Require("/login"), (ctx) => ctx.WriteString(ctx.User()?.Name ?? ""));
  };
  area("guests");
  area("staff");
  const login = await app.fetch(new Request("http://localhost/guests/login", { method: "POST" }));
  const [cookie = ""] = login.headers.getSetCookie().map((line) => line.split(";", 1)[0] ?? "");
  const visit = async (path: string, cookie: string) => {
    const response = await app.fetch(new Request(`http://localhost${path}`, { headers: { cookie } }));
    return [response.status, response.ok ? await response.text() : ""];
  };
  assertEquals(await visit("/staff/page", cookie.replace("guests=", "staff=")), [401, ""]);
  assertEquals(await visit("/guests/page", cookie), [200, "guests 7"]);
});

for (const isShared of [false, true]) {
  const name = isShared
    ? "uses the Load of another manager with the same cookie"
    : "does not use the Load of another one";
  Deno.test(`auth.Login() of a mounted application's manager ${name}`, async () => {
    const inner = quiet();
    inner.Use(sessions.New({ Cookie: isShared ? "guests" : "staff" }).Handler());
    inner.Post("/login", async (ctx) => {
      await auth.Login(ctx, { ID: "7" });
      ctx.WriteString(ctx.User()?.Name ?? "nobody");
    });
    const { app } = newApp((ID) => ({ ...user(ID), Name: `guest ${ID}` }), sessions.New({ Cookie: "guests" }));
    app.Mount("/inner", inner);
    const response = await app.fetch(new Request("http://localhost/inner/login", { method: "POST" }));
    assertEquals(await response.text(), isShared ? "guest 7" : "nobody");
  });
}

/** Builds an area of the staff at `/staff`, inside an application whose customers have logged in. */
const staffAreas: Readonly<Record<string, (app: fw.Application, handler: fw.Handler) => void>> = {
  "in a party": (app, handler) => {
    app.Party("/staff", handler).Get("/", auth.Require("/login"), (ctx) => ctx.WriteString(ctx.User()?.Name ?? ""));
  },
  "in a mounted application": (app, handler) => {
    const inner = quiet();
    inner.Use(handler);
    inner.Get("/", auth.Require("/login"), (ctx) => ctx.WriteString(ctx.User()?.Name ?? ""));
    app.Mount("/staff", inner);
  },
};

for (const [place, build] of Object.entries(staffAreas)) {
  Deno.test(`auth.Session() ${place} does not keep the user of another one`, async () => {
    const { app, manager } = newApp(user);
    const staff = sessions.New({ Cookie: "staff" });
    build(app, auth.Session({ Sessions: staff, Load: (ID) => ({ ...user(ID), Name: `staff ${ID}` }) }));
    // The same manager, but a function that does not know the customer.
    app.Party("/known", auth.Session({ Sessions: manager, Load: () => undefined }), auth.Require("/login"))
      .Get("/", (ctx) => ctx.WriteString("known"));
    app.Party("/door", staff.Handler()).Post("/", (ctx) => auth.Login(ctx, { ID: "2" }));
    const browser = httptest.New(app);
    await browser.POST("/login").Expect().Status(200);
    await browser.GET("/staff").Expect().Status(401);
    await browser.GET("/known").Expect().Status(401);
    await browser.GET("/me").Expect().Body("user 1");
    await browser.POST("/door").Expect().Status(200);
    await browser.GET("/staff").Expect().Body("staff 2");
    await browser.GET("/me").Expect().Body("user 1");
  });
}

Deno.test("auth.Session() without a login keeps the user of other middleware, such as that of a token", async () => {
  const app = quiet();
  app.Use((ctx) => {
    ctx.SetUser(user("9"));
    return ctx.Next();
  });
  app.Use(auth.Session({ Sessions: sessions.New({ Cookie: "sid" }), Load: user }));
  app.Get("/me", auth.Require("/login"), (ctx) => ctx.WriteString(ctx.User()?.Name ?? ""));
  await httptest.New(app).GET("/me").Expect().Body("user 9");
});
