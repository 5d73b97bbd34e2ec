// Tries all cases and prints what became of each, as JSON: the program that is built in four ways.

import { type Case, type Outcome, tryCase } from "./case.ts";
import { all } from "./cases/all.ts";

const outcomes: Outcome[] = [];
for (const each of all satisfies readonly Case[]) outcomes.push(await tryCase(each));
await Deno.stdout.write(new TextEncoder().encode(`${JSON.stringify(outcomes)}\n`));
// A case that does not end must not keep the program.
Deno.exit(0);
