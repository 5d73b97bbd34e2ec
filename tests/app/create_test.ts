import { assert, assertEquals, assertMatch } from "@std/assert";
import * as fw from "../../mod.ts";
import { bothWays, logged } from "../serving.ts";

/** The default application with its lines at hand. */
function application(app: fw.Application): fw.Application {
  const { lines } = logged(app);
  app.Get("/ping", (ctx) => ctx.WriteString("pong"));
  app.Get("/throw", () => {
    throw new Error("secret");
  });
  app.Get("/lines", (ctx) => ctx.JSON(lines));
  return app;
}

bothWays("Default() logs every request, and recovers", () => application(fw.Default()), async (ask) => {
  assertEquals((await ask("/ping")).text, "pong");
  assertEquals((await ask("/nowhere")).status, 404);
  const failed = await ask("/throw");
  assertEquals([failed.status, failed.text], [500, "Internal Server Error"]);
  const lines: string[] = JSON.parse((await ask("/lines")).text);
  assertEquals(lines.length, 4);
  assertMatch(lines[0] ?? "", /^\[INFO\] 200 \S+ 127\.0\.0\.1 GET \/ping$/);
  assertMatch(lines[1] ?? "", /^\[WARN\] 404 \S+ 127\.0\.0\.1 GET \/nowhere$/);
  assertMatch(lines[2] ?? "", /^\[ERRO\] Cannot serve GET \/throw: Error: secret\n/);
  assertMatch(lines[3] ?? "", /^\[ERRO\] 500 \S+ 127\.0\.0\.1 GET \/throw$/);
});

bothWays("New() has no middleware, and still responds with a bare 500", () => application(fw.New()), async (ask) => {
  assertEquals((await ask("/ping")).text, "pong");
  const failed = await ask("/throw");
  assertEquals([failed.status, failed.text], [500, "Internal Server Error"]);
  const lines: string[] = JSON.parse((await ask("/lines")).text);
  assertEquals(lines.length, 1);
});

Deno.test("New() makes applications that share nothing", async () => {
  const one = fw.New();
  const two = fw.New();
  one.Get("/", (ctx) => ctx.WriteString("one"));
  two.Macros().Register({ Name: "own", Test: () => true });
  assertEquals((await two.fetch(new Request("http://localhost/"))).status, 404);
  assertEquals(one.Macros().Get("own"), undefined);
  assert(one.Logger() !== two.Logger());
});
