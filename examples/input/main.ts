/**
 * Input: the query, headers and cookies at once, a JSON body checked by a schema, and errors that programs understand.
 *
 * Run it with `deno task example input`, then ask `curl "localhost:8080/teas?limit=1"`,
 * `curl localhost:8080/teas --json '{"name":"Sencha","grams":50}'` and once more with `"grams":-1`.
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
    // A default counts when the parameter is absent or not a number.
    const limit = ctx.URLParamIntDefault("limit", 10);
    ctx.JSON(teas.slice(0, Math.max(limit, 0)));
  });

  app.Post("/teas", async (ctx) => {
    const [tea, error] = await ctx.ReadJSON(newTea);
    // Thrown as it is: 400 for what cannot be read, 415 for another type, 422 with the places that do not fit.
    if (error !== null) throw error;
    teas.push(tea);
    ctx.StatusCode(201);
    ctx.JSON(tea);
  });

  app.Get("/me", (ctx) => {
    ctx.SetCookie("seen", "yes", { MaxAge: 60_000 });
    ctx.JSON({ agent: ctx.GetHeader("user-agent"), seen: ctx.GetCookie("seen"), address: ctx.RemoteAddr() });
  });
  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
