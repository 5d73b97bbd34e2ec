import { assertEquals, assertThrows } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import { New } from "../../../src/state/store/sqlite.ts";
import { inFolder } from "./stores.ts";

Deno.test("New() of the SQLite store removes expired rows over time", async () => {
  await inFolder(async (folder) => {
    const file = `${folder}/shared.db`;
    const store = New({ File: file });
    // The first write removes expired rows, and immediately continues if there are many.
    for (let i = 0; i < 300; i++) await store.Set(`old${i}`, "x", 1);
    await store.Close?.();
    const again = New({ File: file });
    for (let i = 0; i < 3; i++) await again.Set(`young${i}`, "x", 60_000);
    await again.Close?.();
    const database = new DatabaseSync(file, { readOnly: true });
    assertEquals(database.prepare("SELECT count(*) AS n FROM fw_shared").get()?.n, 3);
    database.close();
  });
});

Deno.test("New() of the SQLite store rejects a file that cannot be opened, with a one-line error", async () => {
  await inFolder((folder) => {
    const error = assertThrows(() => New({ File: `${folder}/absent/shared.db` }), FrameworkError);
    assertEquals(error.Code, "FW_STORE");
    assertEquals(error.message.startsWith(`Cannot open the store file "${folder}/absent/shared.db": `), true);
    return Promise.resolve();
  });
});
