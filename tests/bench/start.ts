/**
 * `deno task bench start`: measures the time from the launch of a process to its first response, in new processes with
 * a warm cache, interleaved, as medians. Also prints the number of modules that each program loads, and how many of
 * them belong to fw, and the time that 500 controllers with ten methods each take, in the same run.
 *
 * Oak is not included, because its npm package only supports Node.js.
 *
 * fw and the standard library are served by a registry on loopback, as for users: the metadata of fw lists the imports of
 * its modules, which takes 4 ms of CPU time per start. `FW_TEST_STD` is the path of a checkout of the standard library.
 * Without it, the stand-ins in `tests/std` are used. They import an npm package, which Deno resolves at every start, so
 * that a start takes 3 to 4 ms of CPU time longer than for users.
 *
 * Options: `--rounds=15`, `--only=fw,raw`, `--checkout=PATH` to measure another checkout of fw, `--from=sources` to use
 * a checkout without a registry.
 *
 * @module
 */

import { ModuleGraph } from "../repo/module_graph.ts";
import { startAfresh } from "./inject_start.ts";
import { measureLaunch, openOrigin, openSources, thisCheckout, writePrograms } from "./launch.ts";
import { Figures, option, printRow } from "./report.ts";

const controllers = "500 controllers, Handle and Build, from sources";
const rounds = Number(option("rounds", "15"));
const only = option("only", "").split(",").filter((name) => name !== "");

const checkout = option("checkout", thisCheckout);
await using origin = option("from", "registry") === "sources" ? openSources(checkout) : await openOrigin(checkout);
const folder = await Deno.makeTempDir({ prefix: "fw_start_" });
try {
  const files = [...await writePrograms(folder, origin)].filter(([name]) => only.length === 0 || only.includes(name));
  const figures = new Figures();
  for (let round = 0; round < rounds; round++) {
    for (const [name, file] of files) {
      const { took, busy } = await measureLaunch(file, origin);
      figures.add(name, took);
      figures.add(`${name} busy`, busy);
    }
    if (only.length > 0) continue;
    const [handled, built] = await startAfresh(checkout);
    figures.add(controllers, handled + built);
  }
  printRow("launch to first response", "median, ms", "over raw, ms", "times raw", "processor, ms", "modules (fw's)");
  for (const [name, file] of files) {
    const modules = [...(await ModuleGraph.of(file, origin)).loadedBy()];
    printRow(
      name,
      figures.median(name).toFixed(1),
      (figures.median(name) - figures.median("raw")).toFixed(1),
      `${(figures.median(name) / figures.median("raw")).toFixed(2)} (best ${ratioOfBest(figures, name)})`,
      figures.median(`${name} busy`).toFixed(1),
      `${modules.length} (${modules.filter(origin.isOwn).length})`,
    );
  }
  if (only.length === 0) {
    printRow(controllers, figures.median(controllers).toFixed(1), `best ${figures.best(controllers).toFixed(1)}`);
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}

/** Returns the ratio of the best launches, which other programs on the machine disturb the least. */
function ratioOfBest(figures: Figures, name: string): string {
  return (figures.best(name) / figures.best("raw")).toFixed(2);
}
