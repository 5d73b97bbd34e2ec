import { assertEquals } from "@std/assert";
import * as fw from "../../../mod.ts";
import { bothWays, quiet } from "../../serving.ts";

const error = new Error("refused");

/** Methods that end a request with an error, and the expected responses. */
const ends: readonly [name: string, end: (ctx: fw.Context) => void, status: number, body: string][] = [
  ["StopWithStatus", (ctx) => ctx.StopWithStatus(403), 403, "Forbidden"],
  ["StopWithError", (ctx) => ctx.StopWithError(400, error), 400, "refused"],
  ["StopWithText", (ctx) => ctx.StopWithText(400, "text"), 400, "text"],
  ["StopWithJSON", (ctx) => ctx.StopWithJSON(500, { a: 1 }), 500, '{"a":1}'],
  ["NotFound", (ctx) => ctx.NotFound(), 404, "Not Found"],
  ["NotFound then a body", (ctx) => (ctx.NotFound(), ctx.WriteString("none")), 404, "none"],
  [
    "throw",
    () => {
      throw new fw.HTTPError(409, "taken");
    },
    409,
    "taken",
  ],
];

const drafts: readonly [name: string, write: (ctx: fw.Context) => void][] = [
  ["nothing", () => {}],
  ["text", (ctx) => ctx.WriteString("half")],
  ["HTML", (ctx) => ctx.HTML("<p>half")],
  ["JSON", (ctx) => ctx.JSON({ half: true })],
  ["bytes", (ctx) => ctx.Write(new Uint8Array([1, 2]))],
  ["a stream", (ctx) => ctx.Stream(["half"])],
];

bothWays("Context.StopWithStatus() and all errors discard the body and keep headers", () => {
  const app = quiet();
  for (const [draft, write] of drafts) {
    for (const [name, end] of ends) {
      app.Get(encodeURI(`/${draft}/${name}`), (ctx) => {
        ctx.Header("x-kept", "1");
        write(ctx);
        end(ctx);
      });
    }
  }
  return app;
}, async (ask) => {
  for (const [draft] of drafts) {
    for (const [name, , status, body] of ends) {
      const response = await ask(encodeURI(`/${draft}/${name}`));
      assertEquals([response.status, response.text], [status, body], `${draft} ${name}`);
      assertEquals(response.headers.get("x-kept"), "1");
      assertEquals(
        response.headers.get("content-type")?.startsWith(name === "StopWithJSON" ? "application/json" : "text/plain"),
        true,
      );
    }
  }
});

bothWays("OnErrorCode() runs if something was written before StopWithError()", () => {
  const app = quiet();
  app.OnErrorCode(400, (ctx) => ctx.HTML(`<p>${ctx.GetErr()?.message}`));
  app.Get("/", (ctx) => (ctx.WriteString("half"), ctx.StopWithError(400, error)));
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).text, "<p>refused");
});

bothWays("Context.StopWithText() keeps an explicit content type", () => {
  const app = quiet();
  app.Get("/", (ctx) => (ctx.ContentType("text/css"), ctx.StopWithText(400, "a{}")));
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).headers.get("content-type"), "text/css; charset=utf-8");
});
