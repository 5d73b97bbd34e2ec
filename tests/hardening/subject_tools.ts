/**
 * The part of the subject that offers some of its routes as tools. The others must not be reached through them.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as mcp from "@fw/web/mcp";
import * as methodoverride from "@fw/web/middleware/methodoverride";
import * as rewrite from "@fw/web/middleware/rewrite";
import * as mvc from "@fw/web/mvc";
import * as versioning from "@fw/web/versioning";
import { z } from "npm:zod@^4";
import { secret } from "./expect.ts";

/** The features that this part adds to the subject. */
export const toolFeatures: readonly string[] = ["tools"];

/** Adds the application with the tools. It is separate, because its catch-all and its wrappers concern every path. */
export function addTools(app: fw.Application): void {
  app.Mount("/tooled", toolApp().fetch);
}

function toolApp(): fw.Application {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.I18n.LoadKV({ "en-US": { hi: "hello" }, "el-GR": { hi: "geia" } }, "en-US", "el-GR");
  app.WrapRouter(methodoverride.New({ FormField: "_method", Headers: ["X-Method"] }));
  app.WrapRouter(rewrite.New({ Rules: [{ From: "/led/{rest:path}", To: "/{rest}" }] }));
  app.Get("/teas/{name}", (ctx) => ctx.WriteString(`tea ${ctx.Params().Get("name")}`)).SetName("tool_tea");
  app.Get("/teas/export", tell);
  app.Get("/files/{rest:path}", (ctx) => ctx.WriteString(`file ${ctx.Params().Get("rest")}`)).SetName("tool_file");
  app.Get("/files/keys", tell);
  app.Get("/{rest:path}", (ctx) => ctx.WriteString(`any ${ctx.Params().Get("rest")}`)).SetName("tool_any");
  app.Post("/ask", async (ctx) => {
    await mcp.CallOf(ctx)?.Elicit("constructor", "Your name?", z.object({ name: z.string() }));
    ctx.WriteString("asked");
  }).SetName("tool_ask");
  addOrders(app);
  addVersions(app);
  mcp.New(app, { Name: "tools", Routes: ({ Name }) => Name.startsWith("tool_"), Sessions: false });
  mcp.New(app, { Name: "sessions", Routes: ({ Name }) => Name === "tool_tea", Path: "/mcp-sessions" });
  return app;
}

/** Adds routes whose methods can be overridden. */
function addOrders(app: fw.Application): void {
  const named = z.looseObject({ name: z.string().optional() });
  const orders = app.ConfigureContainer();
  orders.Post("/orders", (_ctx, query = mvc.Query(named)) => `order ${query.name}`).SetName("tool_order");
  orders.Post("/forms", (_ctx, form = mvc.Form(named)) => `form ${form.name}`).SetName("tool_form");
  const head = z.object({ "x-method": z.string() });
  orders.Post("/heads", (_ctx, header = mvc.Header(head)) => `head ${header["x-method"]}`).SetName("tool_head");
  for (const path of ["/orders", "/forms", "/heads"]) app.Delete(path, tell);
}

function addVersions(app: fw.Application): void {
  const versions = app.Party("/versions");
  versions.Use(versioning.FromQuery("version", "1.0.0"));
  const asked = z.object({ version: z.string().optional() });
  versioning.NewGroup(versions, "1.x").ConfigureContainer().Get("/", (_ctx, query = mvc.Query(asked)) => query)
    .SetName("tool_version");
  versioning.NewGroup(versions, "2.x").Get("/", tell);
}

function tell(ctx: fw.Context): void {
  ctx.WriteString(secret);
}
