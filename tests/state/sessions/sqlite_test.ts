import { assert, assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { onWindows, testUnless } from "../../skipped.ts";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import { New } from "../../../src/state/sessions/sqlite.ts";

const empty: ReadonlyMap<string, string> = new Map();
const long = 60_000;

async function inFolder(work: (file: string) => void | Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await work(`${folder}/sessions.db`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("New() of the SQLite store keeps sessions after it is closed and reopened", async () => {
  await inFolder(async (File) => {
    const before = New({ File });
    await before.Create("a", new Map([["x", "1"]]), long);
    await before.Close?.();
    const after = New({ File, SyncToDisk: true });
    assertEquals((await after.Load("a"))?.Slots.get("x"), "1");
    await after.Close?.();
  });
});

Deno.test("New() of the SQLite store shares a file with other stores", async () => {
  await inFolder(async (File) => {
    const [one, two] = [New({ File }), New({ File })];
    await one.Create("a", new Map([["x", "1"]]), long);
    assertEquals((await two.Load("a"))?.Slots.get("x"), "1");
    await (await two.Load("a"))?.Destroy();
    assertEquals(await one.Load("a"), null);
    await one.Close?.();
    await two.Close?.();
  });
});

const noModes = onWindows("files have no modes");

testUnless(noModes, "New() of the SQLite store creates files that only their owner can read", async () => {
  await inFolder(async (File) => {
    const store = New({ File });
    await store.Create("a", empty, long);
    for (const end of ["", "-wal", "-shm"]) {
      assertEquals((Deno.statSync(File + end).mode ?? 0) & 0o077, 0, end);
    }
    await store.Close?.();
  });
});

Deno.test("New() of the SQLite store reports on one line why a file cannot be opened", async () => {
  const error = assertThrows(() => New({ File: "/nowhere/at/all.db" }), FrameworkError);
  assertEquals(error.Code, "FW_SESSION");
  assert(/^Cannot open the session file "\/nowhere\/at\/all.db": [^\n]+$/.test(error.message), error.message);
  await inFolder((file) => {
    Deno.writeTextFileSync(file, "This is not a database. It is a string. ".repeat(50));
    assertThrows(() => New({ File: file }), FrameworkError, "Cannot open the session file");
  });
});

Deno.test("Commit() waits without blocking while another process locks the file", async () => {
  await inFolder(async (File) => {
    const store = New({ File });
    await store.Create("a", empty, long);
    const stored = await store.Load("a");
    using other = new DatabaseSync(File);
    other.exec("BEGIN IMMEDIATE");
    const commit = stored?.Commit({ Set: new Map([["x", "1"]]), Add: new Map(), Delete: new Set() });
    assert(commit instanceof Promise);
    // Reads still work in the meantime.
    assertEquals((await store.Load("a"))?.Slots.size, 0);
    other.exec("COMMIT");
    assertEquals(await commit, true);
    assertEquals((await store.Load("a"))?.Slots.get("x"), "1");
    await store.Close?.();
  });
});

Deno.test("Commit() fails if another process locks the file for a second", async () => {
  await inFolder(async (File) => {
    const store = New({ File });
    using other = new DatabaseSync(File);
    other.exec("BEGIN IMMEDIATE");
    const error = await assertRejects(async () => await store.Create("a", empty, long), Error);
    assertStringIncludes(error.message, "locked");
    other.exec("COMMIT");
    assertEquals(await store.Create("a", empty, long), true);
    await store.Close?.();
  });
});

Deno.test("Create() of the SQLite store removes expired rows from time to time", async () => {
  await inFolder(async (File) => {
    const first = New({ File });
    for (let i = 0; i < 20; i++) await first.Create(`short ${i}`, new Map([["x", "1"]]), 1);
    await first.Close?.();
    await new Promise((resolve) => setTimeout(resolve, 10));
    // A store removes expired rows with its first write and then every ten seconds.
    const second = New({ File });
    await second.Create("new", empty, long);
    using database = new DatabaseSync(File);
    assertEquals(database.prepare("SELECT count(*) AS n FROM fw_session").get()?.n, 1);
    assertEquals(database.prepare("SELECT count(*) AS n FROM fw_slot").get()?.n, 0);
    await second.Close?.();
  });
});
