/**
 * A site for testing sessions. As a program, it serves on a free port and prints it: `site.ts sqlite FILE` or `site.ts
 * redis URL PREFIX`.
 *
 * @module
 */
import * as fw from "../../../mod.ts";
import * as sessions from "../../../src/state/sessions/mod.ts";
import type { Store } from "../../../src/state/sessions/store.ts";
import { serve } from "./visitor.ts";

/** Creates the site with a store. */
export function newSite(store: Store): fw.Application {
  const manager = sessions.New({ Store: store, Expires: 600_000 });
  const app = fw.New();
  app.Get("/increment", async (ctx) => {
    ctx.WriteString(String((await manager.Start(ctx)).Increment("n")));
  });
  app.Get("/set/{key}", async (ctx) => {
    (await manager.Start(ctx)).Set(ctx.Params().Get("key"), true);
    ctx.WriteString("set");
  });
  app.Get("/all", async (ctx) => ctx.JSON((await manager.Start(ctx)).GetAll()));
  app.Get("/read", async (ctx) => {
    ctx.WriteString(String((await manager.Start(ctx)).Get("n")));
  });
  app.Get("/regenerate", async (ctx) => {
    ctx.WriteString((await manager.Start(ctx)).Regenerate());
  });
  return app;
}

/** A site in a separate process. */
export interface SiteProcess extends AsyncDisposable {
  readonly origin: string;
  /** Kills the process, as in a crash. */
  kill(): Promise<void>;
}

/** Starts the site in a separate process. */
export async function startSite(...args: string[]): Promise<SiteProcess> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", import.meta.filename ?? "", ...args],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  if (value === undefined) throw new Error("Cannot start the site: it exited without output");
  const kill = async () => {
    try {
      child.kill("SIGKILL");
    } catch {
      // The process has already exited.
    }
    await reader.cancel();
    await child.status;
  };
  return { origin: new TextDecoder().decode(value).trim(), kill, [Symbol.asyncDispose]: kill };
}

async function openStore(kind: string, place: string, prefix: string): Promise<Store> {
  if (kind === "sqlite") return (await import("../../../src/state/sessions/sqlite.ts")).New({ File: place });
  const { New } = await import("../../../src/state/sessions/redis.ts");
  const { newClient } = await import("../redis/clients.ts");
  return New(newClient(place), { Prefix: prefix, Timeout: 5000 });
}

if (import.meta.main) {
  const [kind = "", place = "", prefix = ""] = Deno.args;
  const { origin } = serve(newSite(await openStore(kind, place, prefix)).fetch);
  await Deno.stdout.write(new TextEncoder().encode(`${origin}\n`));
}
