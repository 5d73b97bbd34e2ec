/**
 * Error responses for clients, error pages for developers, and custom error pages.
 *
 * Run it with `deno task example errors`. Open http://localhost:8080/broken and http://localhost:8080/brken in a
 * browser, then try `curl -i localhost:8080/orders/9 -H "accept: application/json"`.
 *
 * Permissions: `--allow-net --allow-read=examples/errors`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";

function page(title: string, text: string): string {
  return `<!doctype html>
<html lang="en">
  <meta name="viewport" content="width=device-width">
  <style>:root { color-scheme: light dark; font: 1.1rem/1.6 system-ui; margin: 3rem auto; width: min(36rem, 90vw) }</style>
  <title>${title}</title>
  <h1>${title}</h1>
  <p>${text}</p>
</html>`;
}

/** Creates the application. `isDevelopment` turns on error pages with details that clients must not see. */
export function newApp(isDevelopment = false): fw.Application {
  const app = fw.Default();
  if (isDevelopment) app.Configure(fw.WithDevelopment);

  // An error for the client, with a status and a message.
  app.Get("/taken", () => {
    throw new fw.HTTPError(409, "That name is taken");
  });
  // Problem details that programs can parse (RFC 9457).
  app.Get("/orders/{id:int}", (ctx) =>
    ctx.StopWithProblem({
      Type: "https://example.com/problems/out-of-stock",
      Title: "Out of stock",
      Status: 409,
      Extensions: { order: ctx.Params().GetIntDefault("id", 0) },
    }));
  // Any other error is logged, and the client receives a plain 500 response.
  app.Get("/broken", () => {
    throw new Error("The kettle is cold");
  });
  // A custom error page for one part of the site. In development, unknown paths show the developer's page instead.
  const shop = app.Party("/shop");
  shop.OnErrorCode(404, (ctx) => ctx.HTML(page("No such tea", "<a href='/shop'>Back to the shelf</a>")));
  shop.Get("/", (ctx) => ctx.HTML(page("The shelf", "It is empty. <a href='/shop/assam'>Ask for Assam</a>.")));
  shop.Get("/{tea}", (ctx) => ctx.NotFound());

  // Clients that accept JSON receive problem details, even if there is a custom page.
  const api = app.Party("/api");
  api.OnAnyErrorCode(fw.WriteProblem);
  return app;
}

if (import.meta.main) await newApp(true).Run(fw.Addr(":8080"));
