/** A program that is started with `deno serve` and `deno run` in tests. Prints whether it detected that. */

import { underDenoServe } from "../../../src/http/server/deno_serve.ts";
import { Addr } from "../../../src/http/server/runner.ts";

const isServed = underDenoServe(Addr(":8080"));
if (Deno.args.includes("tell")) {
  say(`served: ${isServed}`);
  Deno.exit(0);
}

const app: Deno.ServeDefaultExport = {
  fetch: () => new Response(`served: ${isServed}`),
  onListen: (address) => say("port" in address ? `port ${address.port}` : "open"),
};

export default app;

// The console is not used, because --parallel adds the name of the thread to it.
function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
