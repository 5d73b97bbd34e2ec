import { assertLess } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { Table } from "../../../src/state/store/sqlite_table.ts";
import { processorTime } from "../../growth.ts";

Deno.test("Table does not prepare a statement again for each value of its limit", () => {
  const database = new DatabaseSync(":memory:");
  database.exec("CREATE TABLE items (n INTEGER PRIMARY KEY); INSERT INTO items VALUES (1), (2), (3)");
  // A statement that takes much longer to prepare than to run.
  const part =
    "SELECT n FROM items WHERE n = 1 AND n IN (SELECT max(n) FROM items WHERE n < 9 GROUP BY n % 7 ORDER BY 1)";
  const all = Array.from({ length: 40 }, () => part).join(" UNION ALL ");
  const table = new Table(database, {
    bound: `SELECT n FROM (${all}) LIMIT ?`,
    offset: `SELECT n FROM (${all}) LIMIT ?1 OFFSET ?2`,
    literal: `SELECT n FROM (${all}) LIMIT 9`,
  });
  const timeOf = (run: (i: number) => unknown) => {
    let shortest = Infinity;
    for (let attempt = 0; attempt < 5; attempt++) {
      const begin = processorTime();
      for (let i = 0; i < 200; i++) run(i);
      shortest = Math.min(shortest, processorTime() - begin);
    }
    return shortest;
  };
  // The clock of Windows moves on every 16 ms. To prepare the statement each time takes 200 ms.
  const most = timeOf(() => table.all("literal")) * 4 + 40;
  assertLess(timeOf((i) => table.all("bound", i % 2 + 8)), most);
  assertLess(timeOf((i) => table.all("offset", 9, i % 2)), most);
  table.close();
});
