import { assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { openDatabase } from "../../src/store/sqlite_file.ts";

const locked = "database is locked";

Deno.test("openDatabase() leaves no wait of SQLite's own, which would stop the process", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const path = `${folder}/a.db`;
    const database = openDatabase({ File: path }, { schema: "", noun: "file", code: "FW_SESSION" });
    assertEquals(database.prepare("PRAGMA busy_timeout").get()?.timeout, 0);
    using other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    let message = "";
    try {
      database.exec("BEGIN IMMEDIATE");
    } catch (error) {
      message = (error as Error).message;
    }
    assertEquals(message, locked);
    other.exec("COMMIT");
    database.close();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
