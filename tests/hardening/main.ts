/**
 * `deno task attacks`: runs the table of attacks against fw and, if they can be installed from npm, Hono and Express,
 * and prints the results.
 *
 * Options: --subject=NAME runs one of them, --target=URL attacks a server that is already running, --only=GROUP runs
 * one group, --why prints every row that failed, --slow prints the slowest rows.
 */

import { groups } from "./attack.ts";
import { platform } from "./known.ts";
import { runGroup, type Verdict } from "./runner.ts";
import { attacks } from "./table.ts";
import { Target } from "./target.ts";

const target = option("target");
const only = option("only");
const subjectName = option("subject");
const isTimed = Deno.args.includes("--slow");
const isTold = Deno.args.includes("--why");
const subjects: Readonly<Record<string, () => Promise<Target>>> = target !== undefined
  ? { [target]: () => Target.at(target) }
  : {
    "fw": () => Target.start("subject.ts"),
    "Hono 4": () => Target.start("peers/hono.ts"),
    "Express 5": () => Target.start("peers/express.ts"),
  };

const results = new Map<string, Verdict[]>();
const names: string[] = [];
for (const [name, start] of Object.entries(subjects)) {
  if (subjectName !== undefined && name !== subjectName) continue;
  const subject = await start().catch((error) => {
    print(`${name} cannot be started: ${error.message}`);
  });
  if (subject === undefined) continue;
  names.push(name);
  await using _ = subject;
  for (const group of groups) {
    if (only !== undefined && only !== group) continue;
    results.set(`${name}/${group}`, await runGroup(subject, attacks, group));
  }
}

print(row("", ["rows", ...names]));
for (const group of groups) {
  const rows = attacks[group].length;
  if (only === undefined || only === group) print(row(group, [rows, ...names.map((name) => cell(name, group))]));
}
const total = only === undefined ? groups.reduce((sum, group) => sum + attacks[group].length, 0) : "";
print(
  row("all", [total, ...names.map((name) => score(groups.flatMap((group) => results.get(`${name}/${group}`) ?? [])))]),
);
if (names.length > 1) print(row("cases all support", [common().length, ...names.map((name) => score(common(name)))]));
if (names.includes("fw")) {
  print("\nAttacks that fw cannot resist because of the platform:");
  for (const [name, reason] of Object.entries(platform)) print(`- ${name}: ${reason}`);
}
if (isTimed) {
  const slowest = [...results.values()].flat().sort((a, b) => b.time - a.time).slice(0, 20);
  for (const { name, time } of slowest) print(`${Math.round(time)} ms  ${name}`);
}
if (isTold) {
  for (const [key, verdicts] of results) {
    for (const { name, result, reason } of verdicts) {
      if (result === "failed") print(`\n${key.split("/")[0]}: ${name}\n  ${reason}`);
    }
  }
}

/** Returns the results of rows that are applicable to every server, for one server. */
function common(name: string = names[0] ?? ""): Verdict[] {
  const of = (each: string) => groups.flatMap((group) => results.get(`${each}/${group}`) ?? []);
  const lists = names.map(of);
  return of(name).filter((_, at) => lists.every((list) => list[at]?.result !== "n/a"));
}

function cell(name: string, group: string): string {
  return score(results.get(`${name}/${group}`) ?? []);
}

function score(verdicts: readonly Verdict[]): string {
  const asked = verdicts.filter((verdict) => verdict.result !== "n/a");
  return `${asked.filter((verdict) => verdict.result === "held").length} of ${asked.length}`;
}

function row(title: string, cells: readonly (string | number)[]): string {
  return `${title.padEnd(22)}${cells.map((each) => String(each).padStart(14)).join("")}`;
}

function option(name: string): string | undefined {
  return Deno.args.find((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3);
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
