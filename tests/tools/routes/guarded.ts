/**
 * A program with guards.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as auth from "@fw/web/middleware/auth";

/** The application. */
export const app: fw.Application = fw.New();
app.Get("/notes", function list(ctx) {
  ctx.JSON([]);
});
app.Post("/notes", function add(ctx) {
  ctx.JSON({});
});
app.Delete("/notes/{id:int}", auth.Allow("admin"), function remove(ctx) {
  ctx.JSON({});
});
