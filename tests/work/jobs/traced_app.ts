/**
 * A program with a request that adds a job, which fails once. See `sight_test.ts`.
 *
 * @module
 */

import * as fw from "../../../mod.ts";
import * as jobs from "../../../src/work/jobs/mod.ts";

const done = Promise.withResolvers<void>();
const other = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () => new Response("other"));

async function work(_: unknown, ctx: jobs.Context): Promise<void> {
  if (ctx.Attempt === 1) throw new Error("not yet");
  await (await fetch(`http://127.0.0.1:${other.addr.port}/`)).text();
  done.resolve();
}

const queue = jobs.New(jobs.NewMemory(), { Backoff: () => 1 }).Handle(work);
const running = queue.Run();
const app = fw.New();
app.Post("/", async (ctx) => {
  await queue.Add(work);
  ctx.WriteString("added");
});
const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, app.fetch);
await (await fetch(`http://127.0.0.1:${server.addr.port}/`, { method: "POST" })).text();
await done.promise;
await queue.Shutdown();
await running;
await Promise.all([server.shutdown(), other.shutdown()]);
