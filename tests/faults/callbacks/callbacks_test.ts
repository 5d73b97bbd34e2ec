import { assertEquals } from "@std/assert";
import { exempt, reasonFor } from "./exempt.ts";
import { faultNames } from "./faults.ts";
import { family as features } from "./features_rows.ts";
import { family as further } from "./further_rows.ts";
import { family as guards } from "./guards_rows.ts";
import { family as handlers } from "./handlers_rows.ts";
import { family as jobs } from "./jobs_rows.ts";
import { family as keys } from "./keys_rows.ts";
import { family as lifecycle } from "./lifecycle_rows.ts";
import { family as sockets } from "./sockets_rows.ts";
import { family as stores } from "./stores_rows.ts";
import { listCallbacks } from "./list.ts";
import { expected } from "./table.ts";

const rows = [jobs, handlers, guards, stores, keys, lifecycle, sockets, features, further].flatMap((family) =>
  family.rows
);

Deno.test("every callback in the documentation has a row in the table of faults, or a reason for having none", async () => {
  const all = await listCallbacks();
  const covered = new Set(rows.flatMap(({ of }) => of));
  assertEquals(all.filter((name) => !covered.has(name) && reasonFor(name) === undefined), []);
  assertEquals([...covered].filter((name) => !all.includes(name)), []);
  const unused = Object.keys(exempt).filter((each) =>
    !all.some((name) => each.endsWith("*") ? name.startsWith(each.slice(0, -1)) : name === each)
  );
  assertEquals(unused, []);
});

Deno.test("every row of the table of faults has a result for each fault", () => {
  for (const row of rows) {
    for (const fault of faultNames) assertEquals(typeof expected(row, fault), "string", `${row.of[0]}: ${fault}`);
  }
});
