/**
 * The part of the subject that reads and writes formats and supports several languages.
 *
 * @module
 */

import type * as fw from "@fw/web";
import * as versioning from "@fw/web/versioning";

/** The features that this part adds to the subject. */
export const formatFeatures: readonly string[] = ["formats", "languages"];

/** Adds the routes. */
export function addFormats(app: fw.Application): void {
  app.I18n.LoadKV({ "en-US": { hi: "hello" }, "el-GR": { hi: "geia" } }, "en-US", "el-GR");
  const party = app.Party("/formats");
  party.Get("/hi", (ctx) => ctx.WriteString(`${ctx.GetLocale().Language()} ${ctx.Tr("hi")}`));
  party.Get("/tea", (ctx) => {
    ctx.Negotiation().JSON().XML().Charset("utf-8", "iso-8859-7").Encoding("gzip");
    return ctx.Negotiate({ name: "Assam" });
  });
  versioning.NewGroup(party, "1.x").Get("/versioned", (ctx) => ctx.WriteString("one"));
  party.Get("/jsonp", (ctx) => ctx.JSONP({ a: 1 }));
  party.Get("/xml", (ctx) => ctx.XML({ text: ctx.URLParam("text"), [ctx.URLParam("name")]: 1 }));
  party.Post("/xml", async (ctx) => ctx.JSON(given(await ctx.ReadXML())));
  party.Post("/yaml", async (ctx) => ctx.JSON(given(await ctx.ReadYAML())));
  party.Post("/msgpack", async (ctx) => ctx.JSON(given(await ctx.ReadMsgPack())));
  party.Post("/markdown", async (ctx) => {
    const bytes = given(await ctx.GetBody());
    await ctx.Markdown(new TextDecoder().decode(bytes), { Sanitize: true });
  });
}

function given<T>([value, error]: fw.Result<T>): T {
  if (error !== null) throw error;
  return value as T;
}
