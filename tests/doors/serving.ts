/**
 * Serves the application of a door on a free port.
 *
 * @module
 */

import * as fw from "@fw/web";
import type { Journal } from "./desk.ts";
import type { Caller, Entrance } from "./door.ts";

/** Runs an application while a function calls it, and shuts it down afterwards. */
export async function serving(
  app: fw.Application,
  journal: Journal,
  callerFor: (port: number) => Caller | Pick<Entrance, "call" | "ask">,
  run: (entrance: Entrance) => Promise<void>,
): Promise<void> {
  const listening = Promise.withResolvers<number>();
  const running = app.Run(
    fw.Addr("127.0.0.1:0"),
    fw.WithoutStartupLog,
    fw.WithoutInterruptHandler,
    fw.WithOnListen((address) => listening.resolve((address as Deno.NetAddr).port)),
  );
  running.catch(listening.reject);
  try {
    const caller = callerFor(await listening.promise);
    const calls = typeof caller === "function" ? { call: caller, ask: caller } : caller;
    await run({ ...calls, journal, stop: () => app.Shutdown() });
  } finally {
    await app.Shutdown();
    await running;
  }
}
