/**
 * A server in a separate process that writes an access log: `server.ts FILE`. Prints its port.
 *
 * @module
 */

import * as fw from "../../../mod.ts";
import * as accesslog from "../../../src/middleware/accesslog/mod.ts";

const [File = ""] = Deno.args;
const log = accesslog.New({ File, Format: "json", MaxFile: 200_000, MaxFiles: 100 });
const app = fw.New();
app.UseRouter(log.Handler());
app.Get("/{n:int}", (ctx) => ctx.WriteString(ctx.Params().Get("n")));
app.Get("/later/{n:int}", async (ctx) => {
  await new Promise((resolve) => setTimeout(resolve, 5));
  ctx.WriteString(ctx.Params().Get("n"));
});
await app.Run(
  "127.0.0.1:0",
  fw.WithoutStartupLog,
  fw.WithLogLevel("error"),
  fw.WithOnListen((address) =>
    Deno.stdout.writeSync(new TextEncoder().encode(`port ${(address as Deno.NetAddr).port}\n`))
  ),
);
