import { assertEquals, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { FrameworkError } from "../../src/errors/errors.ts";
import { openDatabase } from "../../src/store/sqlite_file.ts";

const locked = "database is locked";

Deno.test("openDatabase() disables SQLite's own waiting, which would block the process", async () => {
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

Deno.test("openDatabase() rejects an invalid file name, and creates nothing", async () => {
  const folder = await Deno.makeTempDir();
  const before = Deno.cwd();
  Deno.chdir(folder);
  try {
    for (const File of [undefined, null, "", 7, {}, "a\0b"]) {
      const open = () => openDatabase({ File: File as string }, { schema: "", noun: "store file", code: "FW_STORE" });
      const isText = typeof File === "string" || File === undefined;
      const reason = isText ? "Cannot open the store file: File must be a file path" : "it must be a string";
      assertThrows(open, FrameworkError, reason);
    }
    assertEquals([...Deno.readDirSync(folder)], []);
  } finally {
    Deno.chdir(before);
    await Deno.remove(folder, { recursive: true });
  }
});
