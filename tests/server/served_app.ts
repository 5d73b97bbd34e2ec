/** What `deno serve` and `deno run` start in tests: it says whether it noticed. */

import { underDenoServe } from "../../src/server/deno_serve.ts";
import { Addr } from "../../src/server/runner.ts";

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

// Not through the console, to which --parallel adds the thread's name.
function say(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
