/**
 * An application with sessions and rate limits in SQLite files, for several threads (`deno serve --parallel`) or
 * processes (the argument `sharded` with an address). The folder is an environment variable.
 *
 * @module
 */

import * as fw from "@fw/web";
import * as ratelimit from "@fw/web/middleware/ratelimit";
import * as sessions from "@fw/web/sessions";
import * as sessionFile from "@fw/web/sessions/sqlite";
import * as storeFile from "@fw/web/store/sqlite";

const folder = Deno.env.get("FOLDER") ?? ".";
const member = crypto.randomUUID();
const app: fw.Application = fw.New();
const store = storeFile.New({ File: `${folder}/shared.db` });
const manager = sessions.New({ Store: sessionFile.New({ File: `${folder}/sessions.db` }) });
app.Logger().SetLevel("warn");
app.Configure(fw.WithOnListen((address) => say("port" in address ? `port ${address.port}` : "open")));
app.Get("/member", (ctx) => ctx.WriteString(member));
app.Get("/visit", async (ctx) => {
  const session = await manager.Start(ctx);
  ctx.WriteString(`${session.Increment("visits")}`);
});
app.Get("/rare", ratelimit.New({ Limit: 10, Period: 3_600_000, Store: store }), (ctx) => ctx.WriteString("ok"));

export default app;

const [mode, address = ""] = Deno.args;
if (mode === "sharded") await app.Run(fw.Addr(address), fw.WithSocketSharding, fw.WithoutStartupLog);

// The console is not used, because --parallel adds the name of the thread to it.
function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
