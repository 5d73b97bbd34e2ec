/**
 * A process behind a load balancer: `deno run -A site.ts ADDRESS DRAIN_DELAY`. Prints a line when it is listening.
 */

import * as fw from "../../mod.ts";
import * as health from "../../src/middleware/health/mod.ts";

const [address = "", delay = "0", trust = "127.0.0.1"] = Deno.args;
const app = fw.New().Configure(
  fw.WithoutStartupLog,
  fw.WithDrainDelay(Number(delay)),
  fw.WithProxy({ Trust: [trust] }),
);
health.New({ MaxAge: 0 }).Register(app);
app.Get("/", async (ctx) => {
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 10));
  ctx.WriteString("served");
});
app.Post("/", async (ctx) => ctx.JSON(await ctx.FormValue("a")));
app.Get("/pid", (ctx) => ctx.WriteString(String(Deno.pid)));
app.Get(
  "/seen",
  (ctx) => ctx.JSON({ address: ctx.RemoteAddr(), host: ctx.Host(), scheme: ctx.Scheme(), cookie: ctx.GetCookie("c") }),
);
app.Get("/events", (ctx) =>
  ctx.Events(async function* () {
    for (const text of ["one", "two", "three"]) {
      yield text;
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
  }));
app.Configure(fw.WithOnListen(() => void Deno.stdout.writeSync(new TextEncoder().encode("listening\n"))));
await app.Run(address.startsWith("/") ? fw.Unix(address) : fw.Addr(address));
