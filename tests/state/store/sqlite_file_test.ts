import { assertEquals, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import { openDatabase } from "../../../src/state/store/sqlite_file.ts";

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

Deno.test("openDatabase() closes the file if it cannot be used", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const File = `${folder}/not-a-database.db`;
    await Deno.writeTextFile(File, "This is a text file, and it is long enough to be read as a page. ".repeat(100));
    const open = () => openDatabase({ File }, { schema: "", noun: "store file", code: "FW_STORE" });
    assertThrows(open, FrameworkError, "not a database");
    assertThrows(() => openDatabase({ File: `${folder}/b.db` }, { schema: "NONSENSE;", noun: "f", code: "FW_STORE" }));
    for (let at = 0; at < 5; at++) assertThrows(open);
    if (Deno.build.os === "linux") {
      const open = [...Deno.readDirSync("/proc/self/fd")].map(({ name }) => linkOf(`/proc/self/fd/${name}`));
      assertEquals(open.filter((path) => path.startsWith(folder)), []);
    }
    // Windows removes no file that is open without a permission to share it.
    await Deno.remove(File);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

function linkOf(path: string): string {
  try {
    return Deno.readLinkSync(path);
  } catch {
    // The descriptor of the listing itself has been closed.
    return "";
  }
}

Deno.test("openDatabase() rejects an invalid file name, and creates nothing", async () => {
  const folder = await Deno.makeTempDir();
  const before = Deno.cwd();
  Deno.chdir(folder);
  try {
    for (const File of [undefined, null, "", 7, {}, "a\0b"]) {
      const open = () => openDatabase({ File: File as string }, { schema: "", noun: "store file", code: "FW_STORE" });
      assertThrows(open, FrameworkError, "must be a file path");
    }
    assertEquals([...Deno.readDirSync(folder)], []);
  } finally {
    Deno.chdir(before);
    await Deno.remove(folder, { recursive: true });
  }
});
