import { DatabaseSync } from "node:sqlite";
import { New } from "../../../src/jobs/stores/sqlite.ts";
import { testStore } from "./store_contract.ts";

testStore("SQLite", async () => {
  const folder = await Deno.makeTempDir();
  const File = `${folder}/jobs.db`;
  const [store, other] = [New({ File }), New({ File })];
  await store.Migrate();
  return {
    store,
    other,
    begin() {
      const tx = new DatabaseSync(File);
      tx.exec("BEGIN IMMEDIATE");
      const end = (sql: string) => {
        tx.exec(sql);
        tx.close();
      };
      return { tx, commit: () => end("COMMIT"), rollback: () => end("ROLLBACK") };
    },
    async close() {
      await store.Close();
      await other.Close();
      await Deno.remove(folder, { recursive: true });
    },
  };
});
