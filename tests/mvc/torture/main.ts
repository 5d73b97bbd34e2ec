// Runs all cases and prints their results as JSON. This program is built in four ways.

import { type Case, type Outcome, tryCase } from "./case.ts";
import { all } from "./cases/all.ts";

const outcomes: Outcome[] = [];
for (const each of all satisfies readonly Case[]) outcomes.push(await tryCase(each));
await Deno.stdout.write(new TextEncoder().encode(`${JSON.stringify(outcomes)}\n`));
// A case that does not end must not keep the process alive.
Deno.exit(0);
