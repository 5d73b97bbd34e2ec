import { assertEquals } from "@std/assert";
import { newApp } from "../../examples/mvc/hello/main.ts";
import type * as fw from "../../mod.ts";
import { bothWays } from "../serving.ts";

function quiet(): fw.Application {
  const app = newApp();
  app.Logger().SetLevel("disable");
  return app;
}

bothWays("examples/mvc/hello serves the routes of spec 4.3 with a controller", quiet, async (ask) => {
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
