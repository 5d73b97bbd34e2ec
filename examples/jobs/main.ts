/**
 * Background work with jobs in a table and a worker that stops with the server. No jobs are lost.
 *
 * Run it with `deno task example jobs`, then order with `curl -X POST localhost:8080/orders/Assam` and press Ctrl+C.
 *
 * Permissions: `--allow-net --allow-read=. --allow-write=.`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import { Queue } from "./queue.ts";
import { startWorker } from "./worker.ts";

/** Creates the application. It only adds jobs, so tests of its routes do not run any. */
export function newApp(queue: Queue = new Queue(":memory:")): fw.Application {
  const app = fw.Default();
  app.Post("/orders/{tea}", (ctx) => {
    // In a real application, the order and its job are written in one transaction.
    const id = queue.add(ctx.Params().Get("tea"));
    ctx.StatusCode(202);
    ctx.JSON({ id });
  });
  app.Get("/jobs", (ctx) => ctx.JSON({ open: queue.size() }));
  return app;
}

if (import.meta.main) {
  const queue = new Queue("jobs.db");
  const app = newApp(queue);
  // This task is registered first so that it runs last, because the worker still needs the database.
  app.RegisterOnShutdown(() => queue.close());
  startWorker(app, queue, (tea) => app.Logger().Infof("Packed an order: %s", tea));
  await app.Run(fw.Addr(":8080"));
}
