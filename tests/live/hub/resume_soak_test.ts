/** Tests that clients resume many rooms after random cuts. `deno task bench live_resume` does the same for longer. */

import { assertEquals } from "@std/assert";
import { runs } from "../../runs.ts";
import { clusterStores } from "./cluster_stores.ts";
import { soak } from "./resume_soak.ts";

const backlogs = [1_000, 50_000, 1_000_000, 3_000_000, 8_000_000];

Deno.test({
  name: "Live resumes up to 20 rooms after random cuts, with one reconnection for each cut (memory)",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: () => check(() => undefined),
});

for (const [name, store] of Object.entries(clusterStores)) {
  Deno.test({
    name: `Live resumes up to 20 rooms after random cuts, with one reconnection for each cut (${name})`,
    ignore: !store.isInstalled,
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      const server = store.open();
      await server.start();
      try {
        await check(() => store.backplane({ url: server.url, name: "soak" }));
      } finally {
        await server.close();
      }
    },
  });
}

async function check(open: Parameters<typeof soak>[0]["open"]): Promise<void> {
  const { faults, codes, reconnections, cuts } = await soak({ clients: runs(10), backlogs, seed: 1, open });
  assertEquals(faults.slice(0, 10), []);
  // Every lost connection was cut. The server has not closed any.
  assertEquals(Object.keys(codes).filter((code) => code !== "1006"), []);
  // A client that is cut again before it has reconnected loses no connection.
  assertEquals(reconnections <= cuts, true, `${reconnections} reconnections after ${cuts} cuts`);
}
