/**
 * Notes that appear in every open browser, with server-sent events and a WebSocket.
 *
 * Run it with `deno task example live`, open http://localhost:8080 in two windows and write a note. `curl -N
 * localhost:8080/notes` shows the events.
 *
 * Permissions: `--allow-net --allow-read=examples/live`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import { Wall } from "./wall.ts";

/** Creates the application. */
export function newApp(): fw.Application {
  const app = fw.Default();
  const wall = new Wall();
  const folder = new URL("./", import.meta.url);

  app.Get("/", (ctx) => ctx.ServeFile(new URL("index.html", folder)));

  // After a reconnection, the browser sends the ID of the last note it received, and receives the notes it missed.
  app.Get("/notes", (ctx) =>
    ctx.Events(async function* (lastID, signal) {
      for await (const note of wall.after(Number(lastID) || 0, signal)) {
        yield fw.NewEvent(note.text, { ID: String(note.id), Name: "note" });
      }
    }, { Retry: 1_000 }));

  app.Post("/notes", async (ctx) => {
    const text = await ctx.PostValue("text");
    if (text.trim() === "") return ctx.StopWithText(400, "Write something first");
    ctx.StatusCode(201);
    ctx.JSON(wall.add(text.slice(0, 200)));
  });

  // This is a plain WebSocket, as provided by Deno.
  app.Get("/shout", (ctx) => {
    const { socket, response } = Deno.upgradeWebSocket(ctx.Request(), { idleTimeout: 60 });
    socket.onmessage = ({ data }) => socket.send(String(data).slice(0, 200).toUpperCase());
    return response;
  });
  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
