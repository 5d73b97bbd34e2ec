/** Jobs in a Hono application. */
import * as jobs from "jsr:@fw/web/jobs";
import * as sqlite from "jsr:@fw/web/jobs/sqlite";
import { Hono } from "npm:hono@4";

const store = sqlite.New({ File: Deno.args[0] ?? "jobs.db" });
await store.Migrate();
function pack(tea: string, ctx: jobs.Context) {
  ctx.Logger().Info(`Packed ${tea}`);
}
const queue = jobs.New(store).Handle(pack);

const app = new Hono().post("/orders/:tea", async (c) => c.json(await queue.Add(pack, c.req.param("tea")), 202));
const server = Deno.serve({ port: Number(Deno.args[1] ?? 8080) }, app.fetch);
await queue.Run(); // until SIGINT or SIGTERM
await server.shutdown();
