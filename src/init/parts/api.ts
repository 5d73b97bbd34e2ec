/**
 * Routes that speak JSON.
 *
 * @module
 */

import type { Part } from "./part.ts";
import { importZod, zod } from "./zod.ts";

/** A greeting, and a sum that is checked. */
export const api: Part = {
  about: "`GET /api/hello/{name}` greets, `POST /api/sum` adds the numbers of a JSON list",
  tryIt: `curl localhost:8080/api/hello/Ada   # {"message":"Hello Ada"}`,
  packages: zod,
  imports: [importZod],
  declarations: "/** A list of numbers. */\nconst numberList = z.array(z.number());",
  routes: `app.Get("/api/hello/{name}", (ctx) => ctx.JSON({ message: \`Hello \${ctx.Params().Get("name")}\` }));

app.Post("/api/sum", async (ctx) => {
  const [numbers, error] = await ctx.ReadJSON(numberList);
  // Responds with 400 to invalid JSON, with 422 and the reasons to anything but a list of numbers.
  if (error !== null) throw error;
  ctx.JSON({ sum: numbers.reduce((sum, each) => sum + each, 0) });
});`,
  tests: `Deno.test("GET /api/hello/{name} greets", async () => {
  await httptest.New(quietApp()).GET("/api/hello/Ada").Expect().Status(200).JSON({ message: "Hello Ada" });
});

Deno.test("POST /api/sum adds numbers and refuses anything else", async () => {
  const client = httptest.New(quietApp());
  await client.POST("/api/sum").WithJSON([1, 2, 3]).Expect().JSON({ sum: 6 });
  await client.POST("/api/sum").WithJSON(["one"]).Expect().Status(422);
});`,
  permissions: [],
  includes: [],
  files: {},
};
