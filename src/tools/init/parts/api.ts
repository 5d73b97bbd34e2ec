/**
 * The JSON API of a new application.
 *
 * @module
 */

import { importZod, type Part, zod } from "./part.ts";

/** A greeting and a validated sum. */
export const api: Part = {
  about: "`GET /api/hello/{name}` returns a greeting, `POST /api/sum` adds the numbers in a JSON array",
  tryIt: `curl localhost:8080/api/hello/Ada   # {"message":"Hello Ada"}`,
  packages: zod,
  imports: [importZod],
  declarations: "/** An array of numbers. */\nconst numberList = z.array(z.number());",
  routes: `app.Get("/api/hello/{name}", (ctx) => ctx.JSON({ message: \`Hello \${ctx.Params().Get("name")}\` }));

app.Post("/api/sum", async (ctx) => {
  const [numbers, error] = await ctx.ReadJSON(numberList);
  // Responds with 400 to invalid JSON, and with 422 and the validation errors to anything but an array of numbers.
  if (error !== null) throw error;
  ctx.JSON({ sum: numbers.reduce((sum, each) => sum + each, 0) });
});`,
  tests: `Deno.test("GET /api/hello/{name} returns a greeting", async () => {
  await httptest.New(quietApp()).GET("/api/hello/Ada").Expect().Status(200).JSON({ message: "Hello Ada" });
});

Deno.test("POST /api/sum adds numbers and rejects other input", async () => {
  const client = httptest.New(quietApp()).WithUnguardedWrites();
  await client.POST("/api/sum").WithJSON([1, 2, 3]).Expect().JSON({ sum: 6 });
  await client.POST("/api/sum").WithJSON(["one"]).Expect().Status(422);
});`,
  permissions: [],
  includes: [],
  files: {},
};
