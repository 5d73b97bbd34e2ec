/**
 * HTML templates with a layout, partials, blocks, a custom function and an error page.
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

  // A URL instead of a path, so that templates are found from any working directory and in a compiled binary.
  app.RegisterView(
    fw.HTML(new URL("./views/", import.meta.url))
      .Layout("layouts/main")
      .AddFunc("price", (cents: number) => `€ ${(cents / 100).toFixed(2)}`)
      .Reload(Deno.args.includes("--reload")),
  );

  // Runs for every page, including error pages, because the layout highlights the current menu entry.
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

  // Renders only the partial, for a script that updates the page.
  app.Get("/teas/{id:int}/card", (ctx) => {
    const tea = teas.find(({ Id }) => Id === ctx.Params().GetIntDefault("id", 0));
    ctx.ViewLayout(fw.NoLayout);
    return tea === undefined ? ctx.StopWithText(404, "No such tea") : ctx.View("partials/card", { Tea: tea });
  });

  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
