/**
 * A server in a separate process that accepts uploads and reports its CPU time and memory. Prints its port.
 */
import process from "node:process";

import * as fw from "../../../mod.ts";

const folder = Deno.args[0] ?? "";
const app = fw.New().Configure(fw.WithoutStartupLog);
app.Post("/", async (ctx) => {
  const [size, error] = await ctx.UploadFormFiles(folder);
  if (error !== null) throw error;
  ctx.WriteString(String(size));
});
app.Post("/form", async (ctx) => {
  const file = (await ctx.FormData()).get("file");
  ctx.WriteString(String(file instanceof File ? file.size : -1));
});
app.Post("/body", async (ctx) => {
  const [body, error] = await ctx.GetBody();
  if (error !== null) throw error;
  ctx.WriteString(String(body.length));
});
app.Get("/usage", (ctx) => {
  const { system, user } = process.cpuUsage();
  ctx.JSON({ processor: (system + user) / 1000, memory: Deno.memoryUsage().rss / 1e6 });
});
app.Configure(fw.WithOnListen((address) => {
  if ("port" in address) Deno.stdout.writeSync(new TextEncoder().encode(`port ${address.port}\n`));
}));
await app.Run(fw.Addr("127.0.0.1:0"));
