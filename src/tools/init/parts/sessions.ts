/**
 * The sessions of a new application.
 *
 * @module
 */

import type { Part } from "./part.ts";

/** A visit counter. */
export const visits: Part = {
  about: "`GET /visits` counts each client's visits in a session",
  tryIt: `curl -c cookies.txt -b cookies.txt localhost:8080/visits   # {"visits":1}`,
  packages: {},
  declarations: "",
  imports: ['import * as sessions from "@fw/web/sessions";'],
  routes: `const manager = sessions.New({ Cookie: "sid", Expires: 24 * 60 * 60 * 1000 });
app.Get("/visits", async (ctx) => {
  const session = await manager.Start(ctx);
  ctx.JSON({ visits: session.Increment("visits") });
});`,
  tests: `Deno.test("GET /visits counts each client's visits separately", async () => {
  const app = quietApp();
  const client = httptest.New(app);
  await client.GET("/visits").Expect().JSON({ visits: 1 });
  await client.GET("/visits").Expect().JSON({ visits: 2 });
  await httptest.New(app).GET("/visits").Expect().JSON({ visits: 1 });
});`,
  permissions: [],
  includes: [],
  files: {},
};
