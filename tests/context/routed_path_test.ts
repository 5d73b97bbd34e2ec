import { assertEquals } from "@std/assert";
import * as fw from "../../mod.ts";
import { bothWays, quiet } from "../serving.ts";

function guarding(...configurators: fw.Configurator[]): fw.Application {
  const app = quiet().Configure(...configurators);
  app.UseRouter((ctx) => ctx.Path().startsWith("/admin") ? ctx.StopWithText(403, "guarded") : ctx.Next());
  app.Get("/admin", (ctx) => ctx.WriteString("secret"));
  app.Get("/admin/{rest:path}", (ctx) => ctx.WriteString("secret"));
  app.Get("/{rest:path}", (ctx) => ctx.WriteString("public"));
  return app;
}

const spellings = [
  "/admin",
  "/%61dmin",
  "/%61%64%6d%69%6e",
  "/admin/",
  "/admin/a",
  "/admin%2Fa",
  "/%61dmin?x",
  "/admin#x",
];

bothWays(
  "Context.Path() is what the router matched: no spelling passes a guard that compares it",
  guarding,
  async (ask) => {
    for (const path of spellings) assertEquals((await ask(path)).text, "guarded", path);
    assertEquals((await ask("/public")).text, "public");
  },
);

bothWays(
  "Context.Path() is lower-cased under WithLowercaseRouting",
  () => guarding(fw.WithLowercaseRouting),
  async (ask) => {
    for (const path of [...spellings, "/ADMIN", "/%41dmin/x"]) assertEquals((await ask(path)).text, "guarded", path);
  },
);

bothWays("Context.RequestPath() is the path as it was sent, or decoded", () => {
  const app = quiet();
  const show: fw.Handler = (ctx) => ctx.JSON([ctx.Path(), ctx.RequestPath(true), ctx.RequestPath(false)]);
  app.Get("/{rest:path}", show);
  app.OnAnyErrorCode(show);
  return app;
}, async (ask) => {
  const shown = async (path: string) => JSON.parse((await ask(path)).text);
  assertEquals(await shown("/a%20b/c?d=%20"), ["/a b/c", "/a b/c", "/a%20b/c"]);
  assertEquals(await shown("/%E2%82%AC"), ["/€", "/€", "/%E2%82%AC"]);
  assertEquals(await shown("/a%2Fb"), ["/a/b", "/a/b", "/a%2Fb"]);
  assertEquals(await shown("/a%252Fb"), ["/a%2Fb", "/a%2Fb", "/a%252Fb"]);
  assertEquals(await shown("/plain"), ["/plain", "/plain", "/plain"]);
  assertEquals(await shown("/%zz"), ["/%zz", "/%zz", "/%zz"]);
});
