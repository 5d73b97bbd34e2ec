import { assertEquals } from "@std/assert";
import * as fw from "../../../mod.ts";
import { bothWays, quiet } from "../../serving.ts";

/** All ways of reading a body. Each returns the status of its failure, or 200. */
const readers: Readonly<Record<string, (ctx: fw.Context) => Promise<unknown>>> = {
  GetBody: async (ctx) => orThrow(await ctx.GetBody()),
  ReadJSON: async (ctx) => orThrow(await ctx.ReadJSON(undefined, { AnyType: true })),
  ReadForm: async (ctx) => orThrow(await ctx.ReadForm()),
  ReadBody: async (ctx) => orThrow(await ctx.ReadBody()),
  Request: (ctx) => ctx.Request().text(),
};

function orThrow<T>([value, error]: fw.Result<T>): T | undefined {
  if (error !== null) throw error;
  return value;
}

for (const [name, read] of Object.entries(readers)) {
  bothWays(`Context.SetMaxRequestBodySize() makes ${name} fail, and nothing before it`, () => {
    const app = quiet();
    app.Post("/", async (ctx) => {
      ctx.SetMaxRequestBodySize(5);
      // The headers of a request can be read, however long its body is.
      const type = ctx.Request().headers.get("content-type");
      try {
        await read(ctx);
        ctx.JSON({ type: type?.split(";")[0], status: 200 });
      } catch (error) {
        ctx.JSON({ type: type?.split(";")[0], status: error instanceof fw.HTTPError ? error.Status : 500 });
      }
    });
    app.Post("/unread", (ctx) => {
      ctx.SetMaxRequestBodySize(5);
      ctx.Text("answered");
    });
    app.Post("/refused", fw.LimitRequestBodySize(5), async (ctx) => {
      orThrow(await ctx.GetBody());
    });
    return app;
  }, async (ask) => {
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const type = headers["content-type"];
    const long = await ask("/", { method: "POST", headers, body: "a=12345" });
    assertEquals(JSON.parse(long.text), { type, status: 413 });
    if (name !== "ReadJSON") {
      assertEquals(JSON.parse((await ask("/", { method: "POST", headers, body: "a=123" })).text), {
        type,
        status: 200,
      });
    }
    assertEquals((await ask("/unread", { method: "POST", headers, body: "a=12345" })).text, "answered");
    assertEquals((await ask("/refused", { method: "POST", headers, body: "a=12345" })).status, 413);
  });
}
