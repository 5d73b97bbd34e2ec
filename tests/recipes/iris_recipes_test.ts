import { assertEquals, assertStringIncludes } from "@std/assert";
import type * as fw from "../../mod.ts";
import * as httptest from "../../src/tools/httptest/mod.ts";
import { runRecipe } from "./recipe.ts";

Deno.test("the recipe for Turnstile accepts a form only if the service accepts its token", async () => {
  const asked: Record<string, string>[] = [];
  const service = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const form = Object.fromEntries((await request.formData()).entries()) as Record<string, string>;
    asked.push(form);
    if (form.response === "broken") return new Response("no JSON", { status: 500 });
    const success = form.secret === "1x0000000000000000000000000000000AA" && form.response === "good";
    return Response.json({ success, "error-codes": success ? [] : ["invalid-input-response"] });
  });
  try {
    const changes = {
      '"https://challenges.cloudflare.com/turnstile/v0/siteverify"': JSON.stringify(
        `http://127.0.0.1:${service.addr.port}/`,
      ),
    };
    const { app } = await runRecipe<{ app: fw.Application }>("turnstile", ["app"], changes);
    app.Logger().SetLevel("disable");
    const test = httptest.New(app);
    const page = await test.GET("/signup");
    assertEquals(page.Select("form .cf-turnstile").Attr("data-sitekey"), "1x00000000000000000000AA");
    const send = (token: string) => test.POST("/signup").WithForm({ "cf-turnstile-response": token, name: "Ada" });
    await send("good").Expect().Status(200).Body("Welcome, Ada");
    await send("bad").Expect().Status(403);
    await send("broken").Expect().Status(403);
    await test.POST("/signup").WithForm({ name: "Ada" }).Expect().Status(403);
    assertEquals(asked.length, 3, "an empty token is not sent");
    assertEquals(asked[0]?.remoteip, "127.0.0.1");
  } finally {
    await service.shutdown();
  }
});

Deno.test("the recipe for Pug renders views, and escapes values", async () => {
  const { app } = await runRecipe<{ app: fw.Application }>("pug", ["app"]);
  app.Logger().SetLevel("disable");
  const response = await httptest.New(app).GET("/?name=<b>").Expect().Status(200);
  assertStringIncludes(response.Text, "<h1>Hello, &lt;b&gt;</h1>");
  await httptest.New(app).GET("/missing").Expect().Status(500);
});

Deno.test("the recipe for Protobuf reads and writes messages", async () => {
  const { app, Tea } = await runRecipe<{ app: fw.Application; Tea: Type }>("protobuf", ["app", "Tea"]);
  app.Logger().SetLevel("disable");
  const body = new Uint8Array(Tea.encode({ name: "Assam", grams: 5 }).finish());
  const send = (bytes: Uint8Array<ArrayBuffer>) =>
    app.fetch(new Request("http://localhost/teas", { method: "POST", body: bytes }));
  const response = await send(body);
  assertEquals(response.headers.get("content-type"), "application/protobuf");
  assertEquals(Tea.toObject(Tea.decode(await response.bytes())), { name: "ASSAM", grams: 5 });
  assertEquals((await send(new Uint8Array([255, 255, 255]))).status, 400);
});

interface Type {
  encode(value: object): { finish(): Uint8Array };
  decode(bytes: Uint8Array): object;
  toObject(message: object): object;
}
