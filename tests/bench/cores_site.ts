/**
 * The application for the `cores` benchmark. It is the default export for `deno serve`, and can be run with an address.
 */

import * as fw from "../../mod.ts";

const app: fw.Application = fw.New();
app.Configure(fw.WithOnListen((address) => {
  if ("port" in address) Deno.stdout.writeSync(new TextEncoder().encode(`${address.port}\n`));
}));
app.Logger().SetLevel("disable");
app.Get("/work", (ctx) => {
  let sum = 0;
  for (let i = 0; i < 200_000; i++) sum += Math.sqrt(i);
  ctx.WriteString(`${Math.round(sum)}`);
});

export default app;

const [address] = Deno.args;
if (address !== undefined) await app.Run(fw.Addr(address), fw.WithSocketSharding);
