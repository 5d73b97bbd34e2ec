import { assertEquals, assertRejects } from "@std/assert";
import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";
import * as basicauth from "@fw/web/middleware/basicauth";
import * as csrf from "@fw/web/middleware/csrf";
import * as websocket from "@fw/web/websocket";
import { quiet } from "../../serving.ts";

function mirror(): fw.Application {
  const app = quiet();
  app.Any("/", (ctx) => ctx.JSON({ auth: ctx.GetHeader("authorization"), tenant: ctx.GetHeader("x-tenant") }));
  return app;
}

Deno.test("Call.WithBasicAuth() and Call.WithBearer() set the credentials of a request", async () => {
  const test = httptest.New(mirror());
  await test.GET("/").WithBasicAuth("zoë", "p:ß").Expect().JSON({ auth: "Basic em/DqzpwOsOf", tenant: "" });
  await test.GET("/").WithBasicAuth("a", "b").WithBearer("t").Expect().JSON({ auth: "Bearer t", tenant: "" });
  await test.GET("/").Expect().JSON({ auth: "", tenant: "" });

  const app = quiet();
  app.Use(basicauth.New({ Users: [{ Name: "zoë", Password: "p:ß" }] }));
  app.Get("/", (ctx) => ctx.WriteString(ctx.User()?.ID ?? ""));
  await httptest.New(app).GET("/").Expect().Status(401);
  await httptest.New(app).GET("/").WithBasicAuth("zoë", "p:ß").Expect().Status(200).Body("zoë");
});

Deno.test("Client.WithHeader() sets a header of all requests, which a request can replace", async () => {
  const test = httptest.New(mirror()).WithHeader("X-Tenant", "north").WithBearer("all");
  await test.GET("/").Expect().JSON({ auth: "Bearer all", tenant: "north" });
  await test.POST("/").WithHeader("x-tenant", "south").Expect().JSON({ auth: "Bearer all", tenant: "south" });
  await test.GET("/").WithBasicAuth("a", "b").Expect().JSON({ auth: "Basic YTpi", tenant: "north" });
  test.WithBasicAuth("c", "d").WithHeader("x-tenant", "east");
  await test.GET("/").Expect().JSON({ auth: "Basic Yzpk", tenant: "east" });

  const app = quiet();
  const server = websocket.New();
  server.On("tenant", (conn) => conn.Context().GetHeader("x-tenant"));
  app.Get("/ws", websocket.Handler(server));
  const socket = await httptest.New(app).WithHeader("x-tenant", "north").WebSocket("/ws");
  assertEquals(await socket.Ask("tenant"), "north");
  await socket.Close();
});

Deno.test("Client.WithHeader() lets all forms pass csrf", async () => {
  const app = quiet();
  app.Use(csrf.New());
  app.Post("/", (ctx) => ctx.WriteString("saved"));
  const cross = httptest.New(app).WithHeader("sec-fetch-site", "cross-site");
  await cross.POST("/").WithForm({ a: "1" }).Expect().Status(403);
  const same = httptest.New(app).WithHeader("sec-fetch-site", "same-origin");
  for (const a of ["1", "2"]) await same.POST("/").WithForm({ a }).Expect().Status(200).Body("saved");
});

function redirecting(): fw.Application {
  const app = quiet();
  app.Post("/login", (ctx) => {
    ctx.SetCookie("user", "Ada Lovelace");
    ctx.Redirect("/home?from=login", 303);
  });
  app.Get("/home", (ctx) => ctx.WriteString(`${ctx.Method()} ${ctx.GetCookie("user")} ${ctx.URLParam("from")}`));
  app.Any("/kept", (ctx) => ctx.Redirect("/echo", 307));
  app.Any("/moved", (ctx) => ctx.Redirect("/echo", 301));
  app.Any("/echo", async (ctx) => ctx.WriteString(`${ctx.Method()} ${await ctx.PostValue("a")}`));
  app.Get("/loop", (ctx) => ctx.Redirect("/loop"));
  app.Get("/away", (ctx) => ctx.Redirect("https://other.example/"));
  app.Get("/sub", (ctx) => ctx.Redirect("http://api.localhost/"));
  app.Subdomain("api").Get("/", (ctx) => ctx.WriteString(`api ${ctx.GetHeader("authorization")}`));
  return app;
}

Deno.test("Call.Follow() follows redirects like a browser and keeps cookies", async () => {
  const test = httptest.New(redirecting());
  await test.POST("/login").Expect().Status(303).Cookie("user", "Ada Lovelace");
  await test.POST("/login").Follow().Expect().Status(200).Body("GET Ada Lovelace login");
  await test.POST("/kept").WithForm({ a: "1" }).Follow().Expect().Body("POST 1");
  await test.POST("/moved").WithForm({ a: "1" }).Follow().Expect().Body("GET ");
  await test.PUT("/moved").WithForm({ a: "1" }).Follow().Expect().Body("PUT 1");
  await test.GET("/sub").WithBearer("t").Follow().Expect().Body("api ");
  await test.GET("/away").Follow().Expect().Status(302).Header("location", "https://other.example/");
  await assertRejects(async () => await test.GET("/loop").Follow(), Error, "more than 10");
  await assertRejects(
    async () => await test.POST("/kept").WithBody(new ReadableStream()).Follow(),
    Error,
    "the body is a stream",
  );
});

Deno.test("Client.Cookie() returns the value that the client would send, and TestResponse.Cookie() the attributes", async () => {
  const app = redirecting();
  app.Get("/logout", (ctx) => ctx.RemoveCookie("user"));
  const test = httptest.New(app);
  assertEquals(test.Cookie("user"), "");
  const response = await test.POST("/login");
  assertEquals(test.Cookie("user"), "Ada Lovelace");
  assertEquals(response.Cookie("user")?.Value, "Ada Lovelace");
  assertEquals(response.Cookie("user")?.Attributes.has("httponly"), true);
  assertEquals(response.Cookie("user")?.Attributes.get("path"), "/");
  assertEquals(response.Cookie("other"), undefined);
  await test.GET("/logout").Expect().Cookie("user", "");
  assertEquals(test.Cookie("user"), "");
  await assertRejects(
    async () => await test.GET("/home").Expect().Cookie("user", "Ada"),
    Error,
    'cookie "user" is "", expected "Ada"',
  );
});

Deno.test("Do() runs a single handler", async () => {
  const handler = async (ctx: fw.Context) => {
    ctx.StatusCode(201);
    ctx.JSON({ path: ctx.Path(), name: await ctx.PostValue("name"), address: ctx.RemoteAddr() });
    await ctx.Next();
  };
  for (const path of ["/", "/a/b.c", "/a/"]) {
    const request = new Request(`http://localhost${path}`, {
      method: "POST",
      body: new URLSearchParams({ name: "Ada" }),
    });
    await httptest.Do(handler, request).Status(201).JSON({ path, name: "Ada", address: "127.0.0.1" });
  }
  const failed = await httptest.Do(() => {
    throw new fw.HTTPError(409, "Taken");
  }, new Request("http://localhost/"));
  assertEquals([failed.Status, failed.Text], [409, "Taken"]);
  await assertRejects(
    async () => await httptest.Do((ctx) => ctx.WriteString("a"), new Request("http://localhost/x")).Body("b"),
    Error,
    'Unexpected response to GET /x: body is "a", expected "b"',
  );
});
