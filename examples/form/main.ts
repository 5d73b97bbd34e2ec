/**
 * Form fields, query parameters, numbers, checkboxes and lists.
 *
 * Run it with `deno task example form` and open http://localhost:8080, or use curl:
 *
 *     curl -d "message=hello" localhost:8080/form_post
 *     curl -F "message=hello" -F "nick=ada" localhost:8080/form_post
 *     curl -d "name=ada&message=hello" "localhost:8080/post?id=1234&page=2"
 *
 * Permissions: `--allow-net --allow-read=examples/form`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";

/** Creates the application. */
export function newApp(): fw.Application {
  const app = fw.Default();

  app.Get("/", (ctx) => ctx.ServeFile(new URL("./index.html", import.meta.url)));

  // The accessors work for URL-encoded and multipart forms alike.
  app.Post("/form_post", async (ctx) => {
    const message = await ctx.FormValue("message");
    const nick = await ctx.FormValueDefault("nick", "anonymous");
    ctx.JSON({ status: "posted", message, nick });
  });

  // Reads both the query and the body.
  app.Post("/post", async (ctx) => {
    const id = ctx.URLParam("id");
    const page = ctx.URLParamDefault("page", "0");
    const name = await ctx.FormValue("name");
    const message = await ctx.FormValue("message");
    ctx.Application().Logger().Infof("id: %s; page: %s; name: %s; message: %s", id, page, name, message);
  });

  // Typed fields. The error describes the problem and can be sent to the client.
  app.Post("/order", async (ctx) => {
    const [amount, error] = await ctx.PostValueInt("amount");
    if (error !== null) return ctx.StopWithError(400, error);
    const isGift = await ctx.PostValueBoolDefault("gift", false);
    ctx.JSON({ tea: await ctx.PostValueTrim("tea"), amount, isGift, extras: await ctx.PostValues("extra") });
  });

  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
