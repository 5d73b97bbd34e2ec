/**
 * A page in several languages, and a list in several formats.
 *
 * Run it with `deno task example languages`. Then open http://localhost:8080/el/cart?dogs=3, or request a format: `curl
 * -H "Accept: application/yaml" localhost:8080/teas`.
 *
 * Permissions: `--allow-net`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";

const english = {
  hi: "Hello %s",
  dogs: { one: "%d dog", other: "%d dogs" },
  name: { missing: "The name is missing" },
};
const greek = {
  hi: "Γεια %s",
  dogs: { one: "%d σκύλος", other: "%d σκύλοι" },
  name: { missing: "Λείπει το όνομα" },
};

/** Validates that a tea has a name. The error message is a translation key. */
const teaSchema: fw.StandardSchema<{ name: string }> = {
  "~standard": {
    version: 1,
    vendor: "example",
    validate(value) {
      const name: unknown = Object(value).name;
      if (typeof name === "string" && name !== "") return { value: { name } };
      return { issues: [{ message: "name.missing", path: ["name"] }] };
    },
  },
};

/** Creates the application. */
export function newApp(): fw.Application {
  const app = fw.Default();
  const teas = [{ name: "Assam" }, { name: "Sencha" }];
  app.I18n.LoadKV({ en: english, el: greek }, "en", "el");

  app.Get("/", (ctx) => ctx.Text(ctx.Tr("hi", ctx.URLParamDefault("name", "Ada"))));
  app.Get("/cart", (ctx) => ctx.Text(ctx.Tr("dogs", ctx.URLParamIntDefault("dogs", 1))));

  // The client selects the format with its Accept header.
  app.Get("/teas", (ctx) => {
    ctx.Negotiation().JSON().XML().YAML().MsgPack();
    return ctx.Negotiate(teas);
  });
  // The content type of the request determines the format: JSON, XML, YAML, MessagePack or a form.
  app.Post("/teas", async (ctx) => {
    const [tea, error] = await ctx.ReadBody(teaSchema);
    if (error !== null) throw error;
    teas.push(tea);
    ctx.StatusCode(201);
    ctx.JSON(tea);
  });
  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
