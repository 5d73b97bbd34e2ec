// What a hard case is: a controller in a program of its own, what becomes of requests, and where it is refused.

import * as fw from "../../../mod.ts";
import * as mvc from "../../../mvc/mod.ts";

/** The four ways in which the cases are built. */
export const builds = ["source", "bundle", "minify", "terser"] as const;

/** One of the four ways. */
export type Build = typeof builds[number];

/** What a case sees of its trial. */
export interface Trial {
  readonly app: fw.Application;
  readonly m: mvc.Application;
  /** Records that something ran: a body, a charge, a connection. */
  note(event: string): void;
  /** Sends a request, and records status and body of the response. */
  ask(path: string, method?: string, headers?: Record<string, string>): Promise<void>;
}

/** A hard case. */
export interface Case {
  /** A sentence that begins with the number of the point in the list of what controllers must hold. */
  readonly name: string;
  /** Registers controllers, then sends requests. */
  readonly run: (trial: Trial) => void | Promise<void>;
  /** What was recorded, in order, in every build that does not refuse the case. */
  readonly works?: readonly string[];
  /** The same for the source, where a name that a bundle does not have makes a difference. */
  readonly inSource?: readonly string[];
  /** Words of the error, for the builds that refuse the case: one for all, or one for each. */
  readonly refused?: string | Partial<Record<Build, string>>;
  /** The builds that may do either, as it pleases the minifier: work, or refuse with the words. */
  readonly either?: readonly Build[];
}

/** What became of a case in one build. */
export interface Outcome {
  readonly name: string;
  readonly records: readonly string[];
  /** The error that refused the case, before any request. */
  readonly refusal?: string;
  /** What must never happen: an error while serving, a rejection that no caller sees, a case that does not end. */
  readonly fault?: string;
}

/** Tries a case. */
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
  const timer = setTimeout(() => clock.reject(new Error("The case does not end")), 3000);
  try {
    await Promise.race([run(trial), clock.promise]);
    // A rejection is reported when the microtasks are done.
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
