/** Logs within a request, to test what Deno exports. */

import * as fw from "../../../mod.ts";

const app = fw.New().Configure(fw.WithoutStartupLog);
app.Logger().SetFormat("json");
app.Get("/", (ctx) => {
  ctx.Logger().Warn("logged within a request");
  ctx.WriteString("served");
});
app.Configure(fw.WithOnListen(async (address) => {
  await (await fetch(`http://127.0.0.1:${(address as Deno.NetAddr).port}/`)).text();
  await app.Shutdown();
}));
await app.Run(fw.Addr("127.0.0.1:0"));
