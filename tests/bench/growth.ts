/**
 * `deno task bench growth`: prints how the cost of routes, chains, event streams, sessions, translations and types
 * grows with their number, as CPU time per unit at four sizes. Fails if a cost grows faster than linearly, or if a
 * request becomes more expensive although it does not use what has grown.
 *
 * CPU time of the thread is measured, so that other programs do not matter. Each figure is the shortest of six runs, in
 * which the sizes take turns.
 *
 * Options: --only=TEXT measures only the curves whose names contain the text.
 */

import { measure } from "./curves/curve.ts";
import { dataCurves } from "./curves/data.ts";
import { requestCurves } from "./curves/requests.ts";
import { typeCurves } from "./curves/types.ts";
import { option, printRow } from "./report.ts";

const only = option("only", "");
const failed: string[] = [];
printRow("µs per unit or request", "", "smallest", "", "", "largest", "power of the size");
for (const [name, curve] of [...requestCurves, ...dataCurves, ...typeCurves]) {
  if (!name.includes(only)) continue;
  const { costs, power, isSuperlinear } = await measure(curve);
  if (isSuperlinear) failed.push(name);
  const sizes = `${curve.sizes[0]} to ${curve.sizes[3]}`;
  const verdict = `${power.toFixed(2)}${isSuperlinear ? " too much" : ""}`;
  printRow(name.padEnd(60), sizes, ...costs.map((cost) => cost.toFixed(2)), verdict);
}
if (failed.length > 0) throw new Error(`Cost grows too fast: ${failed.join(", ")}`);
