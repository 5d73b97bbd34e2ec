/**
 * Loads the application of a program for tools that inspect it from outside.
 *
 * @module
 */

import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { loadModule } from "../../base/async/lazy_module.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { messageOf } from "../../base/errors/to_error.ts";
import { Application } from "./application.ts";
import { captureRun } from "./inspect/captured_run.ts";
import { callSite } from "./record/call_site.ts";

/** An application and the URL of the module that provides it. */
export interface LoadedApplication {
  readonly app: Application;
  readonly url: string;
}

/** The ways in which a program can provide its application, for error messages and the help text. */
export const shapes =
  `The module must export its application as the default, or a function "newApp" that creates it, or call
"Run", which does not listen here.`;

/** The time limit for a program to call `Run`, in milliseconds. */
const PATIENCE_MS = 10_000;

/**
 * Imports a module and returns its application. This is the default export, the result of `newApp()`, or the
 * application that `Run` is called on.
 *
 * @param file The path or URL of the module.
 */
export async function loadApplication(file: string): Promise<LoadedApplication> {
  const url = /^[a-z][a-z0-9+.-]+:/i.test(file) ? file : pathToFileURL(resolve(file)).href;
  const run = captureRun();
  const loading = importModule(file, url);
  // If a program awaits `Run` at the top level, the import never finishes.
  const first = await Promise.race([loading, run, ended()]);
  const own = first instanceof Module ? await first.find() : first;
  const found = own === undefined ? await Promise.race([run, ended()]) : own;
  if (found instanceof Application) return { app: found, url };
  throw cannotFind(file, first instanceof Module ? first.describe(found) : describeEnd(found));
}

async function importModule(file: string, url: string): Promise<Module> {
  try {
    return new Module(file, await loadModule(() => import(url)));
  } catch (error) {
    throw failure(`load "${file}"`, error);
  }
}

/** A loaded module. */
class Module {
  readonly #file: string;
  readonly #exports: Readonly<Record<string, unknown>>;

  constructor(file: string, exports: Readonly<Record<string, unknown>>) {
    this.#file = file;
    this.#exports = exports;
  }

  /**
   * Returns the application, the value that was exported in its place, or `undefined` if the module has no suitable
   * export.
   */
  async find(): Promise<unknown> {
    const { default: byDefault, app } = this.#exports;
    const ready = [byDefault, app].map(applicationIn).find((each) => each !== undefined);
    if (ready !== undefined) return ready;
    const create = this.#creator();
    if (create === undefined) return byDefault;
    const created = await this.#call(create);
    return applicationIn(created) ?? created ?? null;
  }

  /** Describes an export that is not an application. */
  describe(found: unknown): string {
    const created = this.#creator() !== undefined;
    const what = created ? '"newApp" returns' : "its default export is";
    if (isForeignApplication(found) || isForeignApplication(propertyOf(found, "app"))) {
      return "it was created by another version of @fw/web; run the command in the version that the program imports, " +
        "as in jsr:@fw/web@VERSION/routes";
    }
    if (found === null && created) return '"newApp" returns no application';
    if (propertyOf(found, "fetch") !== undefined) {
      return `${what} an object with "fetch", not the application itself; export the application`;
    }
    if (found instanceof End) return describeEnd(found);
    return `${what} ${nameOf(found)}, not an application`;
  }

  #creator(): ((...args: unknown[]) => unknown) | undefined {
    const { newApp, default: byDefault } = this.#exports;
    const found = typeof newApp === "function" ? newApp : byDefault;
    return typeof found === "function" && !/^class\b/.test(String(found)) ? found as () => unknown : undefined;
  }

  async #call(create: (...args: unknown[]) => unknown): Promise<unknown> {
    try {
      return await create();
    } catch (error) {
      if (create.length === 0) throw failure(`create the application of "${this.#file}"`, error);
      const count = create.length === 1 ? "an argument" : `${create.length} arguments`;
      const act = `create the application of "${this.#file}": "newApp" needs ${count}, which this command ` +
        "cannot pass; give it default values, or export an application as the default. Without arguments it fails";
      throw failure(act, error);
    }
  }
}

/** Returns the application if the value is one or contains one, as in `{ app, db }`. */
function applicationIn(value: unknown): Application | undefined {
  if (value instanceof Application) return value;
  if (typeof value !== "object" || value === null) return undefined;
  const held = Object.values(value).filter((each) => each instanceof Application);
  const named = propertyOf(value, "app");
  return named instanceof Application ? named : held.length === 1 ? held[0] : undefined;
}

/** Reports whether a value is an application from another copy of fw. It has the same methods but a different class. */
function isForeignApplication(value: unknown): boolean {
  return ["fetch", "Build", "Party", "Run"].every((name) => typeof propertyOf(value, name) === "function");
}

function propertyOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function nameOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return typeof value === "object" ? `an object of class "${value.constructor?.name ?? "null"}"` : `a ${typeof value}`;
}

/** The reason why a program does not provide an application. */
class End {
  readonly reason: string;

  constructor(reason: string) {
    this.reason = reason;
  }
}

/** Waits until a program has nothing left to do or the time limit is reached. */
function ended(): Promise<End> {
  const { promise, resolve } = Promise.withResolvers<End>();
  addEventListener("beforeunload", (event) => {
    // Otherwise, Deno would exit before the reason is reported.
    event.preventDefault();
    resolve(new End('exports neither an application as its default nor "newApp", and calls no "Run"'));
  }, { once: true });
  const timer = setTimeout(
    () => resolve(new End(`hands out none and calls no "Run" within ${PATIENCE_MS / 1000} seconds`)),
    PATIENCE_MS,
  );
  Deno.unrefTimer(timer);
  return promise;
}

function describeEnd(found: unknown): string {
  return found instanceof End ? `it ${found.reason}` : 'it calls "Run" on what is not an application of this version';
}

function cannotFind(file: string, why: string): FrameworkError {
  return new FrameworkError("FW_STATE", `Cannot find the application of "${file}": ${why}\n\n${shapes}`);
}

/** Creates the error for an exception in the program itself, including its location. */
function failure(act: string, error: unknown): FrameworkError {
  const message = messageOf(error);
  const site = error instanceof Error ? callSite(error.stack ?? "") : "";
  // Deno's own messages about modules already contain the location.
  const place = site === "" || message.includes("file:") ? "" : ` (${site})`;
  return new FrameworkError("FW_STATE", `Cannot ${act}: ${message}${place}`, { cause: error });
}
