import { assertEquals, assertStringIncludes } from "@std/assert";
import * as fw from "../../../mod.ts";
import { logged, overSocket } from "../../serving.ts";

/** Opens a WebSocket, sends a message and returns the reply. */
function echo(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`);
    let heard = "";
    socket.onopen = () => socket.send("word");
    socket.onmessage = (event) => {
      heard = String(event.data);
      socket.close();
    };
    socket.onclose = () => resolve(heard);
    socket.onerror = () => reject(new Error("the handshake failed"));
  });
}

function upgrade(ctx: fw.Context): Response {
  const { socket, response } = Deno.upgradeWebSocket(ctx.Request());
  socket.onmessage = (event) => socket.send(event.data);
  return response;
}

/** Actions that middleware may take after the handler has upgraded the connection. */
const after: Readonly<Record<string, (ctx: fw.Context) => void>> = {
  "does nothing": () => {},
  throws: () => {
    throw new Error("too late");
  },
  "throws an HTTPError": () => {
    throw new fw.HTTPError(403, "no");
  },
  "writes a body": (ctx) => ctx.WriteString("half"),
  "writes JSON and a header": (ctx) => (ctx.JSON({ a: 1 }), ctx.Header("x-a", "b")),
  "stops with an error": (ctx) => ctx.StopWithError(500, new Error("no")),
  "sets a status": (ctx) => ctx.StatusCode(404),
  "sets a cookie": (ctx) => ctx.SetCookie("a", "b"),
  "asks for the address": (ctx) => ctx.WriteString(ctx.RemoteAddr()),
  "reads a header": (ctx) => ctx.WriteString(ctx.GetHeader("user-agent")),
};

for (const [name, act] of Object.entries(after)) {
  for (const kind of ["synchronous", "asynchronous"]) {
    Deno.test(`Application returns the response of an upgrade if ${kind} middleware ${name}`, async () => {
      const { app, lines } = logged(fw.Default());
      app.Get("/", (ctx) => ctx.WriteString("alive"));
      app.Use(
        kind === "synchronous" ? (ctx) => (ctx.Next(), act(ctx)) : async (ctx) => {
          await ctx.Next();
          act(ctx);
        },
      );
      app.OnAnyErrorCode((ctx) => ctx.WriteString("error page"));
      app.Get("/ws", kind === "synchronous" ? upgrade : (ctx) => Promise.resolve(upgrade(ctx)));
      await overSocket(app, async (ask, port) => {
        assertEquals(await echo(port, "/ws"), "word");
        assertEquals((await ask("/")).text, "alive");
      });
      if (name === "does nothing") {
        assertEquals(lines.filter((line) => line.includes("ERRO")), []);
        assertStringIncludes(lines.join("\n"), "101");
        assertStringIncludes(lines.join("\n"), "127.0.0.1");
      }
      if (name === "throws") assertStringIncludes(lines.join("\n"), "too late");
    });
  }
}
