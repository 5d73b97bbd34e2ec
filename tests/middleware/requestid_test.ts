import { assertEquals, assertMatch, assertNotEquals, assertThrows } from "@std/assert";
import * as fw from "../../mod.ts";
import * as requestid from "../../src/middleware/requestid.ts";
import { bothWays, logged, quiet } from "../serving.ts";

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function application(options?: requestid.Options): fw.Application {
  const app = quiet();
  app.UseRouter(requestid.New(options));
  app.Get("/", (ctx) => ctx.WriteString(ctx.GetID()));
  app.Get("/fail", () => {
    throw new Error("boom");
  });
  return app;
}

bothWays(
  "requestid.New() assigns a different ID to every request and sends it to the client",
  () => application(),
  async (ask) => {
    const [one, two] = [await ask("/"), await ask("/")];
    assertMatch(one.text, uuid);
    assertEquals(one.headers.get("x-request-id"), one.text);
    assertNotEquals(one.text, two.text);
    for (const path of ["/nowhere", "/fail"]) assertMatch((await ask(path)).headers.get("x-request-id") ?? "", uuid);
  },
);

bothWays(
  "requestid.New() accepts the client's ID unless it contains characters that are unsafe in logs",
  () => application(),
  async (ask) => {
    const good = ["a", "7f3c.~b/c+d=e@f:g-h", "x".repeat(128)];
    for (const id of good) assertEquals((await ask("/", { headers: { "x-request-id": id } })).text, id);
    const bad = ["x".repeat(129), "a b", "a,b", "<script>", 'a"b', "a;b", "a\tb", "\u00e4"];
    for (const id of bad) assertMatch((await ask("/", { headers: { "x-request-id": id } })).text, uuid, id);
  },
);

Deno.test("requestid.New() accepts a custom header and generator, and can ignore the client's ID", async () => {
  let count = 0;
  const app = application({ Header: "Trace", Generator: () => `n${++count}`, IgnoreRequest: true });
  const response = await app.fetch(new Request("http://localhost/", { headers: { trace: "theirs" } }));
  assertEquals([response.headers.get("trace"), await response.text()], ["n1", "n1"]);
});

Deno.test("requestid.New() keeps an ID that an earlier handler has set", async () => {
  const app = quiet();
  app.Use((ctx) => {
    ctx.SetID("mine");
    return ctx.Next();
  });
  app.Use(requestid.New());
  app.Get("/", (ctx) => ctx.WriteString(ctx.GetID()));
  const response = await app.fetch(new Request("http://localhost/", { headers: { "x-request-id": "theirs" } }));
  assertEquals([response.headers.get("x-request-id"), await response.text()], ["mine", "mine"]);
});

Deno.test("requestid.New() rejects a header that cannot be sent", () => {
  assertThrows(
    () => requestid.New({ Header: "a b" }),
    fw.FrameworkError,
    'Header must be a valid header name, not "a b"',
  );
});

Deno.test("New() of requestid adds the ID to the log lines of services, each to those of its own request", async () => {
  const { app, lines } = logged();
  class Orders {
    async place(): Promise<void> {
      app.Logger().Info("before");
      await new Promise((resolve) => setTimeout(resolve));
      app.Logger().Child("orders").Info("after");
    }
  }
  const orders = new Orders();
  app.Use(requestid.New());
  app.Get("/", () => orders.place());
  const ask = async (id: string) =>
    await app.fetch(new Request("http://localhost/", { headers: { "x-request-id": id } }));
  await Promise.all([ask("first"), ask("second")]);
  app.Logger().Info("outside");
  app.Logger().Flush();
  assertEquals(lines, [
    "[INFO] before request_id=first",
    "[INFO] before request_id=second",
    "[INFO] orders: after request_id=first",
    "[INFO] orders: after request_id=second",
    "[INFO] outside",
  ]);
});
