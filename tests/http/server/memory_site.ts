/**
 * An application with sessions in memory, for `deno serve --parallel`. Prints its warnings.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as sessions from "@fw/web/sessions";

const app: fw.Application = fw.New();
app.Logger().SetLevel("warn").SetTimeFormat("").SetOutput((line) =>
  Deno.stdout.writeSync(new TextEncoder().encode(`${line.trimEnd()}\n`))
);
app.Configure(
  fw.WithOnListen((address) =>
    Deno.stdout.writeSync(new TextEncoder().encode(`port ${(address as Deno.NetAddr).port}\n`))
  ),
);
app.Use(sessions.New().Handler());
app.Get("/", (ctx) => ctx.WriteString("hello"));

export default app;
