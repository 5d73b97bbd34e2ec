// Builds the cases in four ways, runs each build, and compares the results with the expectations.

import { fromFileUrl } from "@std/path";
import { minify } from "npm:terser@^5.44.1";
import { bundle as runBundler } from "../../repo/bundler.ts";
import { type Build, builds, type Case, type Outcome } from "./case.ts";

const main = fromFileUrl(new URL("./main.ts", import.meta.url));

const cwd = fromFileUrl(new URL(".", import.meta.url));

/** The results of all cases in each build, by name. */
export type Outcomes = Readonly<Record<Build, ReadonlyMap<string, Outcome>>>;

/** Builds and runs the cases in a temporary folder. */
export async function runBuilds(): Promise<Outcomes> {
  const folder = await Deno.makeTempDir({ prefix: "fw-torture-" });
  try {
    const [bundle, minified, terser] = ["bundle.js", "minify.js", "terser.js"].map((name) => `${folder}/${name}`);
    await runBundler(["--output", `${bundle}`, main], { cwd });
    await runBundler(["--minify", "--output", `${minified}`, main], { cwd });
    const { code } = await minify(await Deno.readTextFile(`${bundle}`), { module: true });
    await Deno.writeTextFile(`${terser}`, code ?? "");
    return {
      source: await outcomesOf(main),
      bundle: await outcomesOf(`${bundle}`),
      minify: await outcomesOf(`${minified}`),
      terser: await outcomesOf(`${terser}`),
    };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Returns the difference between a result and the expectation, or `undefined` if there is none. */
export function faultOf(of: Case, build: Build, outcome: Outcome | undefined): string | undefined {
  if (outcome === undefined) return "The case did not run";
  if (outcome.fault !== undefined) return outcome.fault;
  const words = typeof of.refused === "string" ? of.refused : of.refused?.[build];
  if (outcome.refusal !== undefined) {
    return words !== undefined && outcome.refusal.includes(words) ? undefined : `Refused: ${outcome.refusal}`;
  }
  if (words !== undefined && of.either?.includes(build) !== true) {
    return `Not refused, but recorded ${JSON.stringify(outcome.records)}`;
  }
  const works = build === "source" ? of.inSource ?? of.works : of.works;
  const [actual, expected] = [outcome.records, works ?? []].map((records) => JSON.stringify(records));
  return actual === expected ? undefined : `Recorded ${actual}, expected ${expected}`;
}

/** Creates a table with one row per case, which shows whether it works or with which error it is rejected. */
export function tableOf(cases: readonly Case[], outcomes: Outcomes): string {
  const rows = cases.map((each) => [each.name, ...builds.map((build) => wordOf(each, build, outcomes))]);
  return [["Case", ...builds], [...builds, ""].map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join(
    "\n",
  );
}

function wordOf(of: Case, build: Build, outcomes: Outcomes): string {
  const outcome = outcomes[build].get(of.name);
  const fault = faultOf(of, build, outcome);
  if (fault !== undefined) return `FAULT: ${fault}`;
  if (outcome?.refusal === undefined) return "works";
  return `refused: ${typeof of.refused === "string" ? of.refused : of.refused?.[build]}`;
}

async function outcomesOf(file: string): Promise<ReadonlyMap<string, Outcome>> {
  const outcomes = JSON.parse(await deno("run", "--quiet", "--no-check", "--allow-all", file)) as Outcome[];
  return new Map(outcomes.map((outcome) => [outcome.name, outcome]));
}

async function deno(...args: string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args,
    cwd,
  })
    .output();
  if (!success) throw new Error(`deno ${args[0]} failed: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

if (import.meta.main) {
  const { all } = await import("./cases/all.ts");
  await Deno.stdout.write(new TextEncoder().encode(`${tableOf(all, await runBuilds())}\n`));
}
