/**
 * Feature flags for applications of fw. The flags are loaded before the application starts, and again from time to time
 * while it runs.
 *
 * This package is the model of an extension. It uses every member of the host once.
 *
 * @module
 */

import { type Call, type Extension, type Host, Key } from "@fw/web";

/** Options for {@linkcode New}. */
export interface Options {
  /** Loads the names of the flags that are on, separated by white space. */
  readonly Load: () => string | Promise<string>;
  /**
   * The time between two loads, in milliseconds.
   *
   * @default {60000}
   */
  readonly Every?: number;
  /**
   * The path of the page that lists the flags.
   *
   * @default {"/flags"}
   */
  readonly Path?: string;
}

/** The flags of a call. They do not change while it runs. */
export interface Flags {
  /** Reports whether a flag is on. */
  IsOn(name: string): boolean;
  /** The names of the flags that are on, in alphabetical order. */
  readonly Names: readonly string[];
}

const key: Key<Flags> = Key<Flags>("flags");

/**
 * Creates the extension.
 *
 * @param options The options.
 * @returns The extension. `Install` returns a function that reads the current flags.
 */
export function New(options: Options): Extension<() => Flags> {
  return { Name: "flags", Seam: 1, Install: (host) => install(host, options) };
}

/**
 * Returns the flags of a request or a job.
 *
 * @param ctx The context.
 * @returns The flags.
 * @throws If the extension is not installed.
 */
export function Get(ctx: Pick<Call, "Values">): Flags {
  const flags = ctx.Values().Get(key);
  if (flags === undefined) throw new Error("Cannot read the flags: the extension is not installed");
  return flags;
}

function install(host: Host, options: Options): () => Flags {
  const { Load, Every, Path } = host.Options(options, {
    Load: { Kind: "function", Required: true },
    Every: { Kind: "number", Min: 10, Default: 60_000 },
    Path: { Kind: "string", Default: "/flags" },
  });
  const failure = host.Errors({
    FLAGS_UNREADABLE: {
      Meaning: "The flags cannot be loaded or are not text",
      Remedy: "Check the function Load of the flags",
    },
  });
  let flags = flagsOf("");
  let loads = 0;

  async function load(): Promise<void> {
    try {
      const text: unknown = await Load();
      if (typeof text !== "string") throw new TypeError(`Load returned a value of type "${typeof text}"`);
      flags = flagsOf(text);
      loads++;
    } catch (cause) {
      throw failure("FLAGS_UNREADABLE", "Cannot load the flags", { cause });
    }
  }

  host.Check("first load", load, "start");
  host.Check("loaded", () => loads > 0, "ready");
  // A job sees the flags of the call that has added it, even if they have changed in the meantime.
  host.Provide(key, () => flags, { Encode: ({ Names }) => Names.join(" "), Decode: (text) => flagsOf(String(text)) });
  // Pages differ by the flags, so caches have to distinguish them.
  host.Label("flags", (ctx) => Get(ctx).Names.join(" "), { Log: true, Vary: true });
  host.ViewFunc("flag", (ctx: Call, name: string) => Get(ctx).IsOn(name));
  host.Page(Path, (ctx) => ctx.JSON(Get(ctx).Names));
  host.Panel("Flags", () => flags.Names.map((Name) => ({ Name })));
  host.Meter(() => [{ Name: "flags_loads_total", Type: "counter", Help: "Loads of the flags.", Value: loads }]);
  host.Run(async (signal) => {
    while (await wait(Every, signal)) {
      await load().catch((error) => host.App.Logger().Warn("The flags remain as they are:", error));
    }
  });
  return () => flags;
}

function flagsOf(text: string): Flags {
  const names = new Set(text.split(/\s+/).filter((name) => name !== ""));
  return { IsOn: (name) => names.has(name), Names: [...names].sort() };
}

/** Waits, and reports whether the time has passed before a shutdown began. */
function wait(ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const end = (isOver: boolean) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
      resolve(isOver);
    };
    const timer = setTimeout(() => end(true), ms);
    const stop = () => end(false);
    signal.addEventListener("abort", stop);
  });
}
