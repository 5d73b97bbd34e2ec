/**
 * Pages built from templates: one layout, partials, blocks, a function of our own, a page for errors.
 *
 * Run it with `deno task example views` and open http://localhost:8080.
 *
 * Permissions: `--allow-net --allow-read=examples/views`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import { teas } from "./teas.ts";

/** Creates the application. */
export function newApp(): fw.Application {
  const app = fw.Default();

  // A URL and not a path, so that the pages are found from any working directory and inside a compiled program.
  app.RegisterView(
    fw.HTML(new URL("./views/", import.meta.url))
      .Layout("layouts/main")
      .AddFunc("price", (cents: number) => `€ ${(cents / 100).toFixed(2)}`)
      .Reload(Deno.args.includes("--reload")),
  );

  // For every page, that of errors too: the layout marks where in the menu we are.
  app.UseRouter((ctx) => {
    ctx.ViewData("Path", ctx.Path());
    return ctx.Next();
  });
  app.OnErrorCode(404, (ctx) => ctx.View("error", { Path: ctx.Path() }));

  app.Get("/style.css", (ctx) => ctx.ServeFile(new URL("./public/style.css", import.meta.url)));
  app.Get("/", (ctx) => ctx.View("index", { Teas: teas }));
  app.Get("/about", (ctx) => ctx.View("about"));
  app.Get("/teas/{id:int}", (ctx) => {
    const tea = teas.find(({ Id }) => Id === ctx.Params().GetIntDefault("id", 0));
    return tea === undefined ? ctx.NotFound() : ctx.View("teas/show", { Tea: tea });
  });

  // The partial alone, as a script of the page would fetch it.
  app.Get("/teas/{id:int}/card", (ctx) => {
    const tea = teas.find(({ Id }) => Id === ctx.Params().GetIntDefault("id", 0));
    ctx.ViewLayout(fw.NoLayout);
    return tea === undefined ? ctx.StopWithText(404, "No such tea") : ctx.View("partials/card", { Tea: tea });
  });

  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
