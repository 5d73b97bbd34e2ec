/**
 * Two processes on one port that share sessions in Redis.
 *
 * Run it with `REDIS_URL=redis://127.0.0.1:6379 deno task example sessions/redis`, then run these a few times: `curl -c
 * jar -d name=ada localhost:8080/login` and `curl -b jar localhost:8080`.
 *
 * Permissions: `--allow-net --allow-run --allow-env=REDIS_URL,PORT --unstable-net`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";
import * as sessions from "jsr:@fw/web/sessions";
import * as redis from "jsr:@fw/web/sessions/redis";
import { createClient } from "npm:@redis/client@^5";

/** Creates the application with a session store. */
export function newApp(Store: sessions.Store): fw.Application {
  const app = fw.Default();
  const manager = sessions.New({ Store, Expires: 60 * 60 * 1000 });

  app.Post("/login", async (ctx) => {
    const session = await manager.Start(ctx);
    session.Regenerate();
    session.Set("name", await ctx.PostValue("name"));
    ctx.JSON({ process: Deno.pid });
  });

  app.Get("/", async (ctx) => {
    const session = await manager.Start(ctx);
    ctx.JSON({ process: Deno.pid, name: session.GetString("name"), visits: session.Increment("visits") });
  });

  return app;
}

/**
 * Starts a server. The operating system distributes connections among the processes that share the port, which requires
 * a Deno flag.
 */
async function serve(): Promise<void> {
  const client = createClient({ url: Deno.env.get("REDIS_URL") ?? "redis://127.0.0.1:6379" });
  const store = redis.New(client);
  await client.connect();
  await newApp(store).Run(fw.Addr(`:${Deno.env.get("PORT") ?? "8080"}`), fw.WithSocketSharding);
  // The store does not close the client, because the application has created it.
  await store.Close?.();
  await client.close();
}

/** Starts two copies of this program and waits for them. */
async function serveTwice(): Promise<void> {
  const flags = ["--allow-net", "--allow-env=REDIS_URL,PORT", "--unstable-net"];
  const args = ["run", ...flags, import.meta.filename ?? "", "serve"];
  const children = [1, 2].map(() => new Deno.Command(Deno.execPath(), { args }).spawn());
  Deno.addSignalListener("SIGTERM", () => children.forEach((child) => child.kill("SIGTERM")));
  // A terminal sends Ctrl+C to all three processes. This one must not exit before its children.
  Deno.addSignalListener("SIGINT", () => {});
  await Promise.all(children.map((child) => child.status));
  Deno.exit();
}

if (import.meta.main) await (Deno.args.includes("serve") ? serve() : serveTwice());
