import { assertEquals, assertRejects } from "@std/assert";
import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import * as basicauth from "@fw/web/middleware/basicauth";
import * as sessions from "@fw/web/sessions";
import { quiet } from "../../serving.ts";

/** Creates an application with an endless stream of the events that a test pushes. */
function newApp() {
  const app = quiet();
  const left = Promise.withResolvers<void>();
  let push: (event: unknown) => void = () => {};
  app.Use(sessions.New().Handler());
  app.Post("/login", (ctx) => void sessions.Get(ctx)?.Set("user", "ann"));
  app.Get("/events", (ctx) => {
    const user = sessions.Get(ctx)?.GetString("user");
    if (!user) return ctx.StopWithText(401, "Log in first");
    const { readable, writable } = new TransformStream<unknown, unknown>();
    const writer = writable.getWriter();
    push = (event) => void writer.write(event);
    ctx.Events(async function* (lastID, signal) {
      signal.addEventListener("abort", () => {
        left.resolve();
        void writer.close();
      });
      yield `Hello ${user}${lastID}`;
      yield* readable;
    });
  });
  return { app, left: left.promise, push: (event: unknown) => push(event) };
}

Deno.test("Call.Events() reads the events of an endless stream as they arrive, with the cookies of the client", async () => {
  const { app, left, push } = newApp();
  const test = httptest.New(app);
  await assertRejects(
    () => test.GET("/events").Events(),
    Error,
    "Cannot read the events of GET /events: status 401, Log",
  );
  await test.POST("/login").Expect().Status(200);
  const events = await test.GET("/events").WithHeader("last-event-id", "7").Events();
  assertEquals((await events.Next()).Data, "Hello ann7");
  push(fw.NewEvent({ cents: 150 }, { ID: "8", Name: "price" }));
  const { ID, Name, Data, JSON } = await events.Next();
  assertEquals({ ID, Name, Data, value: JSON() }, {
    ID: "8",
    Name: "price",
    Data: '{"cents":150}',
    value: { cents: 150 },
  });
  const coming = events.Next();
  push("two\nlines");
  assertEquals((await coming).Data, "two\nlines");
  await events.Close();
  await left;
  await assertRejects(() => events.Next(), Error, "the test has closed the stream");
});

Deno.test("TestEvents.Close() ends a stream that is waiting for an event", async () => {
  const { app, left } = newApp();
  const test = httptest.New(app);
  await test.POST("/login").Expect().Status(200);
  await using events = await test.GET("/events").Events();
  await events.Next();
  const waiting = assertRejects(() => events.Next(), Error, "the test has closed the stream");
  await events.Close();
  await waiting;
  await left;
});

Deno.test("Call.Events() sends the credentials of the client, and reports the end of the stream", async () => {
  const app = quiet();
  app.Use(basicauth.New({ Users: [{ Name: "ann", Password: "sesame" }] }));
  app.Get("/events", (ctx) => ctx.Events([ctx.GetHeader("accept"), ctx.User()?.ID]));
  app.Get("/page", (ctx) => ctx.HTML("<p>Hello</p>"));
  const test = httptest.New(app).WithBasicAuth("ann", "sesame");
  await using events = await test.GET("/events").Events();
  assertEquals([(await events.Next()).Data, (await events.Next()).Data], ["text/event-stream", "ann"]);
  await assertRejects(() => events.Next(), Error, "Expected an event of GET /events, but the stream has ended");
  await assertRejects(() => test.GET("/page").Events(), Error, 'the content type is "text/html; charset=utf-8"');
});
