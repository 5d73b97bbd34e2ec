/**
 * An application in a separate process with everything that takes time: uploads, downloads, streams, sockets and
 * sessions. The argument is its folder. It prints its port and the outcome of its requests.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as sessions from "@fw/web/sessions";
import * as sqlite from "@fw/web/sessions/sqlite";

const [folder = "", limit = "8000"] = Deno.args;
const app = fw.New();
app.Logger().SetTimeFormat("").SetOutput((line) => say(line));
const manager = sessions.New({ Store: sqlite.New({ File: `${folder}/sessions.db` }) });
const sockets = new Set<WebSocket>();

app.RegisterOnInterrupt(() => {
  for (const socket of sockets) socket.close(1001, "going away");
});
app.RegisterOnShutdown(() => say("closed"));

app.Get("/", (ctx) => ctx.WriteString("hello"));
app.Post("/upload", async (ctx) => {
  say("upload");
  const [bytes, error] = await ctx.UploadFormFiles(`${folder}/uploads`);
  say(`upload ${error === null ? bytes : "failed"}`);
  if (error !== null) throw error;
  ctx.JSON({ bytes });
});
app.Post("/form", async (ctx) => {
  say("form");
  try {
    ctx.WriteString(`${(await ctx.PostValue("a")).length}`);
  } finally {
    say("form over");
  }
});
app.Get("/download", async (ctx) => {
  await ctx.ServeFile(`${folder}/big.bin`);
});
app.Get("/stream/{count:int}", (ctx) => {
  const count = ctx.Params().GetIntDefault("count", 0);
  async function* lines(): AsyncGenerator<string> {
    try {
      for (let i = 1; i <= count; i++) {
        yield `line ${i}\n`;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    } finally {
      say("stream over");
    }
  }
  ctx.Stream(lines());
});
app.Get("/wait", async (ctx) => {
  say("wait");
  ctx.OnConnectionClose(() => say("gone"));
  await new Promise((resolve) => setTimeout(resolve, 400));
  ctx.WriteString("waited");
});
app.Get("/socket", (ctx) => {
  const { socket, response } = Deno.upgradeWebSocket(ctx.Request());
  sockets.add(socket);
  socket.onmessage = ({ data }) => socket.send(`echo ${data}`);
  socket.onclose = () => {
    sockets.delete(socket);
    say("socket over");
  };
  return response;
});
app.Get("/visit", async (ctx) => {
  const session = await manager.Start(ctx);
  ctx.WriteString(`${session.Increment("visits")}`);
});
app.Get("/stop", (ctx) => {
  app.Shutdown();
  ctx.WriteString("stopping");
});

await app.Run(
  fw.Addr("127.0.0.1:0"),
  fw.WithoutStartupLog,
  fw.WithShutdownTimeout(Number(limit)),
  fw.WithOnListen((address) => say("port" in address ? `port ${address.port}` : "open")),
);
say("end");

function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line.trimEnd()}\n`));
}
