import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import * as keys from "@fw/web/keys";
import * as csrf from "@fw/web/middleware/csrf";
import * as sessions from "@fw/web/sessions";
import { assert, assertEquals, assertMatch, assertNotEquals, assertThrows } from "@std/assert";

function cookieIn(response: Response): string {
  return response.headers.getSetCookie()[0]?.split(";")[0] ?? "";
}

Deno.test("example cookies/options: GetCookie sees what this request has set or removed", async () => {
  const app = fw.New();
  app.Use((ctx) => {
    ctx.AddCookieOptions({ SameSite: "Strict" });
    return ctx.Next();
  });
  app.Get("/set/{name}/{value}", (ctx) => {
    const name = ctx.Params().Get("name");
    ctx.SetCookie(name, ctx.Params().Get("value"));
    ctx.WriteString(`cookie ${name}=${ctx.GetCookie(name)}`);
  });
  app.Get("/get/{name}", (ctx) => ctx.WriteString(ctx.GetCookie(ctx.Params().Get("name"))));
  app.Get("/remove/{name}", (ctx) => {
    const name = ctx.Params().Get("name");
    ctx.RemoveCookie(name);
    ctx.WriteString(`cookie ${name} removed, value should be empty=${ctx.GetCookie(name)}`);
  });
  const visitor = httptest.New(app);
  await visitor.GET("/set/my_cookie/my_value").Expect().Status(200).Body("cookie my_cookie=my_value");
  await visitor.GET("/get/my_cookie").Expect().Body("my_value");
  await visitor.GET("/remove/my_cookie").Expect().Body("cookie my_cookie removed, value should be empty=");
  await visitor.GET("/get/my_cookie").Expect().Body("");
  const response = await app.fetch(new Request("http://localhost/set/a/b"));
  assertMatch(response.headers.get("set-cookie") ?? "", /SameSite=Strict/);
});

Deno.test("GetCookie() returns the last of several values, encoded values and values of cookies with similar names", async () => {
  const app = fw.New();
  app.Get("/", (ctx) => {
    const seen = [ctx.GetCookie("a")];
    ctx.SetCookie("ab", "other");
    seen.push(ctx.GetCookie("a"));
    ctx.SetCookie("a", "é; =%");
    seen.push(ctx.GetCookie("a"));
    ctx.RemoveCookie("a", { Path: "/x" });
    seen.push(ctx.GetCookie("a"));
    ctx.SetCookie("a", "", { MaxAge: 1000 });
    seen.push(ctx.GetCookie("a"));
    ctx.SetCookie("a", "last", { MaxAge: 10_000 });
    seen.push(ctx.GetCookie("a"));
    ctx.JSON(seen);
  });
  const response = await app.fetch(new Request("http://localhost/", { headers: { cookie: "a=sent" } }));
  assertEquals(await response.json(), ["sent", "sent", "é; =%", "", "", "last"]);
});

Deno.test("GetCookie() opens a sealed cookie of this request only with the right keys", async () => {
  const [ring, other] = [keys.New(keys.Generate()), keys.New(keys.Generate())];
  const app = fw.New();
  app.Get("/", (ctx) => {
    ctx.SetCookie("s", "signed", { Sign: ring });
    ctx.SetCookie("e", "encrypted", { Encrypt: ring });
    ctx.SetCookie("p", "plain");
    ctx.JSON([
      ctx.GetCookie("s", { Sign: ring }),
      ctx.GetCookie("s", { Sign: other }),
      ctx.GetCookie("e", { Encrypt: ring }),
      ctx.GetCookie("p", { Sign: ring }),
      ctx.GetCookie("s") !== "signed",
    ]);
  });
  const response = await app.fetch(new Request("http://localhost/"));
  assertEquals(await response.json(), ["signed", "", "encrypted", "", true]);
});

Deno.test("AddCookieOptions() adds to earlier options, gives way to those of a cookie and ends with the request", async () => {
  const ring = keys.New(keys.Generate());
  const app = fw.New();
  app.Get("/plain", (ctx) => ctx.SetCookie("a", "1"));
  app.Get("/", (ctx) => {
    ctx.AddCookieOptions({ MaxAge: 60_000, Path: "/x", Encrypt: ring });
    ctx.AddCookieOptions({ HttpOnly: false });
    ctx.SetCookie("a", "1");
    ctx.SetCookie("b", "2", { Expires: new Date(0), Path: "/y", Sign: ring });
    ctx.RemoveCookie("c");
    ctx.JSON([ctx.GetCookie("a"), ctx.GetCookie("b", { Sign: ring })]);
  });
  const response = await app.fetch(new Request("http://localhost/"));
  const [a = "", b = "", c = ""] = response.headers.getSetCookie();
  assertEquals(await response.json(), ["1", ""]);
  assertMatch(a, /^a=[\w-]{30,}; Max-Age=60; SameSite=Lax; Path=\/x$/);
  assert(!b.includes("Max-Age") && b.includes("Path=/y") && b.startsWith("b=2."), b);
  assertMatch(c, /^c=; .*Max-Age=0; .*Path=\/x/);
  const plain = await app.fetch(new Request("http://localhost/plain"));
  assertMatch(plain.headers.get("set-cookie") ?? "", /^a=1; .*HttpOnly.*Path=\/$/);
});

Deno.test("AddCookieOptions() does not change the cookies of sessions and CSRF protection", async () => {
  const ring = keys.New(keys.Generate());
  const manager = sessions.New();
  const app = fw.New();
  app.UseRouter((ctx) => {
    ctx.AddCookieOptions({ Encrypt: ring, Path: "/x", Domain: "example.com" });
    return ctx.Next();
  });
  app.UseRouter(manager.Handler(), csrf.New({ Keys: ring }));
  app.Get("/", (ctx) => ctx.JSON([csrf.Token(ctx), manager.Get(ctx)?.Increment("n")]));
  app.Post("/", (ctx) => ctx.JSON([manager.Get(ctx)?.Increment("n")]));
  const first = await app.fetch(new Request("http://localhost/"));
  const [token] = await first.json();
  const lines = first.headers.getSetCookie();
  assertEquals(lines.length, 2);
  for (const line of lines) {
    assert(line.includes("Path=/") && !line.includes("Path=/x") && !line.includes("Domain"), line);
  }
  const headers = {
    cookie: lines.map((line) => line.split(";")[0]).join("; "),
    "x-csrf-token": token,
    origin: "http://localhost",
  };
  const second = await app.fetch(new Request("http://localhost/", { method: "POST", headers }));
  assertEquals([second.status, await second.json()], [200, [2]]);
});

Deno.test("example sessions/securecookie: a session with encrypted or signed cookies works, and rotated keys keep it", async () => {
  const [old, fresh] = [keys.Generate(), keys.Generate()];
  const store = sessions.NewMemory();
  const seals = [
    (ring: keys.Keys) => ring,
    (ring: keys.Keys) => ({ Sign: ring }),
    (ring: keys.Keys) => ({ Encrypt: ring }),
  ];
  for (const [at, seal] of seals.entries()) {
    const site = (ring: keys.Keys) => {
      const manager = sessions.New({ Cookie: "_session_id", Keys: seal(ring), Store: store });
      const app = fw.New();
      app.Use(manager.Handler());
      app.Get("/set", (ctx) => {
        const session = manager.Get(ctx);
        session?.Set("name", "iris");
        ctx.WriteString(`${session?.ID()} ${session?.IsNew()}`);
      });
      app.Get("/get", (ctx) => ctx.WriteString(`name: ${manager.Get(ctx)?.GetString("name") ?? ""}`));
      app.Get("/destroy", (ctx) => manager.Destroy(ctx));
      return app;
    };
    const [before, both, after] = [keys.New(old), keys.New(fresh, old), keys.New(fresh)].map(site);
    const first = await before?.fetch(new Request("http://localhost/set")) as Response;
    const [id = "", isNew] = (await first.text()).split(" ");
    const cookie = cookieIn(first);
    assertEquals([isNew, cookie.includes(id)], ["true", at === 1]);
    const get = async (app: fw.Application | undefined, cookie: string) =>
      await (await app?.fetch(new Request("http://localhost/get", { headers: { cookie } })))?.text();
    assertEquals(await get(before, cookie), "name: iris");
    assertEquals(await get(both, cookie), "name: iris");
    assertEquals(await get(after, cookie), "name: ");
    assertEquals(await get(before, `_session_id=${id}`), "name: ", "a plain ID is not accepted");
    const other = cookie.at(-9) === "A" ? "B" : "A";
    assertEquals(await get(before, `${cookie.slice(0, -9)}${other}${cookie.slice(-8)}`), "name: ");
    assertEquals(await get(before, `_session_id=planted; ${cookie}; _session_id=${id}`), "name: iris");
    const gone = await before?.fetch(new Request("http://localhost/destroy", { headers: { cookie } }));
    assertMatch(gone?.headers.get("set-cookie") ?? "", /^_session_id=; .*Max-Age=0/);
    assertEquals(await get(before, cookie), "name: ");
  }
  const ring = keys.New(old);
  for (const Keys of [{}, { Sign: ring, Encrypt: ring }, { Sign: {} as keys.Keys }]) {
    assertThrows(() => sessions.New({ Keys }), fw.FrameworkError, "Keys must be a key ring");
  }
});

Deno.test("Sessions with keys get a new cookie from Regenerate(), which is sealed as well", async () => {
  const manager = sessions.New({ Keys: keys.New(keys.Generate()) });
  const app = fw.New();
  app.Get("/", async (ctx) => ctx.WriteString(String((await manager.Start(ctx)).Increment("n"))));
  app.Get("/login", async (ctx) => ctx.WriteString((await manager.Start(ctx)).Regenerate()));
  const first = cookieIn(await app.fetch(new Request("http://localhost/")));
  const login = await app.fetch(new Request("http://localhost/login", { headers: { cookie: first } }));
  const second = cookieIn(login);
  assertNotEquals(second, first);
  assert(!second.includes(await login.text()));
  const ask = async (cookie: string) =>
    await (await app.fetch(new Request("http://localhost/", { headers: { cookie } }))).text();
  assertEquals([await ask(second), await ask(first)], ["2", "1"]);
});

Deno.test("Sessions.DestroyAll() destroys all sessions, reports each of them and also those of requests in flight", async () => {
  const destroyed: string[] = [];
  const manager = sessions.New();
  manager.OnDestroy((id) => void destroyed.push(id));
  const app = fw.New();
  const paused = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  app.Get("/", async (ctx) => ctx.WriteString(String((await manager.Start(ctx)).Increment("n"))));
  app.Get("/slow", async (ctx) => {
    (await manager.Start(ctx)).Set("late", 1);
    started.resolve();
    await paused.promise;
  });
  const cookies = await Promise.all(
    [1, 2].map(async () => cookieIn(await app.fetch(new Request("http://localhost/")))),
  );
  const slow = app.fetch(new Request("http://localhost/slow", { headers: { cookie: cookies[0] ?? "" } }));
  await started.promise;
  assertEquals(await manager.DestroyAll(), 2);
  paused.resolve();
  await slow;
  assertEquals(destroyed.sort(), cookies.map((cookie) => cookie.split("=")[1]).sort());
  for (const cookie of cookies) {
    const response = await app.fetch(new Request("http://localhost/", { headers: { cookie } }));
    assertEquals(await response.text(), "1");
  }
  const { Load, Create } = sessions.NewMemory();
  const limited = sessions.New({ Store: { Load, Create } });
  const error = await limited.DestroyAll().catch((error) => error);
  assertEquals(error.message, "Cannot destroy all sessions: the store has no method DestroyAll");
});
