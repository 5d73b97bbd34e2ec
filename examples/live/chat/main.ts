/**
 * A chat with WebSocket rooms, names from the session and a list of members.
 *
 * Run it with `deno task example live/chat` and open http://localhost:8080 in two windows.
 *
 * Permissions: `--allow-net --allow-read=examples/live/chat`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import * as live from "jsr:@fw/web/live";
import * as csrf from "jsr:@fw/web/middleware/csrf";
import * as mvc from "jsr:@fw/web/mvc";
import * as sessions from "jsr:@fw/web/sessions";
import * as websocket from "jsr:@fw/web/websocket";
import { serveChat } from "./chat_controller.ts";

/** Creates the application. */
export function newApp(): fw.Application {
  const app = fw.Default();
  const folder = new URL("./", import.meta.url);
  const manager = sessions.New();
  // To share rooms between machines, use `live.New({ Backplane: redis.New(client) })`.
  const hub = live.New();
  hub.Topic("tea", { History: 100, Namespace: "chat" });
  const server = websocket.New({
    Hub: hub,
    Sessions: manager,
    Rate: { Limit: 10, Period: 1_000 },
    Presence: (conn) => conn.Session()?.GetString("name"),
  });

  app.Use(csrf.New(), manager.Handler());
  app.Get("/", (ctx) => ctx.ServeFile(new URL("index.html", folder)));
  app.Get("/live.js", websocket.Client());
  app.Post("/login", async (ctx) => {
    const name = (await ctx.PostValue("name")).trim().slice(0, 20);
    if (name === "") return ctx.StopWithText(400, "Say your name first");
    const session = sessions.Get(ctx);
    session?.Regenerate(); // the ID from before the login is no longer valid
    session?.Set("name", name);
  });
  mvc.New(app.Party("/chat")).Register(server).Configure(serveChat);

  // The members change when a connection joins or leaves, in this process or another one.
  hub.Presence("tea", { Namespace: "chat" }).Watch(({ Members }) => {
    void server.To("tea", { Namespace: "chat" }).Emit("members", Members.map(({ Info }) => Info).sort());
  });
  app.RegisterOnShutdown(() => hub.Close());
  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
