/**
 * An application with a limit of 50 requests. As a program, it serves on a free port and prints its origin: `limited.ts
 * PLACE`.
 *
 * @module
 */
import * as fw from "../../mod.ts";
import * as ratelimit from "../../src/middleware/ratelimit.ts";
import type { Store } from "../../src/state/store/store.ts";
import { openStore, type Place } from "../state/store/place.ts";

/** Creates the application with a store. */
export function newLimited(store: Store): fw.Application {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.Use(ratelimit.New({ Limit: 50, Period: 3_600_000, Store: store }));
  app.Get("/", (ctx) => ctx.WriteString("in"));
  return app;
}

/** Starts the application in a separate process. */
export async function startLimited(place: Place): Promise<AsyncDisposable & { origin: string }> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", import.meta.filename ?? "", JSON.stringify(place)],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  return {
    origin: new TextDecoder().decode(value).trim(),
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await reader.cancel();
      await child.status;
    },
  };
}

if (import.meta.main) {
  const app = newLimited(openStore(JSON.parse(Deno.args[0] ?? "{}")));
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, app.fetch);
  await Deno.stdout.write(new TextEncoder().encode(`http://127.0.0.1:${server.addr.port}\n`));
}
