/**
 * The part of the subject that combines features: guards and catch-alls, mounted applications, rewritten paths.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as cache from "@fw/web/middleware/cache";
import * as ipfilter from "@fw/web/middleware/ipfilter";
import * as rewrite from "@fw/web/middleware/rewrite";
import { secret } from "./expect.ts";
import type { Grounds } from "./grounds.ts";

/** The features that this part adds to the subject. */
export const crossingFeatures: readonly string[] = [
  "executed routes",
  "full URLs",
  "joined files",
  "mounted filters",
  "mounts",
  "owned folders",
  "owned parameters",
  "owned prefixes",
  "rewritten queries",
];

/** Adds the routes. */
export function addCrossings(app: fw.Application, grounds: Grounds): void {
  app.Get("/owned/{f:path}", (ctx) => ctx.WriteString(secretBelow("admin", ctx.Params().Get("f"))));
  app.Party("/owned/admin").Use(deny);
  app.Get("/single/{a}", (ctx) => ctx.WriteString(secretBelow("admin", ctx.Params().Get("a"))));
  app.Get("/single/{a}/{b}", (ctx) => ctx.WriteString(secretBelow("admin", ctx.Params().Get("a"))));
  app.Party("/single/admin").Use(deny);
  app.HandleDir("/grove", grounds.publicFolder);
  app.Party("/grove/sub").UseRouter(deny);
  app.Mount("/mounted", (request) => {
    const { pathname } = new URL(request.url);
    return new Response(/^\/+admin(?:\/|$)/.test(pathname) ? secret : pathname);
  });
  app.Party("/mounted/admin").Use(deny);
  app.Mount("/filtered", filtered().fetch);
  app.Get("/executed", (ctx) => ctx.Exec("GET", ctx.URLParam("to")));
  const routed = app.Party("/routed");
  routed.UseRouter(deny);
  routed.Get("/keys", (ctx) => ctx.WriteString(secret));
  app.Get("/joined", (ctx) => ctx.ServeFile(`${grounds.publicFolder}/${ctx.URLParam("f")}`));
  app.Get("/joined/sent", (ctx) => ctx.SendFile(`${grounds.publicFolder}/${ctx.URLParam("f")}`));
  app.Get("/full", (ctx) => ctx.WriteString(`${ctx.Host()} ${ctx.FullRequestURI()}`));
  app.WrapRouter(rewrite.New({
    Rules: [{ From: "/look/{name}", To: "/looked?name={name}" }, { From: "/led/{rest:path}", To: "/owned/{rest}" }],
  }));
  app.Get("/looked", (ctx) => ctx.JSON(ctx.URLParams()));
  app.Get("/mirrored/{rest:path}", cache.New({ MaxAge: 60_000 }), (ctx) => ctx.WriteString(ctx.Params().Get("rest")));
}

function deny(ctx: fw.Context): void | Promise<void> {
  return ctx.GetHeader("x-key") === "open" ? ctx.Next() : ctx.StopWithStatus(403);
}

/** Creates a separate application that blocks requests from this machine. */
function filtered(): fw.Application {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.Use(ipfilter.New({ Deny: ["127.0.0.0/8", "::1"] }));
  app.Get("/", (ctx) => ctx.WriteString(secret));
  return app;
}

function secretBelow(name: string, path: string): string {
  return path === name || path.startsWith(`${name}/`) ? secret : "open";
}
