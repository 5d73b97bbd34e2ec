import { assert, assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { fromFileUrl } from "@std/path";
import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import * as websocket from "@fw/web/websocket";
import { stub } from "@std/testing/mock";

function echo(): fw.Application {
  const app = fw.New();
  app.Any("/echo", async (ctx) => {
    ctx.JSON({
      method: ctx.Method(),
      query: ctx.URLParam("q"),
      header: ctx.GetHeader("x-a"),
      cookie: ctx.GetHeader("cookie"),
      address: ctx.RemoteAddr(),
      form: await ctx.PostValue("name"),
    });
  });
  return app;
}

Deno.test("Call sends the specified method, query, headers, address and form", async () => {
  const test = httptest.New(echo());
  const response = await test.POST("/echo").WithQuery("q", "a b").WithHeader("x-a", "1").WithRemoteAddr("10.1.2.3")
    .WithForm({ name: "Ada" }).Expect().Status(200);
  assertEquals(response.JSON(), {
    method: "POST",
    query: "a b",
    header: "1",
    cookie: "",
    address: "10.1.2.3",
    form: "Ada",
  });
});

Deno.test("Call.WithMultipart() sends fields and files of one form", async () => {
  const app = fw.New();
  app.Post("/", async (ctx) => {
    const [file] = await ctx.FormFile("file");
    ctx.WriteString(`${await ctx.PostValue("a")} ${file?.name} ${await file?.text()}`);
  });
  await httptest.New(app).POST("/").WithMultipart("a", "1").WithMultipart("file", new File(["text"], "f.txt"))
    .Expect().Body("1 f.txt text");
});

Deno.test("Call.WithJSON() and Call.WithBody() send the specified value", async () => {
  const app = fw.New();
  app.Put("/", async (ctx) => {
    const [value] = await ctx.ReadJSON(undefined, { AnyType: true });
    ctx.JSON({ type: ctx.GetHeader("content-type"), value });
  });
  const test = httptest.New(app);
  await test.PUT("/").WithJSON([1]).Expect().JSON({ value: [1], type: "application/json" });
  await test.PUT("/").WithBody("[2]").WithHeader("content-type", "text/x").Expect().JSON({
    type: "text/x",
    value: [2],
  });
});

Deno.test("Client keeps cookies between requests and removes expired ones", async () => {
  const app = fw.New();
  app.Get("/set", (ctx) => ctx.SetCookie("a", "1"));
  app.Get("/end", (ctx) => ctx.RemoveCookie("a"));
  app.Get("/read", (ctx) => ctx.WriteString(ctx.GetHeader("cookie")));
  const test = httptest.New(app);
  await test.GET("/set").Expect();
  await test.GET("/read").WithCookie("b", "2").Expect().Body("b=2; a=1");
  await test.GET("/end").Expect();
  await test.GET("/read").Expect().Body("");
});

Deno.test("Client does not follow redirects", async () => {
  const app = fw.New();
  app.Get("/", (ctx) => ctx.Redirect("/elsewhere"));
  await httptest.New(app).GET("/").Expect().Status(302).Header("location", "/elsewhere");
});

Deno.test("Expectation reports every failed check", async () => {
  const app = fw.New();
  app.Get("/", (ctx) => ctx.WriteString("pong"));
  const error = await assertRejects(
    async () =>
      await httptest.New(app).GET("/").Expect().Status(201).Body("ping").Contains("x").Header("x-a", "1")
        .ContentType("text/html"),
    Error,
  );
  assertEquals(
    error.message,
    'Unexpected response to GET /: status is 200, expected 201; body is "pong", expected "ping"; ' +
      'body "pong" does not contain "x"; header "x-a" is "", expected "1"; content type is "text/plain", expected "text/html"',
  );
});

Deno.test("Expectation.NotContains() reports the passage that must be absent", async () => {
  const app = fw.New();
  app.Get("/", (ctx) => ctx.WriteString("pong"));
  app.Get("/page", (ctx) => ctx.WriteString(`${"a".repeat(500)} secret ${"b".repeat(500)}`));
  const test = httptest.New(app);
  await test.GET("/").Expect().NotContains("ping").NotContains("Pong").Contains("pong");
  const messageOf = async (call: PromiseLike<unknown>) => (await assertRejects(async () => await call, Error)).message;
  assertEquals(
    await messageOf(test.GET("/").Expect().NotContains("on").NotContains("x")),
    'Unexpected response to GET /: body "pong" contains "on"',
  );
  assertEquals(
    await messageOf(test.GET("/page").Expect().NotContains("secret")),
    `Unexpected response to GET /page: body contains "secret": …"${"a".repeat(59)} secret ${"b".repeat(59)}"…`,
  );
});

Deno.test("Expectation reports the line of the test that calls Expect", async () => {
  const app = fw.New();
  app.Get("/", async (ctx) => ctx.WriteString(await Promise.resolve("pong")));
  const error = await assertRejects(async () => await httptest.New(app).GET("/").Expect().Status(201), Error);
  assertStringIncludes(error.stack?.split("\n")[1] ?? "", "/httptest_test.ts:");
  assertStringIncludes(error.stack ?? "", "Error: Unexpected response to GET /: status is 200, expected 201");
});

Deno.test("Expectation shows where a long body differs, not the whole page", async () => {
  const items = Array.from({ length: 1000 }, (_, id) => ({ id, name: `item ${id}` }));
  const page = items.map(({ name }) => `<li>${name}</li>`).join("\n");
  const app = fw.New();
  app.Get("/page", (ctx) => ctx.HTML(page));
  app.Get("/items", (ctx) => ctx.JSON(items));
  const test = httptest.New(app);
  const reason = async (call: PromiseLike<unknown>) => {
    const { message } = await assertRejects(async () => await call, Error);
    assert(message.length < 600, message);
    return message.replace(/^Unexpected response to .*?: /, "");
  };
  assertEquals(
    await reason(test.GET("/page").Expect().Contains("<li>item 500</p>")),
    'body does not contain "<li>item 500</p>": the closest match is …"<li>item 500</li>\n<li>item 501</li>\n<li>item 502</li>\n' +
      '<li>item 503</li>\n<li>"…',
  );
  assertStringIncludes(
    await reason(test.GET("/page").Expect().Contains("Total")),
    `body does not contain "Total": it has ${page.length} characters and starts with "<li>item 0</li>`,
  );
  assertStringIncludes(
    await reason(test.GET("/page").Expect().Body(page.replace("item 700", "item seven"))),
    "body differs at character ",
  );
  const wanted = items.map((item) => item.id === 700 ? { ...item, name: "tea" } : item);
  assertEquals(
    await reason(test.GET("/items").Expect().JSON(wanted)),
    'JSON at "/700/name" is "item 700", expected "tea"',
  );
  assertEquals(
    await reason(test.GET("/items").Expect().JSON(items.slice(1)).Status(200)).then((text) => text.slice(-21)),
    "1994 more differences",
  );
});

Deno.test("Expectation reports a body that is not valid JSON", async () => {
  const app = fw.New();
  app.Get("/", (ctx) => ctx.WriteString("pong"));
  await assertRejects(
    async () => await httptest.New(app).GET("/").Expect().JSON({}),
    Error,
    'Unexpected response to GET /: body "pong" is not valid JSON',
  );
});

Deno.test("TestResponse.JSON() reports the request, the status and the type if the body is not JSON", async () => {
  const response = await httptest.New(echo()).GET("/nowhere");
  const message = 'Cannot read the response to GET /nowhere as JSON: its status is 404, its type is "text/plain"';
  assertThrows(() => response.JSON(), Error, message);
});

Deno.test("Expectation can be awaited twice, but not extended after it was checked", async () => {
  let requests = 0;
  const app = fw.New();
  app.Get("/", (ctx) => ctx.WriteString(`${++requests}`));
  const expectation = httptest.New(app).GET("/").Expect().Body("1");
  assertEquals((await expectation).Text, "1");
  assertEquals((await expectation).Text, "1");
  assertThrows(
    () => expectation.Status(200),
    Error,
    "Cannot add an expectation for the response to GET /: it has already been checked",
  );
});

Deno.test("Expectation rejects with the error that the application threw", async () => {
  const failing: httptest.Served = {
    fetch() {
      throw new Error("on purpose");
    },
  };
  await assertRejects(async () => await httptest.New(failing).GET("/").Expect(), Error, "on purpose");
});

Deno.test("Call sends the request if it is awaited without Expect()", async () => {
  let served = 0;
  const app = fw.New();
  app.Get("/{name}", (ctx) => {
    served++;
    const before = ctx.GetCookie("name");
    ctx.SetCookie("name", ctx.Params().Get("name"));
    ctx.JSON({ query: ctx.URLParam("q"), before });
  });
  const test = httptest.New(app);
  const response = await test.GET("/a").WithQuery("q", "1");
  assertEquals([response.Status, response.JSON(), served], [200, { query: "1", before: "" }, 1]);
  await test.GET("/b").Expect().JSON({ query: "", before: "a" });
  assertEquals((await test.GET("/nowhere/else")).Status, 404);
});

for (const [end, way] of [["", "that nothing runs beside"], ["run", "while a server runs"]]) {
  Deno.test(`Expectation that fails and is not awaited fails the test run, in a test ${way}`, async () => {
    const file = fromFileUrl(new URL("./forgotten.ts", import.meta.url));
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["test", "-A", "--no-check", "--no-lock", file, "--", `${end}`],
      env: { NO_COLOR: "1" },
    }).output();
    const decoder = new TextDecoder();
    assertStringIncludes(
      decoder.decode(stdout) + decoder.decode(stderr),
      "Unexpected response to GET /: status is 200, expected 404",
    );
    assertEquals(code, 1);
  });
}

Deno.test("TestSocket.ExpectEvent() does not count a pause of the process", async () => {
  const app = fw.New();
  const server = websocket.New();
  server.On("start", (conn) => conn.Emit("other", 1));
  server.On("go", (conn) => conn.Emit("wanted", 2));
  app.Get("/ws", websocket.Handler(server));
  const socket = await httptest.New(app).WebSocket("/ws");
  const event = socket.ExpectEvent("wanted");
  // As if the process had been paused for a minute while the event is awaited.
  using _ = stub(performance, "now", ((now) => () => now() + 60_000)(performance.now.bind(performance)));
  await socket.Ask("start");
  await socket.Ask("go");
  assertEquals(await event, 2);
  await socket.Close();
});
