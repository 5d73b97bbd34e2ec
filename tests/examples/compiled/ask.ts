// deno-lint-ignore-file no-console -- this is a command-line program
/**
 * Calls examples/realworld in process and prints the responses. If the runtime of a binary is too old for fw, this
 * shows that the binary includes views and static files.
 *
 * @module
 */

import { newApp } from "../../../examples/realworld/main.ts";
import { LEAST_DENO } from "../../../src/core/app/deno_version.ts";

// fw rejects the runtime, because some features would fail. The ones used here work.
Object.defineProperty(Deno, "version", { value: { ...Deno.version, deno: LEAST_DENO } });

const app = newApp();
for (const path of Deno.args) {
  const response = await app.fetch(new Request(`http://localhost${path}`));
  await response.body?.cancel();
  console.log(`${path} ${response.status}`);
}
Deno.exit(0);
