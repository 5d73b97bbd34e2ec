import * as fw from "@fw/web";
import * as apps from "@fw/web/apps";
import * as cache from "@fw/web/middleware/cache";
import { assertEquals, assertNotEquals } from "@std/assert";
import { type Ask, overSocket, quiet } from "../../serving.ts";

/** The rest of a path, after a slash, in all spellings that could mean another path. */
const spellings = [
  ..."a a/ a// a//b a//b//c //a // a%2Fb a%2f %2F %2fa a%2F%2Fb a%2Fb/c a/b%2Fc https://x/y https:%2f%2fx%2fy".split(
    " ",
  ),
  ..."a\\b a%5Cb ..\\b ..%5Cb %2e%2e%5cb a/..\\b \\ \\\\a".split(" "),
  ..."./a ../seg/a %2e/a a/. a/.. a/%2E%2e ... ..a a%2F. a%2F.. a%2F..%2Fb .%2Fa".split(" "),
  ..."a;b=c ..;/a %3b a;/b".split(" "),
  ..."%ff %c0%ae %ED%B0%AF %F0%9F%90%AF %zz % %00 %0a %20 %25 %252F %252e%252e%252fa %23 %3F %41 + ~a ' |".split(" "),
];

function show(ctx: fw.Context): void {
  ctx.JSON([ctx.GetCurrentRoute()?.Path, ctx.Path(), ...ctx.Params().Entries()]);
}

/** Creates an application with a route of each kind. */
function newInner(): fw.Application {
  const app = quiet();
  for (const path of ["/", "/a", "/seg/{name}", "/seg/{name}/{other}", "/all/{rest:path}", "/int/{id:int}"]) {
    app.Get(path, show);
  }
  return app;
}

/** The ways in which an application is part of another one, and the prefix of its paths. */
const outers: Record<string, [prefix: string, newOuter: () => fw.Application]> = {
  "a mounted application": ["/m", () => {
    const app = quiet();
    app.Mount("/m", newInner());
    return app;
  }],
  "an application that is mounted twice, in a party": ["/p/m/n", () => {
    const [app, middle] = [quiet(), quiet()];
    middle.Mount("/n", newInner());
    app.Party("/p").Mount("/m", middle);
    return app;
  }],
  "a mounted application whose party has a parameter": ["/t%2Fx/m", () => {
    const app = quiet();
    app.Party("/{tenant}").Mount("/m", newInner());
    return app;
  }],
  "a switched application": ["", () => apps.Switch([{ Pattern: "localhost", Target: newInner() }])],
  "an application with a base path": ["/m", () => newInner().Configure(fw.WithBasePath("/m"))],
};

/** Returns the status, the body and the redirect, without the prefix. */
async function received(ask: Ask, prefix: string, path: string): Promise<string> {
  const { status, text, headers } = await ask(prefix + path);
  assertNotEquals(status, 500);
  const location = headers.get("location") ?? "";
  return `${status} ${status === 200 ? text : ""} ${
    location.startsWith(prefix) ? location.slice(prefix.length) : location
  }`;
}

for (const [name, [prefix, newOuter]] of Object.entries(outers)) {
  Deno.test(`${name} receives the same path, parameters and status as alone`, async () => {
    const paths = ["/seg/", "/all/", "/int/", "/seg/a/", "//seg/", "/%73eg/"].flatMap((start) =>
      spellings.map((rest) => start + rest)
    );
    await overSocket(newInner(), async (alone) => {
      await overSocket(newOuter(), async (inside) => {
        for (const path of paths) {
          assertEquals(await received(inside, prefix, path), await received(alone, "", path), path);
        }
      });
    });
  });
}

Deno.test("Party.Mount() does not add repeated slashes before its prefix to links", async () => {
  const [app, inner] = [quiet(), quiet()];
  inner.Get("/old", (ctx) => ctx.Redirect("/new"));
  app.Mount("/m", inner);
  await overSocket(app, async (ask) => {
    assertEquals((await ask("//m//old")).headers.get("location"), "/m/new");
  });
});

Deno.test("Party.Mount() passes on the path that middleware around it sees, with dots that stay in their segment", async () => {
  const [app, inner] = [quiet(), newInner()];
  app.Use((ctx) => {
    ctx.Header("x-outer", ctx.Path());
    return ctx.Next();
  });
  app.Mount("/m", inner);
  await overSocket(app, async (ask) => {
    // Whether an escaped slash is a slash depends on the inner route. If the dots were left to that route, it could
    // serve "/m/a", although the middleware has only checked "/m/all/a".
    for (const path of ["/m/all/..%2Fa", "/m/all/x%2F..%2Fa"]) {
      const { headers, text } = await ask(path);
      assertEquals([headers.get("x-outer"), JSON.parse(text)[1]], ["/m/all/a", "/all/a"], path);
    }
  });
});

Deno.test("cache.New() around a mounted or switched application tells apart values with repeated slashes", async () => {
  const app = quiet();
  app.UseRouter(cache.New({ MaxAge: 60_000 }));
  app.Mount("/m", newInner());
  const site = apps.Switch([{ Pattern: "localhost", Target: newInner() }]);
  site.UseRouter(cache.New({ MaxAge: 60_000 }));
  for (const [outer, prefix] of [[app, "/m"], [site, ""]] as const) {
    await overSocket(outer, async (ask) => {
      for (const rest of ["x/y", "x//y", "x%2F/y"]) {
        const { text } = await ask(`${prefix}/all/${rest}`);
        assertEquals(JSON.parse(text).at(-1), ["rest", rest.replace("%2F", "/")]);
      }
    });
  }
});
