/**
 * Routes that speak JSON.
 *
 * @module
 */

import type { Part } from "./part.ts";

/** A greeting, and a sum that is checked. */
export const api: Part = {
  about: "`GET /api/hello/{name}` greets, `POST /api/sum` adds the numbers of a JSON list",
  tryIt: `curl localhost:8080/api/hello/Ada   # {"message":"Hello Ada"}`,
  imports: [],
  routes: `app.Get("/api/hello/{name}", (ctx) => ctx.JSON({ message: \`Hello \${ctx.Params().Get("name")}\` }));

app.Post("/api/sum", async (ctx) => {
  const [numbers, error] = await ctx.ReadJSON();
  if (error !== null) throw error;
  if (!Array.isArray(numbers) || !numbers.every((each) => typeof each === "number")) {
    throw fw.NewProblem({ Status: 422, Title: "Not a list of numbers" });
  }
  ctx.JSON({ sum: numbers.reduce((sum, each) => sum + each, 0) });
});`,
  tests: `Deno.test("GET /api/hello/{name} greets", async () => {
  await httptest.New(newApp()).GET("/api/hello/Ada").Expect().Status(200).JSON({ message: "Hello Ada" });
});

Deno.test("POST /api/sum adds numbers and refuses anything else", async () => {
  const client = httptest.New(newApp());
  await client.POST("/api/sum").WithJSON([1, 2, 3]).Expect().JSON({ sum: 6 });
  await client.POST("/api/sum").WithJSON(["one"]).Expect().Status(422);
});`,
  permissions: [],
  includes: [],
  files: {},
};
