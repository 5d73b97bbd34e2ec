/** Jobs next to `Deno.serve`. */
import * as jobs from "jsr:@fw/web/jobs";
import * as sqlite from "jsr:@fw/web/jobs/sqlite";

const store = sqlite.New({ File: Deno.args[0] ?? "jobs.db" });
await store.Migrate();
function pack(tea: string, ctx: jobs.Context) {
  ctx.Logger().Info(`Packed ${tea}`);
}
const queue = jobs.New(store).Handle(pack);

const server = Deno.serve({ port: Number(Deno.args[1] ?? 8080) }, async (request) => {
  return Response.json(await queue.Add(pack, new URL(request.url).pathname.slice(1)), { status: 202 });
});
await queue.Run(); // until SIGINT or SIGTERM
await server.shutdown();
