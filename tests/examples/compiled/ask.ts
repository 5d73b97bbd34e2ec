// deno-lint-ignore-file no-console -- a program of the command line speaks on the terminal
/**
 * Asks examples/realworld in process and prints what it responds with: for a binary whose runtime is older than what fw
 * runs on, this shows that views and static files are inside of it.
 *
 * @module
 */

import { newApp } from "../../../examples/realworld/main.ts";
import { LEAST_DENO } from "../../../src/app/deno_version.ts";

// fw refuses the runtime, since parts of it would fail; those that are asked here do not.
Object.defineProperty(Deno, "version", { value: { ...Deno.version, deno: LEAST_DENO } });

const app = newApp();
for (const path of Deno.args) {
  const response = await app.fetch(new Request(`http://localhost${path}`));
  await response.body?.cancel();
  console.log(`${path} ${response.status}`);
}
Deno.exit(0);
