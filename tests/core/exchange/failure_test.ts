import * as fw from "@fw/web";
import { assertEquals } from "@std/assert";
import { bothWays, quiet } from "../../serving.ts";

bothWays("Application does not let caches store a thrown error for as long as the page", () => {
  const app = quiet();
  const values: Record<string, string> = {
    public: "public",
    lasting: "private, max-age=60",
    shared: "max-age=0, s-maxage=60",
    checked: "no-cache",
    unstored: "no-store, max-age=0",
  };
  app.Get("/{value}/{status:int}", (ctx) => {
    ctx.Header("cache-control", values[ctx.Params().Get("value")] ?? "");
    ctx.Header("expires", new Date(Date.now() + 60_000).toUTCString());
    ctx.Header("access-control-allow-origin", "*");
    ctx.WriteString("half a page");
    const status = Number(ctx.Params().Get("status"));
    if (status === 200) return;
    throw status === 500 ? new Error("half a page") : new fw.HTTPError(status);
  });
  app.Get("/chosen", (ctx) => {
    ctx.Header("cache-control", "max-age=60");
    ctx.StatusCode(404);
  });
  return app;
}, async (ask) => {
  const expected = { public: null, lasting: null, shared: null, checked: "no-cache", unstored: "no-store, max-age=0" };
  for (const [value, kept] of Object.entries(expected)) {
    for (const status of [404, 500]) {
      const { headers, ...received } = await ask(`/${value}/${status}`);
      assertEquals(received.status, status);
      assertEquals([headers.get("cache-control"), headers.get("expires")], [kept, null], `${value} ${status}`);
      assertEquals(headers.get("access-control-allow-origin"), "*");
    }
  }
  assertEquals((await ask("/lasting/200")).headers.get("cache-control"), "private, max-age=60");
  assertEquals(
    (await ask("/chosen")).headers.get("cache-control"),
    "max-age=60",
    "the handler chose the status itself",
  );
});
