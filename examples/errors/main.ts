/**
 * Errors: for clients, for developers, and pages of one's own.
 *
 * Run it with `deno task example errors`. Open
 * http://localhost:8080/broken and http://localhost:8080/brken in a browser, then ask
 * `curl -i localhost:8080/orders/9 -H "accept: application/json"`.
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

/** Creates the application; `isDevelopment` shows the developer what a client must not see. */
export function newApp(isDevelopment = false): fw.Application {
  const app = fw.Default();
  if (isDevelopment) app.Configure(fw.WithDevelopment);

  // Made for the client: a status and a message.
  app.Get("/taken", () => {
    throw new fw.HTTPError(409, "That name is taken");
  });
  // With details that programs understand (RFC 9457).
  app.Get("/orders/{id:int}", (ctx) =>
    ctx.Problem({
      Type: "https://example.com/problems/out-of-stock",
      Title: "Out of stock",
      Status: 409,
      Extensions: { order: ctx.Params().GetIntDefault("id", 0) },
    }));
  // Anything else is a bare 500 outside, and everything in the log.
  app.Get("/broken", () => {
    throw new Error("The kettle is cold");
  });
  // A page of one's own, for one part of the site. In development a path without a route shows the developer's page.
  const shop = app.Party("/shop");
  shop.OnErrorCode(404, (ctx) => ctx.HTML(page("No such tea", "<a href='/shop'>Back to the shelf</a>")));
  shop.Get("/", (ctx) => ctx.HTML(page("The shelf", "It is empty. <a href='/shop/assam'>Ask for Assam</a>.")));
  shop.Get("/{tea}", (ctx) => ctx.NotFound());

  // Programs get problem details, whatever pages the site has.
  const api = app.Party("/api");
  api.OnAnyErrorCode(fw.WriteProblem);
  return app;
}

if (import.meta.main) await newApp(true).Run(fw.Addr(":8080"));
