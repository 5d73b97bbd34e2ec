/**
 * `deno task bench live_resume [CLIENTS] [--backplane=memory|redis|nats]`: 50 clients in 1 to 20 rooms lose their
 * connections at random and resume backlogs of 1 KB to 50 MB. Requires `redis-server` or `nats-server`.
 *
 * @module
 */

import { clusterStores, type StoreName } from "../live/hub/cluster_stores.ts";
import { soak } from "../live/hub/resume_soak.ts";

const clients = Number(Deno.args.find((arg) => /^\d+$/.test(arg)) ?? 50);
const chosen = Deno.args.find((arg) => arg.startsWith("--backplane="))?.split("=")[1];
const backlogs = [1e3, 1e4, 1e5, 3e5, 1e6, 1e6, 3e6, 3e6, 1e7, 5e7];

for (const name of chosen === undefined ? ["memory", "redis", "nats"] : [chosen]) {
  const store = name === "memory" ? undefined : clusterStores[name as StoreName];
  const server = store?.open();
  await server?.start();
  const open = () => store?.backplane({ url: server?.url ?? "", name: "soak" });
  const begin = performance.now();
  const { faults, codes, ...figures } = await soak({ clients, backlogs, seed: 7, open });
  await server?.close();
  const seconds = Math.round((performance.now() - begin) / 1000);
  print(`${name}: ${JSON.stringify({ seconds, ...figures, codes, faults: faults.length })}`);
  if (faults.length > 0) print(faults.slice(0, 20).join("\n"));
}
Deno.exit(0);

function print(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}
