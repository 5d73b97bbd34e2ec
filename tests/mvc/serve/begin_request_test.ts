import { assertEquals, assertGreater } from "@std/assert";
import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";
import * as timeout from "../../../src/middleware/timeout.ts";
import { inTime } from "../../in_time.ts";
import { ask, quietApp } from "../serve.ts";

/** A connection pool. Requests wait if all connections are in use. */
class Pool {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(size: number) {
    this.#free = size;
  }

  get free(): number {
    return this.#free;
  }

  async acquire(): Promise<void> {
    if (this.#free > 0) return void this.#free--;
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}

async function sleep(ms: number): Promise<void> {
  await new Promise((done) => setTimeout(done, ms));
}

/** Creates a controller that runs each request in a transaction. Its methods record their calls in `log`. */
function newTransactions(pool: Pool, log: string[]): new () => Record<never, never> {
  return class Transactions {
    async BeginRequest(): Promise<void> {
      await pool.acquire();
    }
    async Get(ctx: fw.Context): Promise<string> {
      log.push(`method ${ctx.URLParam("n")}`);
      await sleep(200);
      return "done";
    }
    EndRequest(ctx: fw.Context): void {
      log.push(`end ${ctx.GetStatusCode()}`);
      pool.release();
    }
  };
}

const limits: Record<string, (app: fw.Application) => void> = {
  "middleware/timeout": (app) => app.Use(timeout.New({ After: 300 })),
  "WithHandlerTimeout": (app) => app.Configure(fw.WithHandlerTimeout(300)),
};

for (const [name, limit] of Object.entries(limits)) {
  Deno.test(`EndRequest releases the connections that BeginRequest acquired, when ${name} ends the request`, async () => {
    await inTime(300, async (begin) => {
      const pool = new Pool(2);
      const log: string[] = [];
      const app = quietApp();
      limit(app);
      mvc.New(app).Handle(newTransactions(pool, log));
      await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, app.fetch);
      const url = `http://127.0.0.1:${server.addr.port}`;
      async function statusOf(n: number): Promise<number> {
        const response = await fetch(`${url}/?n=${n}`);
        await response.body?.cancel();
        return response.status;
      }
      const statuses = await Promise.all(Array.from({ length: 8 }, (_, n) => statusOf(n)));
      while (pool.free < 2) await sleep(10);
      assertGreater(statuses.filter((status) => status === 200).length, 1);
      assertGreater(statuses.filter((status) => status === 503).length, 1);
      begin();
      const after = await statusOf(8);
      while (pool.free < 2) await sleep(10);
      assertEquals(after, 200);
      assertEquals(log.filter((line) => line.startsWith("end")).length, 9);
    });
  });
}

Deno.test("A method does not run after a timeout in BeginRequest, but EndRequest does", async () => {
  const log: string[] = [];
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  class Slow {
    async BeginRequest(): Promise<void> {
      await begun.promise;
      log.push("begun");
    }
    Get(): void {
      log.push("method");
    }
    EndRequest(ctx: fw.Context): void {
      log.push(`ended ${ctx.GetStatusCode()}`);
      ended.resolve();
    }
  }
  const app = quietApp();
  app.Use(timeout.New({ After: 5 }));
  app.OnErrorCode(503, (ctx) => ctx.WriteString("late"));
  mvc.New(app).Handle(Slow);
  assertEquals((await ask(app, "/")).body, "late");
  begun.resolve();
  await ended.promise;
  assertEquals(log, ["begun", "ended 503"]);
});

Deno.test("A per-request value that is created after a timeout is disposed of", async () => {
  const opening = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<void>();
  async function connection(_ctx: fw.Context): Promise<Disposable> {
    await opening.promise;
    return { [Symbol.dispose]: () => closed.resolve() };
  }
  let calls = 0;
  class Using {
    Get(_connection = mvc.Inject(connection)): void {
      calls++;
    }
  }
  const app = quietApp();
  app.Use(timeout.New({ After: 5 }));
  mvc.New(app).Register(mvc.PerRequest(connection)).Handle(Using);
  assertEquals((await ask(app, "/")).status, 503);
  opening.resolve();
  await closed.promise;
  assertEquals(calls, 0);
});
