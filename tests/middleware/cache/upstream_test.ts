import * as cache from "@fw/web/middleware/cache";
import * as sessions from "@fw/web/sessions";
import * as fw from "@fw/web";
import { assertEquals } from "@std/assert";
import { PassingTime } from "../../clocks.ts";
import { quiet } from "../../serving.ts";

Deno.test("cache.New() counts the time that a response has spent in another cache", async () => {
  using time = new PassingTime();
  const app = quiet();
  let runs = 0;
  app.Get("/{age}", cache.New(), (ctx) => {
    const headers = { age: ctx.Params().Get("age"), "cache-control": "max-age=60" };
    return new Response(`run ${++runs}`, { headers });
  });
  const ask = async (path: string) => {
    const response = await app.fetch(new Request(`http://localhost${path}`));
    return [await response.text(), response.headers.get("age")];
  };
  assertEquals(await ask("/58"), ["run 1", "58"]);
  time.tick(1000);
  assertEquals(await ask("/58"), ["run 1", "59"]);
  time.tick(2000);
  assertEquals(await ask("/58"), ["run 2", "58"], "it was fresh for two more seconds");
  for (const age of ["60", "61"]) {
    const [first] = await ask(`/${age}`);
    assertEquals((await ask(`/${age}`))[0] === first, false, `${age} seconds are too old`);
  }
  const [first] = await ask("/nonsense");
  assertEquals((await ask("/nonsense"))[0], first, "an invalid age is ignored");
});

Deno.test("cache.New() does not store a page for which a mounted application has read a cookie or the session", async () => {
  const inner = quiet();
  inner.Use(sessions.New().Handler());
  inner.Get("/login/{name}", (ctx) => void sessions.Get(ctx)?.Set("name", ctx.Params().Get("name")));
  inner.Get("/session", (ctx) => ctx.WriteString(String(sessions.Get(ctx)?.Get("name"))));
  inner.Get("/cookie", (ctx) => ctx.WriteString(ctx.GetCookie("name")));
  const middle = quiet();
  middle.Mount("/inner", inner.fetch);
  const app = quiet();
  app.UseRouter((ctx) => {
    if (!ctx.Path().includes("login")) ctx.Header("cache-control", "public, max-age=60");
    return ctx.Next();
  });
  app.Party("/one", cache.New()).Mount("/", inner.fetch);
  app.Party("/two", cache.New()).Mount("/", middle.fetch);
  app.Party("/static", fw.StaticCache(60_000)).Mount("/", inner.fetch);
  const ask = (path: string, cookie: string) =>
    app.fetch(new Request(`http://localhost${path}`, { headers: cookie === "" ? {} : { cookie } }));
  const cookieOf = async (name: string) => {
    const [pair = ""] = (await ask(`/one/login/${name}`, "")).headers.getSetCookie()[0]?.split(";") ?? [];
    return `${pair}; name=${name}`;
  };
  const [ada, bob] = [await cookieOf("ada"), await cookieOf("bob")];
  for (const path of ["/one/session", "/one/cookie", "/two/inner/session", "/two/inner/cookie"]) {
    assertEquals(await (await ask(path, ada)).text(), "ada", path);
    assertEquals(await (await ask(path, bob)).text(), "bob", path);
  }
  for (const path of ["/static/session", "/static/cookie"]) {
    const response = await ask(path, ada);
    await response.text();
    assertEquals(response.headers.get("cache-control"), "private, max-age=60", path);
  }
});
