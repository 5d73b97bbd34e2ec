import { assertEquals, assertThrows } from "@std/assert";
import { bothWays, quiet } from "../../serving.ts";

bothWays(
  "Application.WrapRouter() wraps every request, with the last wrapper as the outermost",
  () => {
    const app = quiet();
    app.Get("/", (ctx) => ctx.WriteString("inside"));
    for (const name of ["first", "second"]) {
      app.WrapRouter(async (request, next) => {
        const response = await next(request);
        const before = response.headers.get("x-way") ?? "inside";
        response.headers.set("x-way", `${before} ${name}`);
        return response;
      });
    }
    return app;
  },
  async (ask) => {
    assertEquals((await ask("/")).headers.get("x-way"), "inside first second");
    assertEquals((await ask("/nowhere")).headers.get("x-way"), "inside first second");
  },
);

bothWays(
  "Application.WrapRouter() can respond or pass on another request",
  () => {
    const app = quiet();
    app.Get("/new", (ctx) => ctx.WriteString(`new for ${ctx.RemoteAddr()}`));
    app.WrapRouter((request, next) => {
      if (request.url.endsWith("/shut")) return new Response("shut", { status: 503 });
      return next(request.url.endsWith("/old") ? new Request(request.url.replace("/old", "/new")) : request);
    });
    return app;
  },
  async (ask) => {
    assertEquals((await ask("/shut")).status, 503);
    assertEquals((await ask("/old")).text, "new for 127.0.0.1");
  },
);

Deno.test("Application.WrapRouter() throws after the application has been built", async () => {
  const app = quiet();
  await app.Build();
  assertThrows(() => app.WrapRouter((request, next) => next(request)), Error, "Cannot wrap the router");
});
