// deno-lint-ignore-file no-console -- this is a command-line program
/**
 * `deno run -A tests/bench/seam.ts [CHECKOUT]`: the cost of extensions per request, in process and in processor time.
 *
 * The variants take turns in short slices, so that a busy machine slows all of them down alike. With the path of another
 * checkout of fw, its plain request is measured in the same turns.
 *
 * @module
 */

import { resolve } from "node:path";
import { cpuUsage } from "node:process";
import { pathToFileURL } from "node:url";
import * as fw from "@fw/web";

/** The requests of one slice. */
const slice = 2_000;
const turns = 150;

type Framework = typeof fw;

function plain(framework: Framework): fw.Application {
  const app = framework.New();
  app.Get("/users/{id:int}", (ctx) => ctx.WriteString("tea"));
  return app;
}

/** Creates an application whose extensions declare five labels and provide five values. */
function extended(areUsed: boolean): fw.Application {
  const app = fw.New();
  const keys = Array.from({ length: 5 }, (_, i) => fw.Key<string>(`value_${i}`));
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
    if (areUsed) { for (const key of keys) ctx.Values().Get(key); }
    ctx.WriteString("tea");
  });
  return app;
}

/** Measures a slice in microseconds of processor time per request. */
async function measure(app: fw.Application, request: Request): Promise<number> {
  const before = cpuUsage();
  for (let i = 0; i < slice; i++) {
    const response = app.fetch(request);
    if (response instanceof Promise) await response;
  }
  const { user, system } = cpuUsage(before);
  return (user + system) / slice;
}

const [checkout] = Deno.args;
const variants: [name: string, app: fw.Application][] = [
  ["plain", plain(fw)],
  ["five labels and values, installed", extended(false)],
  ["five labels and values, values read", extended(true)],
];
if (checkout !== undefined) {
  const other = await import(new URL("./mod.ts", pathToFileURL(`${resolve(checkout)}/`)).href) as Framework;
  variants.push([`plain in ${checkout}`, plain(other)]);
}

const request = new Request("http://localhost/users/42");
const times = variants.map((): number[] => []);
for (let turn = 0; turn < turns; turn++) {
  // Each turn begins with another variant, because the first one of a turn may find the caches cold.
  for (let at = 0; at < variants.length; at++) {
    const chosen = (at + turn) % variants.length;
    times[chosen]?.push(await measure(variants[chosen]?.[1] as fw.Application, request));
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

// The first turns compile the code.
const own = times[0]?.slice(turns / 5) ?? [];
for (const [at, [name]] of variants.entries()) {
  const all = times[at]?.slice(turns / 5) ?? [];
  const more = median(all.map((time, i) => time - (own[i] ?? NaN)));
  console.log(
    `${name}: ${median(all).toFixed(2)} µs, ${more.toFixed(2)} µs more than plain (ratio ${
      (median(all) / median(own)).toFixed(3)
    })`,
  );
}
