import { assert, assertEquals, assertMatch, assertNotEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { PassingTime } from "../clocks.ts";
import * as fw from "../../mod.ts";
import * as oauth from "../../src/middleware/oauth/mod.ts";
import * as sessions from "../../src/state/sessions/mod.ts";
import { logged } from "../serving.ts";
import { Visitor } from "../state/sessions/visitor.ts";
import { startProvider, type TestProvider } from "./provider.ts";

const origin = "http://app.example";

function newApp(
  provider: TestProvider,
  options: Partial<oauth.Options> = {},
): { app: fw.Application; lines: string[] } {
  const { app, lines } = logged();
  const login = oauth.New({
    Issuer: provider.issuer,
    ClientID: "app",
    ClientSecret: "app-secret",
    RedirectURL: `${origin}/callback`,
    Sessions: sessions.New(),
    ...options,
  });
  app.Use(login.Handler());
  app.Get("/login", login.Login());
  app.Get("/callback", login.Callback());
  app.Post("/logout", login.Logout("/bye"));
  app.Get("/private", login.Require("/login"), (ctx) => ctx.WriteString(`hello ${ctx.User()?.Name}`));
  app.Get("/me", (ctx) => ctx.JSON(ctx.User() ?? null));
  return { app, lines };
}

/** A browser that follows redirects by hand. */
class Browser {
  readonly visitor: Visitor;
  location = "";

  constructor(app: fw.Application) {
    this.visitor = new Visitor(async (request) => {
      const response = await app.fetch(
        new Request(request, { headers: { ...Object.fromEntries(request.headers), accept: "text/html" } }),
      );
      this.location = response.headers.get("location") ?? "";
      return response;
    }, origin);
  }

  /** Starts a login and returns the URL that the provider redirects the browser to. */
  async leave(path = "/login"): Promise<URL> {
    await this.visitor.ask(path);
    const response = await fetch(this.location, { redirect: "manual" });
    await response.body?.cancel();
    return new URL(response.headers.get("location") ?? "");
  }

  /** Returns to the application and completes the login. */
  async comeBack(url: URL): Promise<number> {
    await this.visitor.ask(url.pathname + url.search);
    return this.visitor.status;
  }
}

Deno.test("oauth.New() logs a user in at the provider and redirects to the requested page", async () => {
  await using provider = await startProvider();
  const browser = new Browser(newApp(provider).app);
  await browser.visitor.ask("/private?tab=1");
  assertEquals([browser.visitor.status, browser.location], [302, "/login?return=%2Fprivate%3Ftab%3D1"]);
  const back = await browser.leave(browser.location);
  const before = browser.visitor.cookie;
  assertEquals(await browser.comeBack(back), 303);
  assertEquals(browser.location, "/private?tab=1");
  assertNotEquals(browser.visitor.cookie, before, "a login changes the id of the session");
  assertEquals(await browser.visitor.ask("/private"), "hello Ada Lovelace");
  const user = JSON.parse(await browser.visitor.ask("/me"));
  assertEquals([user.ID, user.Method, user.Claims.email], [
    `${provider.issuer}#248289761001`,
    "oidc",
    "ada@example.com",
  ]);
  assertEquals(provider.asked.get("/.well-known/openid-configuration"), 1);
});

Deno.test("oauth: the old session ID is invalid after the login", async () => {
  await using provider = await startProvider();
  const { app } = newApp(provider);
  const browser = new Browser(app);
  const back = await browser.leave();
  const planted = browser.visitor.cookie;
  await browser.comeBack(back);
  const thief = new Browser(app);
  thief.visitor.cookie = planted;
  assertEquals(await thief.visitor.ask("/me"), "null");
});

Deno.test("oauth: Login() sends a new PKCE challenge, state and nonce each time and prevents caching", async () => {
  await using provider = await startProvider();
  const { app } = newApp(provider, { Params: { prompt: "consent", client_id: "evil", state: "evil" } });
  const seen = [];
  for (let i = 0; i < 2; i++) {
    const response = await app.fetch(new Request(`${origin}/login`));
    assertEquals([response.status, response.headers.get("cache-control")], [302, "no-store"]);
    seen.push(new URL(response.headers.get("location") ?? "").searchParams);
  }
  const [one, two] = seen as [URLSearchParams, URLSearchParams];
  assertEquals(
    ["client_id", "response_type", "redirect_uri", "scope", "code_challenge_method", "prompt"].map((it) => one.get(it)),
    ["app", "code", `${origin}/callback`, "openid profile email", "S256", "consent"],
  );
  for (const name of ["state", "nonce", "code_challenge"]) {
    assertMatch(one.get(name) ?? "", /^[\w-]{43}$/);
    assertNotEquals(one.get(name), two.get(name));
  }
});

Deno.test("oauth: Callback() can be used once, in the session and with the state of the login", async () => {
  await using provider = await startProvider();
  const { app } = newApp(provider);
  const victim = new Browser(app);
  const back = await victim.leave();
  const attacker = new Browser(app);
  const attackersBack = await attacker.leave();

  const stranger = new Browser(app);
  assertEquals(await stranger.comeBack(back), 401, "no session");
  assertEquals(await victim.comeBack(attackersBack), 401, "a login that an attacker began");
  for (const state of ["", "x", "a".repeat(43), "../../x", attackersBack.searchParams.get("state") ?? ""]) {
    const url = new URL(back);
    url.searchParams.set("state", state);
    assertEquals(await victim.comeBack(url), 401, state);
  }
  const swapped = new URL(back);
  swapped.searchParams.set("code", attackersBack.searchParams.get("code") ?? "");
  assertEquals(await victim.comeBack(swapped), 401, "an attacker's code in the victim's login");
  assertEquals(await victim.comeBack(back), 401, "the state was used up by that");
  const again = await victim.leave();
  assertEquals(await victim.comeBack(again), 303);
  assertEquals(await victim.comeBack(again), 401, "twice");
});

Deno.test("oauth: only one of several concurrent callbacks with the same state logs in", async () => {
  await using provider = await startProvider();
  const { app } = newApp(provider);
  const browser = new Browser(app);
  const back = await browser.leave();
  const headers = { cookie: browser.visitor.cookie };
  const statuses = await Promise.all(
    Array.from(
      { length: 10 },
      async () => (await app.fetch(new Request(`${origin}${back.pathname}${back.search}`, { headers }))).status,
    ),
  );
  assertEquals(statuses.filter((status) => status === 303).length, 1);
});

const misbehaviors: [what: string, does: TestProvider["does"], status: number][] = [
  ["another nonce", { claims: { nonce: "other" } }, 401],
  ["no nonce", { claims: { nonce: undefined } }, 401],
  ["another audience", { claims: { aud: "other" } }, 401],
  ["several audiences without saying which", { claims: { aud: ["app", "other"], azp: "other" } }, 401],
  ["another issuer", { claims: { iss: "https://evil.example" } }, 401],
  ["an end in the past", { claims: { exp: Math.floor(Date.now() / 1000) - 3600 } }, 401],
  ["no end", { claims: { exp: undefined } }, 401],
  ["no user", { claims: { sub: undefined } }, 401],
  ["a key that it does not publish", { foreignKey: true }, 401],
  ["no signature", { unsigned: true }, 401],
  ["no ID token", { noIDToken: true }, 401],
  ["a refusal", { denies: true }, 401],
  ["a failure at its token endpoint", { failsAt: "/token" }, 503],
  ["a failure at its keys", { failsAt: "/jwks" }, 503],
];
for (const [what, does, status] of misbehaviors) {
  Deno.test(`oauth: Callback() responds with ${status} to a provider with ${what}, without a login`, async () => {
    await using provider = await startProvider();
    provider.does = does;
    const { app, lines } = newApp(provider);
    const browser = new Browser(app);
    assertEquals(await browser.comeBack(await browser.leave()), status);
    assertEquals(await browser.visitor.ask("/me"), "null");
    app.Logger().Flush();
    assert(lines.length > 0, "the log says why");
    assertEquals(lines.join().includes("app-secret"), false);
  });
}

Deno.test("oauth: Callback() rejects a response from another provider (mix-up attack)", async () => {
  await using provider = await startProvider();
  const browser = new Browser(newApp(provider).app);
  const back = await browser.leave();
  back.searchParams.set("iss", "https://evil.example");
  assertEquals(await browser.comeBack(back), 401);
});

/**
 * Creates an application with logins at two providers whose users have the same subjects. The timeouts are long, because
 * a provider may be slow on a busy machine.
 */
function twoProviders(
  one: TestProvider,
  two: TestProvider,
  timeoutOfOne = 30_000,
): { app: fw.Application; manager: sessions.Sessions } {
  const { app } = logged();
  const manager = sessions.New();
  for (const [name, provider, Timeout] of [["one", one, timeoutOfOne], ["two", two, 30_000]] as const) {
    const login = oauth.New({
      Issuer: provider.issuer,
      ClientID: "app",
      ClientSecret: "app-secret",
      RedirectURL: `${origin}/${name}/callback`,
      Sessions: manager,
      Timeout,
    });
    app.Use(login.Handler());
    app.Get(`/${name}/login`, login.Login());
    app.Get(`/${name}/callback`, login.Callback());
    app.Get(`/${name}/private`, login.Require(`/${name}/login`), (ctx) => ctx.WriteString(String(ctx.User()?.ID)));
  }
  app.Get("/me", (ctx) => ctx.WriteString(String(ctx.User()?.ID)));
  app.Get("/stored", async (ctx) => {
    const session = await manager.Start(ctx);
    ctx.JSON([session.HasFlash(), Object.keys(session.GetAll())]);
  });
  return { app, manager };
}

Deno.test("oauth: the same subject at two providers is two users, and Require() accepts only its own provider", async () => {
  await using one = await startProvider();
  await using two = await startProvider();
  const browser = new Browser(twoProviders(one, two).app);
  const ask = (path: string) => browser.visitor.ask(path);
  assertEquals(await browser.comeBack(await browser.leave("/one/login")), 303);
  assertEquals(await ask("/one/private"), `${one.issuer}#248289761001`);
  await ask("/two/private");
  assertEquals([browser.visitor.status, browser.location], [302, "/two/login?return=%2Ftwo%2Fprivate"]);
  assertEquals(await browser.comeBack(await browser.leave("/two/login")), 303);
  assertEquals(await ask("/me"), `${two.issuer}#248289761001`, "who logged in last");
  assertEquals(await ask("/two/private"), `${two.issuer}#248289761001`);
  assertEquals(await ask("/one/private"), `${one.issuer}#248289761001`);
  assertEquals(await browser.comeBack(await browser.leave("/one/login")), 303);
  assertEquals(await ask("/me"), `${one.issuer}#248289761001`, "who logged in last");
});

Deno.test("oauth: Require() does not accept a user set by other middleware", async () => {
  await using provider = await startProvider();
  const { app } = logged();
  const login = oauth.New({
    Issuer: provider.issuer,
    ClientID: "app",
    RedirectURL: `${origin}/callback`,
    Sessions: sessions.New(),
  });
  app.Use((ctx) => {
    ctx.SetUser({ ID: "7", Name: "Eve", Roles: [], Method: "basic" });
    return ctx.Next();
  });
  app.Get("/", login.Require("/login"), (ctx) => ctx.WriteString("in"));
  assertEquals((await app.fetch(new Request(origin))).status, 401);
});

Deno.test("oauth: a login cannot end at the callback of another provider (RFC 9700, 4.4)", async () => {
  await using honest = await startProvider();
  await using evil = await startProvider();
  const { app } = twoProviders(honest, evil);
  const browser = new Browser(app);
  const back = await browser.leave("/two/login");
  for (const keepsIssuer of [true, false]) {
    const mixed = new URL(back);
    mixed.pathname = "/one/callback";
    mixed.searchParams.set("iss", keepsIssuer ? evil.issuer : honest.issuer);
    assertEquals(await browser.comeBack(mixed), 401);
  }
  assertEquals([honest.asked.get("/token"), evil.asked.get("/token")], [undefined, undefined], "no code is sent");
  assertEquals(await browser.visitor.ask("/me"), "undefined");
  assertEquals(await browser.comeBack(back), 303, "the login itself can still end where it began");
});

Deno.test("oauth: a pending login is removed when it expires", async () => {
  await using one = await startProvider();
  await using two = await startProvider();
  const browser = new Browser(twoProviders(one, two).app);
  const stored = async () => JSON.parse(await browser.visitor.ask("/stored"));
  await browser.leave("/one/login");
  assertEquals(await stored(), [true, ["fw.oauth.flows"]]);
  using time = new PassingTime();
  time.tick(300_000);
  const back = await browser.leave("/two/login");
  time.tick(301_000);
  await browser.visitor.ask("/me");
  assertEquals((await stored())[0], true, "the second one is still in flight");
  assertEquals(await browser.comeBack(back), 303);
  const [hasFlash, keys] = await stored();
  assertEquals([hasFlash, keys.includes("fw.oauth.flows")], [false, false]);
  await browser.leave("/one/login");
  time.tick(601_000);
  await browser.visitor.ask("/me");
  assertEquals((await stored())[0], false);
});

for (const at of ["/.well-known/openid-configuration", "/token", "/jwks"] as const) {
  for (const where of ["headers", "body"] as const) {
    Deno.test(`oauth: a provider that stalls in the ${where} of ${at} times out and blocks no other login`, async () => {
      await using one = await startProvider();
      await using two = await startProvider();
      const { app } = twoProviders(one, two, 1000);
      const [first, second] = [new Browser(app), new Browser(app)];
      one.does = { stallsAt: [at, where] };
      const stalled = at.startsWith("/.well") ? first.visitor.ask("/one/login") : first.leave("/one/login").then(
        (back) => first.comeBack(back),
      );
      assertEquals(await second.comeBack(await second.leave("/two/login")), 303);
      await stalled;
      assertEquals(first.visitor.status, 503);
      one.does = {};
      assertEquals(await first.comeBack(await first.leave("/one/login")), 303);
    });
  }

  Deno.test(`oauth: a provider that responds with a page at ${at} does not cause a login`, async () => {
    await using provider = await startProvider();
    const { app, lines } = newApp(provider);
    const browser = new Browser(app);
    provider.does = { talksAt: at };
    if (at.startsWith("/.well")) await browser.visitor.ask("/login");
    else await browser.comeBack(await browser.leave());
    assert([401, 503].includes(browser.visitor.status), String(browser.visitor.status));
    app.Logger().Flush();
    assertStringIncludes(lines.join(), "Cannot");
  });
}

Deno.test("oauth: the metadata of a provider is used while the provider stalls, and no login waits", async () => {
  await using provider = await startProvider();
  const browser = new Browser(newApp(provider).app);
  assertEquals(await browser.comeBack(await browser.leave()), 303);
  using time = new PassingTime();
  time.tick(3_700_000);
  provider.does = { stallsAt: ["/.well-known/openid-configuration", "body"] };
  assertEquals(await browser.comeBack(await browser.leave()), 303);
  assertEquals(provider.asked.get("/.well-known/openid-configuration"), 2);
  time.tick(10_001);
});

Deno.test("oauth: Login() responds with 503 while the provider is unavailable, and recovers", async () => {
  await using provider = await startProvider();
  provider.does = { failsAt: "/.well-known/openid-configuration" };
  const browser = new Browser(newApp(provider).app);
  await browser.visitor.ask("/login");
  assertEquals(browser.visitor.status, 503);
  provider.does = {};
  assertEquals(await browser.comeBack(await browser.leave()), 303);
});

Deno.test("oauth: a login that takes longer than ten minutes is rejected", async () => {
  await using provider = await startProvider();
  const browser = new Browser(newApp(provider).app);
  const back = await browser.leave();
  using time = new PassingTime();
  time.tick(601_000);
  assertEquals(await browser.comeBack(back), 401);
});

Deno.test("oauth: only the last five logins of a browser are remembered", async () => {
  await using provider = await startProvider();
  const browser = new Browser(newApp(provider).app);
  const backs: URL[] = [];
  for (let i = 0; i < 7; i++) backs.push(await browser.leave());
  assertEquals(await browser.comeBack(backs[1] ?? new URL(origin)), 401);
  assertEquals(await browser.comeBack(backs[2] ?? new URL(origin)), 303);
  assertEquals(await browser.comeBack(backs[6] ?? new URL(origin)), 303);
});

Deno.test("oauth: User can reject a login and receives the tokens", async () => {
  await using provider = await startProvider();
  const User: oauth.Options["User"] = (claims, tokens) => {
    assertEquals([tokens.AccessToken.length > 10, tokens.ExpiresIn, tokens.RefreshToken], [true, 300_000, undefined]);
    return claims.email === "ada@example.com" ? { ID: "7", Name: "Ada", Roles: ["admin"], Method: "oidc" } : undefined;
  };
  const browser = new Browser(newApp(provider, { User, SendSecret: "post" }).app);
  assertEquals(await browser.comeBack(await browser.leave()), 303);
  assertEquals(JSON.parse(await browser.visitor.ask("/me")).Roles, ["admin"]);
  provider.does = { claims: { email: "eve@evil.example" } };
  const other = new Browser(newApp(provider, { User }).app);
  assertEquals(await other.comeBack(await other.leave()), 401);
});

Deno.test("oauth: OnRefuse responds to a login that fails", async () => {
  await using provider = await startProvider();
  provider.does = { denies: true };
  const OnRefuse: oauth.Options["OnRefuse"] = (ctx) => ctx.StopWithText(403, "you said no");
  const browser = new Browser(newApp(provider, { OnRefuse }).app);
  const back = await browser.leave();
  assertEquals(await browser.visitor.ask(back.pathname + back.search), "you said no");
});

Deno.test("oauth: Logout() ends the local session and the provider's, and Context.Logout() only the local one", async () => {
  await using provider = await startProvider();
  const { app } = newApp(provider);
  app.Post("/out", async (ctx) => {
    await ctx.Logout();
    ctx.WriteString("out");
  });
  for (const path of ["/logout", "/out"]) {
    const browser = new Browser(app);
    await browser.comeBack(await browser.leave());
    const { cookie } = browser.visitor;
    await browser.visitor.ask(path, "POST");
    if (path === "/logout") {
      const url = new URL(browser.location);
      assertEquals([url.origin + url.pathname, url.searchParams.get("client_id")], [
        `${provider.issuer}/logout`,
        "app",
      ]);
      assertEquals(url.searchParams.get("post_logout_redirect_uri"), `${origin}/bye`);
    }
    browser.visitor.cookie = cookie;
    assertEquals(await browser.visitor.ask("/me"), "null", "the cookie of before is worth nothing");
  }
});

Deno.test("oauth: Logout() leads to the whole path if the provider has no logout page or is not available", async () => {
  const { app } = logged();
  const login = oauth.New({
    Issuer: "http://127.0.0.1:1",
    ClientID: "app",
    RedirectURL: `${origin}/callback`,
    Sessions: sessions.New(),
  });
  app.Post("/logout", login.Logout("/bye?from=tea#top"));
  const response = await app.fetch(new Request(`${origin}/logout`, { method: "POST" }));
  assertEquals([response.status, response.headers.get("location")], [303, "/bye?from=tea#top"]);
});

Deno.test("oauth: Require() sends pages to the login and rejects everything else", async () => {
  await using provider = await startProvider();
  const { app } = newApp(provider);
  const ask = (init: RequestInit) => app.fetch(new Request(`${origin}/private`, init));
  const page = await ask({ headers: { accept: "text/html,*/*" } });
  assertEquals([page.status, page.headers.get("cache-control")], [302, "no-store"]);
  assertEquals((await ask({ headers: { accept: "application/json" } })).status, 401);
  assertEquals((await ask({})).status, 401);
});

Deno.test("oauth: Require() in a mounted application keeps the user that the application around it has set", async () => {
  await using provider = await startProvider();
  const { app } = logged();
  const login = oauth.New({
    Issuer: provider.issuer,
    ClientID: "app",
    ClientSecret: "app-secret",
    RedirectURL: `${origin}/callback`,
    Sessions: sessions.New(),
    User: ({ sub }) => ({ ID: String(sub), Name: "Ada", Roles: ["admin"], Method: "oidc" }),
  });
  const inner = logged().app;
  inner.Get("/", login.Require("/login"), (ctx) => ctx.JSON(ctx.User()?.Roles));
  app.Use(login.Handler());
  app.Use((ctx) => {
    const user = ctx.User();
    if (user !== undefined) ctx.SetUser({ ...user, Roles: ["suspended"] });
    return ctx.Next();
  });
  app.Get("/login", login.Login());
  app.Get("/callback", login.Callback());
  app.Mount("/inner", inner.fetch);
  const browser = new Browser(app);
  assertEquals(await browser.comeBack(await browser.leave()), 303);
  assertEquals(await browser.visitor.ask("/inner"), '["suspended"]');
});

Deno.test("oauth: anonymous clients do not receive a session or a cookie", async () => {
  await using provider = await startProvider();
  const response = await newApp(provider).app.fetch(new Request(`${origin}/me`));
  assertEquals(response.headers.get("set-cookie"), null);
});

const refused: Partial<oauth.Options>[] = [
  { Issuer: "http://accounts.example" },
  { Issuer: "accounts.example" },
  { ClientID: "" },
  { RedirectURL: "/callback" },
  { Scopes: ["profile"] },
];
for (const options of refused) {
  Deno.test(`oauth.New() rejects ${JSON.stringify(options)}`, () => {
    const right = {
      Issuer: "https://a.example",
      ClientID: "app",
      RedirectURL: `${origin}/callback`,
      Sessions: sessions.New(),
    };
    assertThrows(() => oauth.New({ ...right, ...options }), fw.FrameworkError);
  });
}

Deno.test("oauth.New() stays below the base path of the application", async () => {
  await using provider = await startProvider();
  const { app } = newApp(provider, { RedirectURL: `${origin}/seats/callback` });
  const browser = new Browser(app.Configure(fw.WithBasePath("/seats")));
  await browser.visitor.ask("/seats/private?tab=1");
  assertEquals(browser.location, "/seats/login?return=%2Fseats%2Fprivate%3Ftab%3D1");
  assertEquals(await browser.comeBack(await browser.leave(browser.location)), 303);
  assertEquals(browser.location, "/seats/private?tab=1");
  await browser.visitor.ask("/seats/logout", "POST");
  assertEquals(new URL(browser.location, origin).searchParams.get("post_logout_redirect_uri"), `${origin}/seats/bye`);
});

Deno.test("oauth: a login belongs to its user, so that manager.Of() finds and ends it", async () => {
  await using provider = await startProvider();
  const manager = sessions.New();
  const { app } = newApp(provider, { Sessions: manager });
  const browser = new Browser(app);
  assertEquals(await browser.comeBack(await browser.leave()), 303);
  const { ID } = JSON.parse(await browser.visitor.ask("/me"));
  assertEquals((await manager.Of(ID).List()).length, 1);
  assertEquals(await manager.Of(ID).EndAll(), 1);
  assertEquals(await browser.visitor.ask("/me"), "null");
});
