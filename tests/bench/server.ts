/**
 * A process that can serve every candidate. The candidate is selected over a control port, so that all of them are
 * measured one after another in the same process.
 */

import { type Scenario, scenarios, type Serve } from "./candidates.ts";
import { checked } from "./checked.ts";
import { controllers } from "./controllers.ts";

const all: Readonly<Record<string, Scenario>> = { ...scenarios, controllers, checked };

let current: Serve = nothing;

const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request, info) => current(request, info));
const control = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
  const [scenario, name] = JSON.parse(await request.text()) as [string, string];
  const chosen = all[scenario]?.serve[name];
  if (chosen === undefined) return new Response("unknown", { status: 404 });
  current = chosen;
  return new Response("ok");
});

function nothing(): Response {
  return new Response("none is chosen", { status: 503 });
}

await Deno.stdout.write(new TextEncoder().encode(`${server.addr.port} ${control.addr.port}\n`));
