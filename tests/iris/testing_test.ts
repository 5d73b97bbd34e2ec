import type * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import * as accesslog from "@fw/web/middleware/accesslog";
import * as basicauth from "@fw/web/middleware/basicauth";
import * as recover from "@fw/web/middleware/recover";
import { assertEquals, assertStringIncludes } from "@std/assert";
import { quiet } from "../serving.ts";

Deno.test("example testing/httptest: requests with and without credentials", async () => {
  const app = quiet();
  const handler = (ctx: fw.Context) => ctx.WriteString(`${ctx.Path()} ${ctx.User()?.Name}`);
  app.Get("/", (ctx) => ctx.Redirect("/admin"));
  const admin = app.Party("/admin", basicauth.New({ Users: [{ Name: "myusername", Password: "mypassword" }] }));
  for (const path of ["/", "/profile", "/settings"]) admin.Get(path, handler);

  const e = httptest.New(app);
  // In Go, redirects are followed by default.
  await e.GET("/").Follow().Expect().Status(401);
  await e.GET("/admin").Expect().Status(401);
  for (const path of ["/admin", "/admin/profile", "/admin/settings"]) {
    await e.GET(path).WithBasicAuth("myusername", "mypassword").Expect().Status(200).Body(`${path} myusername`);
  }
  await e.GET("/").Follow().WithBasicAuth("myusername", "mypassword").Expect().Body("/admin myusername");
  await e.GET("/admin/settings").WithBasicAuth("invalidusername", "invalidpassword").Expect().Status(401);
});

Deno.test("example testing/httptest: a single handler", async () => {
  await httptest.Do((ctx) => ctx.WriteString("Hello, World!"), new Request("http://localhost/")).Body("Hello, World!");
});

Deno.test("example request-logger/accesslog-broker: a handler streams the log to its client", async () => {
  const app = quiet();
  const [first, second]: string[][] = [[], []];
  const ac = accesslog.New({
    Format: "json",
    Output: (line) => void first?.push(line),
    RequestBody: true,
    Skip: (ctx) => ctx.Path() === "/logs",
  }).AddOutput((line) => void second?.push(line));
  app.UseRouter(ac.Handler(), recover.New());
  app.OnErrorCode(404, (ctx) => {
    const paths = ctx.FindClosest(3);
    ctx.HTML(paths.length === 0 ? "The page does not exist." : `Did you mean ${paths.join(", ")}?`);
  });
  app.Get("/panic", () => {
    throw new Error("PANIC HERE");
  });
  app.Get("/profile/{username}", (ctx) => ctx.HTML(`Hello, <strong>${ctx.Params().Get("username")}</strong>!`));
  app.Post("/read_body", async (ctx) => {
    const [data, error] = await ctx.ReadBody();
    if (error !== null) return ctx.StopWithError(400, error);
    ctx.JSON({ message: "OK", data });
  });
  app.Get("/logs", (ctx) =>
    ctx.Stream(async function* (signal: AbortSignal) {
      for await (const { Path, Status, Request } of ac.Listen({ Signal: signal })) {
        yield `${JSON.stringify({ Path, Status, Request })}\n`;
      }
    }));

  const logs = await app.fetch(new Request("http://localhost/logs"));
  const reader = (logs.body as ReadableStream<Uint8Array<ArrayBuffer>>).pipeThrough(new TextDecoderStream()).getReader();
  const line = reader.read();
  // The listener exists as soon as the client reads.
  await new Promise((resolve) => setTimeout(resolve, 0));
  const test = httptest.New(app);
  await test.POST("/read_body").WithJSON({ name: "Ada", password: "x" }).Expect().Status(200);
  assertEquals(JSON.parse((await line).value ?? ""), {
    Path: "/read_body",
    Status: 200,
    Request: '{"name":"Ada","password":"***"}',
  });
  await test.GET("/panic").Expect().Status(500);
  assertEquals(JSON.parse((await reader.read()).value ?? "").Status, 500);
  assertStringIncludes((await test.GET("/pani")).Text, "Did you mean");
  assertEquals(JSON.parse((await reader.read()).value ?? "").Path, "/pani");
  await reader.cancel();
  ac.Close();
  assertEquals(first, second);
  assertEquals(first?.length, 3);
});
