// Test cases that run in four builds. Each one serves a controller in a separate application, and either records
// responses or fails with an error.

import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";

/** The four ways to build the cases. */
export const builds = ["source", "bundle", "minify", "terser"] as const;

/** One of the four ways. */
export type Build = typeof builds[number];

/** The functions available to a case. */
export interface Trial {
  readonly app: fw.Application;
  readonly m: mvc.Application;
  /** Records an event, such as a call of a method or a new connection. */
  note(event: string): void;
  /** Sends a request and records the status and body of the response. */
  ask(path: string, method?: string, headers?: Record<string, string>): Promise<void>;
}

/** A test case. */
export interface Case {
  /** A sentence that starts with the number of a requirement for controllers. */
  readonly name: string;
  /** Registers controllers, then sends requests. */
  readonly run: (trial: Trial) => void | Promise<void>;
  /** The expected records, in order, for all builds in which the case works. */
  readonly works?: readonly string[];
  /** The expected records for the unbundled source, if they differ because of a name that is lost in a bundle. */
  readonly inSource?: readonly string[];
  /** Part of the expected error message, for all builds or by build. */
  readonly refused?: string | Partial<Record<Build, string>>;
  /** The builds that may either work or fail with the error, depending on the minifier. */
  readonly either?: readonly Build[];
}

/** The result of a case in one build. */
export interface Outcome {
  readonly name: string;
  readonly records: readonly string[];
  /** The error that was thrown before the first request. */
  readonly refusal?: string;
  /** A failure that is never expected: an error while serving, an unhandled rejection, or a case that does not end. */
  readonly fault?: string;
}

/** Runs a case. */
export async function tryCase({ name, run }: Case): Promise<Outcome> {
  const records: string[] = [];
  const app = fw.New();
  app.Logger().SetLevel("disable");
  let isServing = false;
  const trial: Trial = {
    app,
    m: mvc.New(app),
    note: (event) => void records.push(event),
    async ask(path, method = "GET", headers = {}) {
      if (!isServing) app.Build();
      isServing = true;
      const response = await app.fetch(new Request(`http://localhost${path}`, { method, headers }));
      records.push(`${response.status} ${await response.text()}`);
    },
  };
  const stray: string[] = [];
  function onStray(event: PromiseRejectionEvent): void {
    event.preventDefault();
    stray.push(`Unhandled rejection: ${String(event.reason)}`);
  }
  globalThis.addEventListener("unhandledrejection", onStray);
  const clock = Promise.withResolvers<never>();
  const timer = setTimeout(() => clock.reject(new Error("The case does not end")), 30_000);
  try {
    await Promise.race([run(trial), clock.promise]);
    // Unhandled rejections are reported when the microtask queue is empty.
    await new Promise((resolve) => setTimeout(resolve));
    return { name, records, ...(stray[0] === undefined ? {} : { fault: stray[0] }) };
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return isServing ? { name, records, fault: message } : { name, records, refusal: message };
  } finally {
    clearTimeout(timer);
    globalThis.removeEventListener("unhandledrejection", onStray);
  }
}
