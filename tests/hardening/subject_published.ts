/**
 * The part of the subject that builds links and sends streams.
 *
 * @module
 */

import type * as fw from "@fw/web";
import * as compress from "@fw/web/middleware/compress";

/** The features that this part adds to the subject. */
export const publishedFeatures: readonly string[] = ["links", "compressed streams"];

/** Adds the routes. */
export function addPublished(app: fw.Application): void {
  const party = app.Party("/linked");
  party.Get("/{id:int}", (ctx) => ctx.WriteString(`${ctx.URLPath("linked", 7)} ${ctx.AbsoluteURI("/linked/7")}`))
    .SetName("linked");
  party.Get("/go", (ctx) => ctx.Redirect("/linked/7"));
  party.Get("/cookie", (ctx) => ctx.SetCookie("linked", "1"));
  const streams = app.Party("/streamed", compress.New());
  streams.Get("/text", (ctx) => {
    ctx.ContentType("text/plain");
    ctx.Stream(async function* (signal) {
      yield "first";
      // The second chunk is only produced when the client has disconnected.
      await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
      yield "second";
    });
  });
}
