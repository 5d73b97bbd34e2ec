import * as fw from "@fw/web";
import * as basicauth from "@fw/web/middleware/basicauth";
import * as cache from "@fw/web/middleware/cache";
import * as compress from "@fw/web/middleware/compress";
import * as etag from "@fw/web/middleware/etag";
import * as jwt from "@fw/web/middleware/jwt";
import * as sessions from "@fw/web/sessions";
import { assertEquals, assertMatch } from "@std/assert";

const secret = "0123456789abcdef0123456789abcdef";
const hashed = "app.3f9a12bc.js";

/** A guard, and the headers of a client that passes it. */
type Guard = () => Promise<{ guard: fw.Handler; headers: Record<string, string> }>;

const guards: Record<string, Guard> = {
  basicauth: () =>
    Promise.resolve({
      guard: basicauth.New({ Users: [{ Name: "ada", Password: "engine" }] }),
      headers: { authorization: `Basic ${btoa("ada:engine")}` },
    }),
  "a token in a header": async () => ({
    guard: jwt.New({ Algorithms: ["HS256"], Key: secret }),
    headers: {
      authorization: `Bearer ${await jwt.NewSigner({ Algorithm: "HS256", Key: secret }).Sign({ sub: "ada" })}`,
    },
  }),
  "a token in a cookie": async () => ({
    guard: jwt.New({ Algorithms: ["HS256"], Key: secret, From: [jwt.FromCookie("token")] }),
    headers: { cookie: `token=${await jwt.NewSigner({ Algorithm: "HS256", Key: secret }).Sign({ sub: "ada" })}` },
  }),
  "SetUser by an own header": () =>
    Promise.resolve({
      guard: (ctx) => {
        if (ctx.GetHeader("x-key") !== "ada") return ctx.StopWithStatus(401);
        ctx.SetUser({ ID: "ada", Name: "Ada", Roles: [], Method: "key" });
        return ctx.Next();
      },
      headers: { "x-key": "ada" },
    }),
  "an own cookie": () =>
    Promise.resolve({
      guard: (ctx) => ctx.GetCookie("key") === "ada" ? ctx.Next() : ctx.StopWithStatus(401),
      headers: { cookie: "key=ada" },
    }),
  "an own Authorization": () =>
    Promise.resolve({
      guard: (ctx) => ctx.GetHeader("authorization") === "Key ada" ? ctx.Next() : ctx.StopWithStatus(401),
      headers: { authorization: "Key ada" },
    }),
  "a session": async () => {
    const manager = sessions.New({ Cookie: "sid" });
    const login = fw.New();
    login.Get("/", async (ctx) => void (await manager.Start(ctx)).Set("user", "ada"));
    const cookie = (await login.fetch(new Request("http://localhost/"))).headers.get("set-cookie") ?? "";
    return {
      guard: async (ctx) => {
        const session = await manager.Start(ctx);
        return session.GetString("user") === "ada" ? await ctx.Next() : ctx.StopWithStatus(401);
      },
      headers: { cookie: cookie.split(";")[0] ?? "" },
    };
  },
};

/** An application with files, and the application that receives its requests. */
interface Site {
  readonly app: fw.Application;
  readonly inner: fw.Application;
  readonly prefix: string;
}

/** Creates an application with middleware that changes or checks its responses. */
function appWith(...uses: fw.Handler[]): fw.Application {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.Use(compress.New(), etag.New(), ...uses);
  return app;
}

function mounting(app: fw.Application, inner: fw.Application): Site {
  app.Mount("/in", inner.fetch);
  return { app, inner, prefix: "/in" };
}

function alone(app: fw.Application): Site {
  return { app, inner: app, prefix: "" };
}

/** The places of a guard and a cache. */
const places: Record<string, (guard: fw.Handler, stored: fw.Handler) => Site> = {
  "a cache inside": (guard, stored) => alone(appWith(guard, stored)),
  "a cache outside": (guard, stored) => alone(appWith(stored, guard)),
  "around a mount, a cache inside": (guard, stored) => mounting(appWith(guard), appWith(stored)),
  "around a mount, a cache outside": (guard, stored) => mounting(appWith(stored, guard), appWith()),
  "in a mount, a cache inside": (guard, stored) => mounting(appWith(), appWith(guard, stored)),
  "in a mount, a cache outside": (guard, stored) => mounting(appWith(stored), appWith(guard)),
};

/** Registers everything that fw marks as public, on a party. */
function addPublic(party: fw.Party, folder: string): string[] {
  const lifetime: fw.Handler = (ctx) => {
    ctx.Header("cache-control", "public, s-maxage=60, max-age=60");
    return ctx.Next();
  };
  party.HandleDir("/dir", folder);
  party.HandleDir("/own", folder, { Cache: "public, max-age=60" });
  party.Favicon(`${folder}/${hashed}`);
  party.Get("/file", lifetime, (ctx) => ctx.ServeFile(`${folder}/${hashed}`));
  party.Get("/download", lifetime, (ctx) => ctx.SendFile(`${folder}/${hashed}`));
  party.Get("/rate", lifetime, (ctx) => ctx.SendFileWithRate(`${folder}/${hashed}`, 1 << 20));
  party.Get("/static", fw.StaticCache(60_000), (ctx) => ctx.WriteString("page"));
  return [
    `/dir/${hashed}`,
    `/own/${hashed}`,
    "/favicon.ico",
    "/file",
    "/download",
    "/rate",
    "/static",
  ];
}

Deno.test("what fw marks as public is private behind a guard, and no cache stores it for others", async (t) => {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/${hashed}`, "export const secret = 1;");
  for (const [name, prepare] of Object.entries(guards)) {
    for (const [place, build] of Object.entries(places)) {
      await t.step(`${name}, ${place}`, async () => {
        const { guard, headers } = await prepare();
        const { app, inner, prefix } = build(guard, cache.New({ MaxAge: 60_000 }));
        for (const path of addPublic(inner, folder)) {
          const ask = (method: string, more: Record<string, string>) =>
            app.fetch(new Request(`http://localhost${prefix}${path}`, { method, headers: more }));
          for (const method of ["GET", "HEAD", "GET"]) {
            const response = await ask(method, headers);
            await response.body?.cancel();
            assertEquals(response.status, 200, `${method} ${path}`);
            assertMatch(response.headers.get("cache-control") ?? "", /^private, max-age=\d+/, path);
            assertEquals(/hit|stored/.test(response.headers.get("cache-status") ?? ""), false, path);
            const tag = response.headers.get("etag");
            for (const condition of tag === null ? [] : [{ "if-none-match": tag }, { range: "bytes=0-3" }]) {
              const other = await ask(method, { ...headers, ...condition as Record<string, string> });
              await other.body?.cancel();
              assertMatch(other.headers.get("cache-control") ?? "", /^private, /, `${path} ${other.status}`);
            }
          }
          const stranger = await ask("GET", {});
          await stranger.body?.cancel();
          assertEquals(stranger.status, 401, path);
        }
      });
    }
  }
  await Deno.remove(folder, { recursive: true });
});

Deno.test("what fw marks as public stays public for clients whose cookies nothing has read", async () => {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/${hashed}`, "export const secret = 1;");
  const app = fw.New();
  app.Use(sessions.New().Handler());
  for (const path of addPublic(app, folder)) {
    for (const headers of [{}, { cookie: "_ga=1; theme=dark" }]) {
      const response = await app.fetch(new Request(`http://localhost${path}`, { headers }));
      await response.body?.cancel();
      assertMatch(response.headers.get("cache-control") ?? "", /^public, /, path);
    }
  }
  await Deno.remove(folder, { recursive: true });
});

Deno.test("cache.New() does not store a public response if the client was identified behind it", async () => {
  for (const [name, prepare] of Object.entries(guards)) {
    for (const place of ["a cache outside", "in a mount, a cache outside"]) {
      const { guard, headers } = await prepare();
      const site = places[place]?.(guard, cache.New());
      site?.inner.Get("/", (ctx) => {
        ctx.Header("cache-control", "public, max-age=60");
        ctx.WriteString("page of ada");
      });
      const ask = async (headers: Record<string, string>) =>
        await site?.app.fetch(new Request(`http://localhost${site.prefix}/`, { headers }));
      const first = await ask(headers);
      const told = [await first?.text(), first?.headers.get("cache-status")];
      assertEquals(told, ["page of ada", "fw; fwd=miss"], `${name}, ${place}`);
      assertEquals((await ask({}))?.status, 401, `${name}, ${place}`);
    }
  }
});

Deno.test("fw.StaticCache() around a mounted application is private if that application has read cookies", async () => {
  const inner = fw.New();
  inner.Get("/", (ctx) => ctx.WriteString(ctx.GetCookie("name")));
  inner.Get("/same", (ctx) => ctx.WriteString("for all"));
  const { app } = mounting(appWith(fw.StaticCache(60_000)), inner);
  const of = async (path: string) => {
    const response = await app.fetch(new Request(`http://localhost${path}`, { headers: { cookie: "name=ada" } }));
    return [await response.text(), response.headers.get("cache-control")];
  };
  assertEquals(await of("/in"), ["ada", "private, max-age=60"]);
  assertEquals(await of("/in/same"), ["for all", "public, max-age=60"]);
});

Deno.test("what fw marks as public is private if the response sets a cookie", async () => {
  const folder = await Deno.makeTempDir();
  await Deno.writeTextFile(`${folder}/${hashed}`, "export const secret = 1;");
  const manager = sessions.New({ Cookie: "sid" });
  const visits: fw.Handler = async (ctx) => {
    (await manager.Start(ctx)).Increment("visits", 1);
    await ctx.Next();
  };
  const cookie: fw.Handler = (ctx) => {
    ctx.SetCookie("seen", "1");
    return ctx.Next();
  };
  for (const [name, guard] of Object.entries({ visits, cookie })) {
    for (const [place, build] of Object.entries(places)) {
      const { app, inner, prefix } = build(guard, cache.New({ MaxAge: 60_000 }));
      for (const path of addPublic(inner, folder)) {
        const { headers, body } = await app.fetch(new Request(`http://localhost${prefix}${path}`));
        await body?.cancel();
        const told = `${name}, ${place}, ${path}`;
        assertEquals(headers.getSetCookie().length, 1, told);
        assertMatch(headers.get("cache-control") ?? "", /^private, max-age=\d+/, told);
      }
    }
  }
  await Deno.remove(folder, { recursive: true });
});

Deno.test("fw.StaticCache() adds Vary if handlers have read cookies, so that no cache serves a page to others", async () => {
  const app = fw.New();
  app.Use(cache.New(), fw.StaticCache(60_000));
  app.Get("/", (ctx) => ctx.WriteString(`hello ${ctx.GetCookie("name")}`));
  const of = async (headers: Record<string, string>) => {
    const response = await app.fetch(new Request("http://localhost/", { headers }));
    return [await response.text(), response.headers.get("cache-control"), response.headers.get("vary")];
  };
  assertEquals(await of({}), ["hello ", "public, max-age=60", "Cookie"]);
  assertEquals(await of({ cookie: "name=ada" }), ["hello ada", "private, max-age=60", "Cookie"]);
  assertEquals(await of({}), ["hello ", "public, max-age=60", "Cookie"]);
});

Deno.test("cache.New() serves a public page whose handlers have read cookies only to clients without cookies", async () => {
  const app = fw.New();
  app.Use(fw.StaticCache(60_000), cache.New({ MaxAge: 60_000 }));
  app.Get("/", (ctx) => ctx.WriteString(`hello ${ctx.GetCookie("name")}`));
  const of = async (headers: Record<string, string>) => {
    const response = await app.fetch(new Request("http://localhost/", { headers }));
    return [await response.text(), response.headers.get("age"), response.headers.get("vary")];
  };
  assertEquals(await of({}), ["hello ", null, "Cookie"]);
  assertEquals(await of({ cookie: "name=ada" }), ["hello ada", null, "Cookie"]);
  assertEquals(await of({}), ["hello ", "0", "Cookie"]);
});

Deno.test("fw.StaticCache() removes its header from the errors of identified clients, too", async () => {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.Use(fw.StaticCache(60_000));
  app.Get("/", () => new Response("refused", { status: 403 }));
  const headers = { authorization: "Key ada" };
  const response = await app.fetch(new Request("http://localhost/", { headers }));
  assertEquals([await response.text(), response.headers.get("cache-control")], ["refused", null]);
});
