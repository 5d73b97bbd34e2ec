/** The server for the `crowd` benchmark, either fw or an equivalent plain `Deno.serve`. Prints its port. */

import * as fw from "../../mod.ts";

const [kind] = Deno.args;

async function* lines(): AsyncGenerator<string> {
  for (;;) {
    yield `${"x".repeat(1_000)}\n`;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function raw(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (pathname === "/form") return new Response(`${(await request.bytes()).length}`);
  if (pathname === "/stream") return new Response(ReadableStream.from(lines()).pipeThrough(new TextEncoderStream()));
  return new Response("pong");
}

function tell(address: Deno.Addr): void {
  if ("port" in address) Deno.stdout.writeSync(new TextEncoder().encode(`${address.port}\n`));
}

if (kind === "raw") Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: tell }, raw);
else {
  const app = fw.New();
  app.Get("/ping", (ctx) => ctx.WriteString("pong"));
  app.Post("/form", async (ctx) => ctx.WriteString(`${(await ctx.GetBody())[0]?.length}`));
  app.Get("/stream", (ctx) => ctx.Stream(lines()));
  await app.Run(fw.Addr("127.0.0.1:0"), fw.WithoutStartupLog, fw.WithOnListen(tell));
}
