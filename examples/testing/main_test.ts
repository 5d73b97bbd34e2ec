import * as httptest from "jsr:@fw/web/httptest";
import { newApp } from "./main.ts";

Deno.test("GET /greet/{name} returns a greeting", async () => {
  const test = httptest.New(newApp("Welcome"));
  await test.GET("/greet/Ada").Expect().Status(200).JSON({ message: "Welcome Ada" });
  await test.GET("/greet").Expect().Status(404);
});

Deno.test("POST /basket counts each client's items separately", async () => {
  const app = newApp();
  const [ada, bob] = [httptest.New(app), httptest.New(app)];
  await ada.POST("/basket").WithForm({ amount: "2" }).Expect().JSON({ items: 2 });
  await ada.POST("/basket").Expect().JSON({ items: 3 });
  await bob.POST("/basket").Expect().JSON({ items: 1 });
  await app.Shutdown();
});
