/**
 * Reads the query, headers, cookies and a JSON body validated by a schema.
 *
 * Run it with `deno task example input`, then try `curl "localhost:8080/teas?limit=1"`, `curl localhost:8080/teas
 * --json '{"name":"Sencha","grams":50}'` and the same with `"grams":-1`.
 *
 * Permissions: `--allow-net`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import { z } from "npm:zod@^4";

const newTea = z.object({ name: z.string().min(2), grams: z.number().int().positive() });

/** Creates the application. */
export function newApp(): fw.Application {
  const app = fw.Default();
  const teas = [{ name: "Assam", grams: 100 }, { name: "Gyokuro", grams: 40 }];

  app.Get("/teas", (ctx) => {
    // The default applies if the parameter is missing or not a number.
    const limit = ctx.URLParamIntDefault("limit", 10);
    ctx.JSON(teas.slice(0, Math.max(limit, 0)));
  });

  app.Post("/teas", async (ctx) => {
    const [tea, error] = await ctx.ReadJSON(newTea);
    // Responds with 400 if the body is malformed, 415 for another content type, and 422 with the validation errors.
    if (error !== null) throw error;
    teas.push(tea);
    ctx.StatusCode(201);
    ctx.JSON(tea);
  });

  app.Get("/me", (ctx) => {
    const seen = ctx.GetCookie("seen");
    ctx.SetCookie("seen", "yes", { MaxAge: 60_000 });
    ctx.JSON({ agent: ctx.GetHeader("user-agent"), seen, address: ctx.RemoteAddr() });
  });
  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
