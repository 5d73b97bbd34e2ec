import { assertEquals } from "@std/assert";
import { openTemporary } from "../../../../src/http/body/form/spill_store.ts";

Deno.test("openTemporary() opens a file that no longer has a name after it was closed", () => {
  const { file, path } = openTemporary();
  // The operating system removes the file with its last handle, also if the process is killed.
  assertEquals(path, undefined);
  file.writeSync(new TextEncoder().encode("text"));
  file.seekSync(0, Deno.SeekMode.Start);
  const bytes = new Uint8Array(10);
  assertEquals([file.readSync(bytes), new TextDecoder().decode(bytes.subarray(0, 4))], [4, "text"]);
  file.close();
});
