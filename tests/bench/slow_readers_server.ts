/** The server for the `slow_readers` benchmark, either fw or an equivalent plain `Deno.serve`. Prints its port. */

import * as fw from "../../mod.ts";

const [kind, path = ""] = Deno.args;

async function raw(): Promise<Response> {
  const file = await Deno.open(path);
  const { size } = await file.stat();
  return new Response(file.readable, { headers: { "content-length": String(size) } });
}

function tell(address: Deno.Addr): void {
  if ("port" in address) Deno.stdout.writeSync(new TextEncoder().encode(`${address.port}\n`));
}

if (kind === "raw") Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: tell }, raw);
else {
  const app = fw.New();
  app.Get("/", (ctx) => ctx.ServeFile(path));
  await app.Run(fw.Addr("127.0.0.1:0"), fw.WithoutStartupLog, fw.WithOnListen(tell));
}
