/**
 * Serves static files with a listing, a video that browsers load in ranges, and a single-page application.
 *
 * Run it with `deno task example static`. Then open
 * http://localhost:8080/files/, http://localhost:8080/films/ and http://localhost:8080/app/any/path.
 *
 * Permissions: `--allow-net --allow-read=examples/static`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";

/** Creates the application. */
export function newApp(): fw.Application {
  const app = fw.Default();
  // Listings are off by default. Hidden files and files outside the folder are never served.
  app.HandleDir("/files", new URL("./files", import.meta.url), { ShowList: true });
  // Range requests work without any option, so browsers can seek in the video.
  app.HandleDir("/films", new URL("./films", import.meta.url));
  // Paths without a file get the index page, so that the application can route in the browser.
  app.HandleDir("/app", new URL("./app", import.meta.url), { SPA: true });
  app.Get("/", (ctx) => ctx.Redirect("/files/"));
  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
