// deno-lint-ignore-file no-console -- this is a command-line program
/**
 * The cost of extensions per request, in process and in CPU time:
 *
 * - `deno run -A tests/bench/seam.ts`: a plain request, and one in an application with five labels and five values.
 * - `deno run -A tests/bench/seam.ts CHECKOUT...`: a plain request in this checkout of fw and in others.
 *
 * The variants take turns in short slices, so that a busy machine slows all of them down alike. The checkout that is
 * loaded first is up to 0.05 µs slower than an identical copy, so compare two of the others.
 *
 * @module
 */

import { resolve } from "node:path";
import { cpuUsage } from "node:process";
import { pathToFileURL } from "node:url";
import type * as fw from "@fw/web";

/** The requests of one slice. */
const slice = 2_000;
const turns = 300;
/** The turns in which the code is compiled. */
const first = 60;

type Framework = typeof fw;

const here = new URL("../../", import.meta.url).href;

/** Loads a checkout. All of them are loaded in the same way, because a static import would be faster. */
async function load(folder: string): Promise<Framework> {
  return await import(new URL("./mod.ts", folder).href);
}

function plain({ New }: Framework): fw.Application {
  const app = New();
  app.Get("/users/{id:int}", (ctx) => ctx.WriteString("tea"));
  return app;
}

/** Creates an application whose extensions declare five labels and provide five values. */
function extended({ New, Key }: Framework, areRead: boolean): fw.Application {
  const app = New();
  const keys = Array.from({ length: 5 }, (_, i) => Key<string>(`value_${i}`));
  app.Install({
    Name: "five",
    Install(host) {
      for (const [i, key] of keys.entries()) {
        host.Provide(key, () => "value");
        host.Label(`label_${i}`, (ctx) => ctx.Method(), { Log: true, Metric: ["GET"], Vary: true });
      }
    },
  });
  app.Get("/users/{id:int}", (ctx) => {
    if (areRead) { for (const key of keys) ctx.Values().Get(key); }
    ctx.WriteString("tea");
  });
  return app;
}

/** Measures a slice in microseconds of CPU time per request. */
async function measure(app: fw.Application, request: Request): Promise<number> {
  const before = cpuUsage();
  for (let i = 0; i < slice; i++) {
    const response = app.fetch(request);
    if (response instanceof Promise) await response;
  }
  const { user, system } = cpuUsage(before);
  return (user + system) / slice;
}

async function variantsOf(checkouts: readonly string[]): Promise<[name: string, app: fw.Application][]> {
  const own = await load(here);
  if (checkouts.length === 0) {
    return [
      ["plain", plain(own)],
      ["five labels and values", extended(own, false)],
      ["five labels and values, which the handler reads", extended(own, true)],
    ];
  }
  const others = checkouts.map(async (folder): Promise<[string, fw.Application]> => {
    return [`plain in ${folder}`, plain(await load(pathToFileURL(`${resolve(folder)}/`).href))];
  });
  return [["plain", plain(own)], ...await Promise.all(others)];
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

const variants = await variantsOf(Deno.args);
const request = new Request("http://localhost/users/42");
const times = variants.map((): number[] => []);
for (let turn = 0; turn < turns; turn++) {
  // Each turn begins with another variant, because the first one of a turn may find the caches cold.
  for (let at = 0; at < variants.length; at++) {
    const chosen = (at + turn) % variants.length;
    times[chosen]?.push(await measure(variants[chosen]?.[1] as fw.Application, request));
  }
}
const [base = NaN] = times.map((each) => median(each.slice(first)));
for (const [at, [name]] of variants.entries()) {
  const time = median(times[at]?.slice(first) ?? []);
  console.log(
    `${name}: ${time.toFixed(3)} µs (${(time - base).toFixed(3)} µs more, ratio ${(time / base).toFixed(3)})`,
  );
}
