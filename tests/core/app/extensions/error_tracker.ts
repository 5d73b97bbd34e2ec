/**
 * An error tracker: failures are collected and sent in batches, also those of jobs.
 *
 * @module
 */

import type { Extension } from "@fw/web";

/** A failure, as it is sent. */
export interface TrackedError {
  readonly Path: string;
  readonly Message: string;
}

/** Options of {@linkcode errorTracker}. */
export interface TrackerOptions {
  readonly Send: (batch: readonly TrackedError[]) => Promise<void>;
  readonly MaxKept?: number;
}

/** Creates the extension. */
export function errorTracker(options: TrackerOptions): Extension {
  return {
    Name: "error tracker",
    Install(host) {
      const { Send, MaxKept } = host.Options(options, {
        Send: { Kind: "function", Required: true },
        MaxKept: { Kind: "number", Min: 1, Default: 100 },
      });
      const waiting: TrackedError[] = [];
      let sent = 0;
      let isBroken = false;
      let wake: (() => void) | undefined;
      host.App.OnError((ctx, error) => {
        if (waiting.length < MaxKept) waiting.push({ Path: ctx.Path(), Message: error.message });
        wake?.();
      });

      async function flush(): Promise<void> {
        while (waiting.length > 0) {
          const batch = waiting.splice(0);
          isBroken = true;
          await Send(batch);
          isBroken = false;
          sent += batch.length;
        }
      }

      host.Run(async (signal) => {
        while (!signal.aborted) {
          await flush();
          const { promise, resolve } = Promise.withResolvers<void>();
          wake = resolve;
          signal.addEventListener("abort", () => resolve(), { once: true });
          if (waiting.length === 0) await promise;
        }
      }, { Drain: flush, Dispose: flush });
      host.Meter(() => [{ Name: "errors_sent_total", Type: "counter", Help: "Errors that were sent.", Value: sent }]);
      host.Panel("Errors", () => waiting);
      host.Check("error tracker", () => !isBroken, "ready");
    },
  };
}
