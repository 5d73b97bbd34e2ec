/**
 * Jobs in an application: an order and its job are written in one transaction, a schedule counts the stock, and failed
 * jobs can be listed and retried.
 *
 * Run it with `deno task example jobs`, then order with `curl -X POST localhost:8080/orders/Assam`, look at
 * `curl localhost:8080/jobs`, and press Ctrl+C. The programs `hono.ts` and `serve.ts` use jobs without an fw
 * application.
 *
 * Permissions: `--allow-net --allow-read=. --allow-write=.`.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import * as fw from "jsr:@fw/web";
import * as jobs from "jsr:@fw/web/jobs";
import * as sqlite from "jsr:@fw/web/jobs/sqlite";
import * as mvc from "jsr:@fw/web/mvc";
import { z } from "npm:zod@^4";

/** The tables of the shop. Each process has its own connection. */
export class Shop {
  readonly database: DatabaseSync;

  constructor(file: string) {
    this.database = new DatabaseSync(file);
    this.database.exec("CREATE TABLE IF NOT EXISTS orders (id INTEGER PRIMARY KEY, tea TEXT, packed_by TEXT UNIQUE)");
  }

  add(tea: string): number {
    return Number(this.database.prepare("INSERT INTO orders (tea) VALUES (?)").run(tea).lastInsertRowid);
  }

  /** Marks an order as packed. A second attempt of the same job changes nothing. */
  pack(id: number, key: string): void {
    this.database.prepare("UPDATE orders SET packed_by = ? WHERE id = ? AND packed_by IS NULL").run(key, id);
  }

  open(): number {
    return Number(this.database.prepare("SELECT count(*) AS n FROM orders WHERE packed_by IS NULL").get()?.["n"]);
  }
}

/** Packs an order. */
class PackOrder {
  static Schema = z.object({ order: z.int(), tea: z.string() });
  #shop = mvc.Inject(Shop);

  Run({ order, tea }: z.output<typeof PackOrder.Schema>, ctx: jobs.Context) {
    if (tea === "Coffee") throw new jobs.PermanentError("This is a tea house");
    this.#shop.pack(order, ctx.Key);
    ctx.Logger().Infof("Packed %s", tea);
    return `${tea} is packed`;
  }
}

/** Counts the open orders. */
function countOrders(_data: unknown, ctx: jobs.Context, shop = mvc.Inject(Shop)) {
  ctx.Logger().Infof("%d orders are open", shop.open());
}

/** The application, its queue and the store of the jobs. */
export interface Site {
  readonly app: fw.Application;
  readonly queue: jobs.Queue;
  readonly store: jobs.Store;
}

/** Creates the application. Jobs run while its server runs. */
export function newApp(file: string): Site {
  const store = sqlite.New({ File: file });
  const app = fw.Default();
  const shop = new Shop(file);
  const queue = jobs.New(store).Register(shop).Handle(PackOrder, countOrders).RunWith(app);
  app.Post("/orders/{tea}", async (ctx) => {
    const tea = ctx.Params().Get("tea");
    const job = await sqlite.Transaction(shop.database, () => {
      const order = shop.add(tea);
      return queue.In(shop.database).Add(PackOrder, { order, tea }, { Key: `order-${order}` });
    });
    ctx.StatusCode(202);
    ctx.JSON({ job: job.ID });
  });
  app.Get("/jobs", async (ctx) => ctx.JSON(await queue.Stats()));
  app.Get("/jobs/failed", async (ctx) => ctx.JSON(await queue.List({ State: "failed" })));
  app.Get("/jobs/{id}", async (ctx) => {
    const job = await queue.Get(ctx.Params().Get("id"));
    return job === null ? ctx.NotFound() : ctx.JSON({ state: job.State, result: job.Result });
  });
  // In a real application, only operators may do this.
  app.Post("/jobs/{id}/retry", async (ctx) => ctx.JSON({ retried: await queue.Retry(ctx.Params().Get("id")) }));
  // The queue has stopped before shutdown tasks run.
  app.RegisterOnShutdown(async () => {
    shop.database.close();
    await store.Close();
  });
  return { app, queue, store };
}

if (import.meta.main) {
  const { app, queue, store } = newApp("shop.db");
  await store.Migrate();
  await queue.Schedule("0 * * * *", countOrders, null, { TimeZone: "Europe/Berlin", Missed: "skip" });
  await app.Run(fw.Addr(":8080"));
}
