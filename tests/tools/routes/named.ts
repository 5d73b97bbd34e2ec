/**
 * A program with a named route.
 *
 * @module
 */

import * as fw from "@fw/web";

/** The application. */
export const app: fw.Application = fw.New();
app.Get("/users/{id:long}", (ctx) => ctx.WriteString(ctx.Params().Get("id"))).SetName("user");
