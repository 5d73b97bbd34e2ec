/**
 * An application that prints its port as soon as it listens.
 *
 * @module
 */

import * as fw from "../../../mod.ts";

const app = fw.New();
app.Get("/", (ctx) => ctx.WriteString("ok"));
await app.Run(
  fw.Addr("127.0.0.1:0"),
  fw.WithOnListen((address) =>
    void Deno.stdout.writeSync(new TextEncoder().encode(`port ${(address as Deno.NetAddr).port}\n`))
  ),
);
