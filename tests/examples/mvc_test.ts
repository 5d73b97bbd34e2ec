import { assertEquals } from "@std/assert";
import { newApp as newHello } from "../../examples/mvc/hello/main.ts";
import { newApp as newSingleton } from "../../examples/mvc/singleton/main.ts";
import { newApp as newUsers } from "../../examples/mvc/users/main.ts";
import { MemoryUserRepository } from "../../examples/mvc/users/repository.ts";
import { type Ask, bothWays } from "../serving.ts";

function quiet<App extends { Logger(): { SetLevel(name: "disable"): unknown } }>(app: App): App {
  app.Logger().SetLevel("disable");
  return app;
}

bothWays("examples/mvc/hello serves the routes of spec 4.3 with a controller", () => quiet(newHello()), async (ask) => {
  const rows = [
    ["/", "text/html; charset=utf-8", "<h1>Welcome</h1>"],
    ["/ping", "text/plain;charset=UTF-8", "pong"],
    ["/hello", "application/json", '{"message":"Hello from fw"}'],
    ["/custom_path", "text/plain;charset=UTF-8", "Hello from the custom handler"],
    ["/welcome/Ada/2", "text/plain;charset=UTF-8", "Welcome, Ada! Welcome, Ada!"],
  ];
  for (const [path = "", ...expected] of rows) {
    const response = await ask(path);
    assertEquals([response.status, response.headers.get("content-type"), response.text], [200, ...expected]);
  }
  assertEquals((await ask("/welcome/Ada/twice")).status, 404);
});

async function send(ask: Ask, method: string, path: string, body: unknown): Promise<[number, unknown]> {
  const headers = { "content-type": "application/json" };
  const response = await ask(path, { method, headers, body: JSON.stringify(body) });
  return [response.status, response.text === "" ? "" : JSON.parse(response.text)];
}

bothWays("examples/mvc/users creates, reads, changes and removes users", () => quiet(newUsers()), async (ask) => {
  const ada = { name: "Ada", mail: "ada@example.com" };
  assertEquals(await send(ask, "POST", "/users", ada), [201, { id: 1, ...ada }]);
  assertEquals((await ask("/users")).text, '[{"id":1,"name":"Ada","mail":"ada@example.com"}]');
  assertEquals((await ask("/users/1")).text, '{"id":1,"name":"Ada","mail":"ada@example.com"}');
  assertEquals(await send(ask, "PUT", "/users/1", { ...ada, name: "Lovelace" }), [200, {
    id: 1,
    name: "Lovelace",
    mail: "ada@example.com",
  }]);
  assertEquals((await ask("/users/1", { method: "DELETE" })).status, 204);
  assertEquals((await ask("/users/1")).status, 404);
  assertEquals((await ask("/users/1", { method: "DELETE" })).status, 404);
});

bothWays("examples/mvc/users responds to errors with JSON", () => quiet(newUsers()), async (ask) => {
  const ada = { name: "Ada", mail: "ada@example.com" };
  await send(ask, "POST", "/users", ada);
  assertEquals(await send(ask, "POST", "/users", ada), [409, { error: "ada@example.com is taken" }]);
  assertEquals(await send(ask, "POST", "/users", { name: " " }), [422, { error: "A user needs a name" }]);
  assertEquals(await send(ask, "PUT", "/users/9", ada), [404, { error: "There is no user 9" }]);
  assertEquals((await ask("/users", { method: "POST", body: "{" })).status, 415);
  const broken = { method: "POST", body: "{", headers: { "content-type": "application/json" } };
  assertEquals((await ask("/users", broken)).status, 400);
  assertEquals((await ask("/users/x")).status, 404);
});

bothWays(
  "examples/mvc/users hides the errors of a repository",
  () => {
    const broken = new MemoryUserRepository();
    broken.all = () => {
      throw new Error("the disk of db-7 is full");
    };
    return quiet(newUsers(broken));
  },
  async (ask) => {
    const response = await ask("/users");
    assertEquals([response.status, response.text], [500, '{"error":"Something went wrong"}']);
  },
);

bothWays("examples/mvc/singleton counts across requests", () => quiet(newSingleton()), async (ask) => {
  assertEquals((await ask("/")).text, "1 visits, the last from 127.0.0.1");
  assertEquals((await ask("/")).text, "2 visits, the last from 127.0.0.1");
  assertEquals((await ask("/", { method: "DELETE" })).status, 204);
  assertEquals((await ask("/")).text, "1 visits, the last from 127.0.0.1");
});
