import { assertEquals } from "@std/assert";
import type * as fw from "../../../mod.ts";
import { logged } from "../../serving.ts";

const writes: Readonly<Record<string, (ctx: fw.Context) => void>> = {
  WriteString: (ctx) => ctx.WriteString("late"),
  Write: (ctx) => ctx.Write(new Uint8Array([1])),
  JSON: (ctx) => ctx.JSON({ late: true }),
  HTML: (ctx) => ctx.HTML("late"),
  StatusCode: (ctx) => ctx.StatusCode(201),
  Header: (ctx) => ctx.Header("x-late", "1"),
  AddHeader: (ctx) => ctx.AddHeader("x-late", "1"),
  ContentType: (ctx) => ctx.ContentType("text/css"),
  StopWithStatus: (ctx) => ctx.StopWithStatus(500),
  Stream: (ctx) => ctx.Stream(["late"]),
};

for (const [name, write] of Object.entries(writes)) {
  Deno.test(`Context.${name}() warns once if the response has already been sent`, async () => {
    const { app, lines } = logged();
    const left = Promise.withResolvers<void>();
    const written = Promise.withResolvers<void>();
    app.Get("/a", (ctx) => {
      ctx.WriteString("early");
      // Simulates a missing await.
      void left.promise.then(() => {
        write(ctx);
        write(ctx);
        written.resolve();
      });
    });
    const response = await app.fetch(new Request("http://localhost/a?b"));
    left.resolve();
    await written.promise;
    assertEquals([response.status, await response.text()], [200, "early"]);
    assertEquals(lines, [
      "[WARN] Cannot change the response to GET /a: it has already been sent, an await may be missing",
    ]);
  });
}
