import * as fw from "@fw/web";
import * as keys from "@fw/web/keys";
import * as mcp from "@fw/web/mcp";
import * as basicauth from "@fw/web/middleware/basicauth";
import * as cache from "@fw/web/middleware/cache";
import * as csrf from "@fw/web/middleware/csrf";
import * as jwt from "@fw/web/middleware/jwt";
import * as secure from "@fw/web/middleware/secure";
import * as mvc from "@fw/web/mvc";
import * as sessions from "@fw/web/sessions";
import * as store from "@fw/web/store";
import * as versioning from "@fw/web/versioning";
import { assertEquals, assertMatch, assertNotEquals, assertStringIncludes } from "@std/assert";
import { overSocket, quiet } from "../../serving.ts";

/** Mounts an application in another one, and that one in a third one. */
function nested(inner: fw.Application, outer: fw.Application): fw.Application {
  const middle = quiet();
  middle.Mount("/b", inner.fetch);
  outer.Mount("/a", middle.fetch);
  return outer;
}

const ada = { authorization: `Basic ${btoa("ada:engine")}` };
const login = basicauth.New({ Users: [{ Name: "ada", Password: "engine" }] });

Deno.test("Context.Logout() in a mounted application makes the browser discard the outer application's credentials", async () => {
  const inner = quiet();
  inner.Get("/out", (ctx) => ctx.Logout());
  inner.Get("/bye", async (ctx) => {
    await ctx.Logout();
    ctx.WriteString("bye");
  });
  const outer = quiet();
  outer.Use(login);
  await overSocket(nested(inner, outer), async (_ask, port) => {
    const origin = `http://127.0.0.1:${port}`;
    for (const path of ["/a/b/out", "/a/b/bye"]) {
      const response = await fetch(origin + path, { headers: ada });
      await response.body?.cancel();
      assertEquals([response.status, response.headers.get("www-authenticate")?.startsWith("Basic")], [401, true], path);
    }
  });
});

Deno.test("Context.Logout() ends the login of a mounted application after it has responded", async () => {
  const inner = quiet();
  inner.Use(login);
  inner.Get("/", (ctx) => ctx.WriteString("in"));
  const outer = quiet();
  outer.Use(async (ctx) => {
    await ctx.Next();
    await ctx.Logout();
  });
  const response = await nested(inner, outer).fetch(new Request("http://localhost/a/b", { headers: ada }));
  assertEquals([response.status, response.headers.has("www-authenticate")], [401, true]);
});

class LoginController {
  Post(ctx: fw.Context = mvc.Inject(fw.Context)): string {
    ctx.SetUser({ ID: "eve", Name: "Eve", Roles: [], Method: "test" });
    return "welcome";
  }
}

class WhoController {
  Get(ctx: fw.Context = mvc.Inject(fw.Context)): string {
    return ctx.User()?.ID ?? "nobody";
  }
}

Deno.test("Context.User() of a tool call in a mounted application is not that of another call in the same batch", async () => {
  const inner = quiet();
  mvc.New(inner.Party("/login")).Handle(LoginController);
  mvc.New(inner.Party("/who")).Handle(WhoController);
  mcp.New(inner, { Name: "doors", Controllers: [LoginController, WhoController], Sessions: false });
  const outer = quiet();
  const after: (string | undefined)[] = [];
  outer.Use(async (ctx) => {
    await ctx.Next();
    after.push(ctx.User()?.ID);
  });
  const batch = ["Login_Post", "Who_Get"].map((name, id) => {
    return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: {} } };
  });
  for (const [app, path] of [[inner, "/mcp"], [nested(inner, outer), "/a/b/mcp"]] as const) {
    const request = new Request(`http://localhost${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", "mcp-protocol-version": "2025-03-26" },
      body: JSON.stringify(batch),
    });
    const replies: { result: { content: { text: string }[] } }[] = await (await app.fetch(request)).json();
    assertEquals(replies.map(({ result }) => result.content[0]?.text), ["welcome", "nobody"], path);
  }
  assertEquals(after, ["eve"], "the outer application still sees the user");
});

Deno.test("sessions.Get() returns the session of the application around a mounted one", async () => {
  const inner = quiet();
  inner.Get("/", (ctx) => ctx.WriteString(sessions.Get(ctx)?.GetString("user") ?? "no session"));
  class AccountController {
    Get(session: sessions.Session = mvc.Inject(sessions.Session)): string {
      return session.GetString("user");
    }
  }
  mvc.New(inner.Party("/account")).Handle(AccountController);
  const outer = quiet();
  outer.Use(sessions.New().Handler());
  outer.Post("/login", (ctx) => void sessions.Get(ctx)?.Set("user", "ada"));
  await overSocket(nested(inner, outer), async (_ask, port) => {
    const origin = `http://127.0.0.1:${port}`;
    const first = await fetch(`${origin}/login`, { method: "POST" });
    await first.body?.cancel();
    const cookie = first.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    for (const path of ["/a/b", "/a/b/account"]) {
      assertEquals(await (await fetch(origin + path, { headers: { cookie } })).text(), "ada", path);
    }
  });
});

Deno.test("jwt.Verifier.Claims() returns the claims of the application around a mounted one, until a logout", async () => {
  const key = "at least 32 bytes that nobody can guess";
  const verifier = jwt.NewVerifier({
    Algorithms: ["HS256"],
    Key: key,
    Blocklist: store.NewMemory({ WhenFull: "refuse" }),
  });
  const inner = quiet();
  inner.Get("/", (ctx) => ctx.JSON(verifier.Claims(ctx)?.sub ?? null));
  for (const party of [inner.Party("/out"), inner.Party("/again", verifier.Handler())]) {
    party.Get("/", async (ctx) => {
      await ctx.Logout();
      ctx.JSON(verifier.Claims(ctx)?.sub ?? null);
    });
  }
  const outer = quiet();
  outer.Use(verifier.Handler());
  const app = nested(inner, outer);
  const signer = jwt.NewSigner({ Algorithm: "HS256", Key: key });
  for (const path of ["/out", "/again"]) {
    const headers = { authorization: `Bearer ${await signer.Sign({ sub: "ada", path })}` };
    const ask = async (path: string) => await app.fetch(new Request(`http://localhost/a/b${path}`, { headers }));
    assertEquals(await (await ask("")).json(), "ada");
    assertEquals(await (await ask(path)).json(), null, path);
    assertEquals((await ask("")).status, 401);
  }
});

Deno.test("csrf.Field() in a mounted application returns a token that the outer application's guard accepts", async () => {
  const tenant = fw.Key<string>("tenant");
  const inner = quiet();
  inner.Get("/", (ctx) => ctx.HTML(csrf.Field(ctx)));
  inner.Post("/", (ctx) => ctx.WriteString("sent"));
  const outer = quiet();
  outer.Use((ctx) => {
    ctx.Values().Set(tenant, "tea");
    return ctx.Next();
  });
  outer.Use(csrf.New({ Keys: keys.New(keys.Generate()), Bind: (ctx) => ctx.Values().Get(tenant) ?? "" }));
  await overSocket(nested(inner, outer), async (_ask, port) => {
    const origin = `http://127.0.0.1:${port}`;
    const page = await fetch(`${origin}/a/b`);
    const cookie = page.headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const token = /value="([^"]+)"/.exec(await page.text())?.[1] ?? "";
    assertNotEquals(token, "");
    const send = async (csrf_token: string) => {
      const response = await fetch(`${origin}/a/b`, {
        method: "POST",
        headers: { cookie },
        body: new URLSearchParams({ csrf_token }),
      });
      return [response.status, await response.text()];
    };
    assertEquals(await send(token), [200, "sent"]);
    assertEquals((await send(`${token}x`))[0], 403);
  });
});

Deno.test("secure.Nonce() in a mounted application returns the nonce of the outer application's policy", async () => {
  const inner = quiet();
  inner.Use(cache.New({ MaxAge: 60_000 }));
  inner.Get("/", (ctx) => ctx.HTML(`<script nonce="${secure.Nonce(ctx)}"></script>`));
  const outer = quiet();
  outer.Use(secure.New({ Nonce: true }));
  const app = nested(inner, outer);
  for (let visit = 0; visit < 2; visit++) {
    const response = await app.fetch(new Request("http://localhost/a/b"));
    const nonce = /nonce="([^"]+)"/.exec(await response.text())?.[1] ?? "";
    assertMatch(nonce, /^.{16,}$/);
    assertStringIncludes(response.headers.get("content-security-policy") ?? "", `'nonce-${nonce}'`);
  }
});

Deno.test("versioning.GetVersion() returns the version that the application around a mounted one has set", async () => {
  const inner = quiet();
  inner.Use(cache.New({ MaxAge: 60_000 }));
  const party = inner.Party("/teas");
  for (const range of ["1.x", "2.x"]) {
    versioning.NewGroup(party, range).Get("/", (ctx) => ctx.WriteString(`${range} ${versioning.GetVersion(ctx)}`));
  }
  const outer = quiet();
  outer.Use((ctx) => {
    versioning.SetVersion(ctx, ctx.GetHeader("x-version"));
    return ctx.Next();
  });
  const app = nested(inner, outer);
  for (const version of ["1.0.0", "2.3.4", "1.0.0"]) {
    const request = new Request("http://localhost/a/b/teas", { headers: { "x-version": version } });
    assertEquals(await (await app.fetch(request)).text(), `${version[0]}.x ${version}`);
  }
});
