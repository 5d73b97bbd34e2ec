/** A test with an unmet expectation that is not awaited. httptest_test.ts runs it and checks that it fails. */

import * as fw from "@fw/web";
import * as httptest from "@fw/web/httptest";

Deno.test("an expectation without await", async () => {
  const app = fw.New();
  app.Get("/", (ctx) => ctx.WriteString("pong"));
  if (Deno.args.includes("run")) {
    const listening = Promise.withResolvers<void>();
    const running = app.Run(fw.Addr("127.0.0.1:0"), fw.WithoutStartupLog, fw.WithOnListen(() => listening.resolve()));
    await listening.promise;
    httptest.New(app).GET("/").Expect().Status(404);
    await app.Shutdown();
    await running;
  } else {
    httptest.New(app).GET("/").Expect().Status(404);
    await new Promise((resolve) => setTimeout(resolve));
  }
});
