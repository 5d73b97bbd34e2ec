import { assertEquals, assertStringIncludes } from "@std/assert";
import * as fw from "../../../../mod.ts";
import { nearRoutes } from "../../../../src/core/app/inspect/near_routes.ts";
import { quiet } from "../../../serving.ts";

const routes = [
  "/",
  "/issues",
  "/issues/{id:int}",
  "/issues/{id:int}/comments",
  "/issues/new",
  "/login",
  "/logout",
  "/api/users",
  "/files/{rest:path}",
  "/{page}/{section}/{part}",
];

for (
  const [path, near] of [
    ["/isues", ["/issues"]],
    ["/ISSUES", ["/issues"]],
    ["/issue/5", ["/issues/{id:int}"]],
    ["/issues/abc", ["/issues/{id:int}"]],
    ["/issues/5/coments", ["/issues/{id:int}/comments"]],
    ["/issues/new/", ["/issues/new", "/issues/{id:int}"]],
    ["/logn", ["/login"]],
    ["/users", ["/api/users"]],
    ["/v1/api/users", ["/api/users"]],
    ["/teapots", []],
    ["/x", []],
    ["/wp-admin/setup.php", []],
  ] as const
) {
  Deno.test(`nearRoutes() finds ${near.join(" and ") || "nothing"} for ${path}`, () => {
    assertEquals(nearRoutes(path, routes), [...near]);
  });
}

function newApp(): fw.Application {
  const app = quiet().Configure(fw.WithDevelopment);
  for (const path of routes) app.Get(path, () => {});
  app.Post("/issues", () => {});
  return app;
}

Deno.test("developmentPage() lists only the similar routes for a 404, with their methods", async () => {
  const headers = { accept: "text/html" };
  const show = async (path: string) =>
    await (await newApp().fetch(new Request(`http://localhost${path}`, { headers }))).text();
  const page = await show("/isues");
  assertStringIncludes(page, '<tr><th scope="row">GET POST</th><td><code>/issues</code></td></tr>');
  assertEquals(page.includes("/login"), false);
  assertStringIncludes(await show("/teapots"), "None of the 11 routes is similar to this path");
});

Deno.test("Application.Explain() suggests similar routes for a misspelled path", async () => {
  const { Others } = await newApp().Explain("GET", "/isues");
  assertEquals(Others.slice(0, 2), [
    { Route: "GET /issues", Why: '"isues" is not "issues"' },
    { Route: "POST /issues", Why: 'its method is POST, "isues" is not "issues"' },
  ]);
});

Deno.test("Application.Explain() gives the redirect as the reason for a trailing slash", async () => {
  const app = fw.New();
  app.Get("/zod", (ctx) => ctx.Text("zod"));
  await app.Build();
  const { Status, Location, Others } = await app.Explain("GET", "/zod/");
  assertEquals([Status, Location], [301, "/zod"]);
  assertEquals(Others.map(({ Why }) => Why), ['the request is redirected to "/zod"']);
  const strict = fw.New().Configure(fw.WithoutPathCorrection);
  strict.Get("/zod", (ctx) => ctx.Text("zod"));
  await strict.Build();
  assertEquals((await strict.Explain("GET", "/zod/")).Others.map(({ Why }) => Why), ["the path has a trailing slash"]);
});
