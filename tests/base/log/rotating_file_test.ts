import { assertEquals, assertThrows } from "@std/assert";
import { onWindows, testUnless } from "../../skipped.ts";
import { PassingTime } from "../../clocks.ts";
import { RotatingFile, type Rotation } from "../../../src/base/log/rotating_file.ts";

const encoder = new TextEncoder();

/** Writes lines to a file in a new folder and returns its content. */
async function inFolder(
  rotation: Rotation,
  work: (file: RotatingFile, path: string) => void | Promise<void>,
  header = "",
): Promise<Record<string, string>> {
  const folder = await Deno.makeTempDir();
  try {
    using file = new RotatingFile(`${folder}/a.log`, rotation, header);
    await work(file, `${folder}/a.log`);
    const found: Record<string, string> = {};
    for (const entry of Deno.readDirSync(folder)) found[entry.name] = Deno.readTextFileSync(`${folder}/${entry.name}`);
    return found;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function write(file: RotatingFile, text: string): void {
  file.writeSync(encoder.encode(text));
}

Deno.test("RotatingFile rotates before a line that would not fit, and keeps the configured number of files", async () => {
  const found = await inFolder({ MaxFile: 10, MaxFiles: 2 }, (file) => {
    for (const line of ["one 45\n", "two 45\n", "three\n", "four\n", "5\n", "far too long a line\n", "7\n"]) {
      write(file, line);
    }
  });
  assertEquals(found, { "a.log": "7\n", "a.log.1": "far too long a line\n", "a.log.2": "four\n5\n" });
});

Deno.test("RotatingFile keeps no old files if configured, and continues an existing file", async () => {
  const found = await inFolder({ MaxFile: 8, MaxFiles: 0 }, (file, path) => {
    Deno.writeTextFileSync(path, "before\n");
    write(file, "a\n");
    write(file, "b\n");
  });
  assertEquals(found, { "a.log": "a\nb\n" });
});

Deno.test("RotatingFile grows without limit if MaxFile is 0", async () => {
  const found = await inFolder({ MaxFile: 0 }, (file) => {
    for (let i = 0; i < 100; i++) write(file, "0123456789\n");
  });
  assertEquals(Object.entries(found).map(([name, text]) => [name, text.length]), [["a.log", 1100]]);
});

Deno.test("RotatingFile rotates when it is too old", async () => {
  using time = new PassingTime();
  const found = await inFolder({ MaxAge: 60_000 }, (file) => {
    write(file, "old\n");
    time.tick(59_000);
    write(file, "still old\n");
    time.tick(1000);
    write(file, "new\n");
  });
  assertEquals(found, { "a.log": "new\n", "a.log.1": "old\nstill old\n" });
});

Deno.test("RotatingFile writes its header only at the beginning of each file", async () => {
  const found = await inFolder({ MaxFile: 12 }, (file) => {
    for (const line of ["1,2\n", "3,4\n", "5,6\n"]) write(file, line);
    file.close();
    write(file, "7,8\n");
  }, "a,b\n");
  assertEquals(found, { "a.log": "a,b\n5,6\n7,8\n", "a.log.1": "a,b\n1,2\n3,4\n" });
});

Deno.test("RotatingFile notices within a second that another program has moved the file", async () => {
  using time = new PassingTime();
  const found = await inFolder({}, (file, path) => {
    write(file, "one\n");
    Deno.renameSync(path, `${path}.moved`);
    write(file, "two\n");
    time.tick(1000);
    write(file, "three\n");
  });
  assertEquals(found, { "a.log": "three\n", "a.log.moved": "one\ntwo\n" });
});

const staysListed = onWindows("a removed file keeps its name while it is open");

testUnless(staysListed, "RotatingFile notices within a second that another program has removed the file", async () => {
  using time = new PassingTime();
  const found = await inFolder({}, (file, path) => {
    write(file, "three\n");
    Deno.removeSync(path);
    time.tick(1000);
    write(file, "four\n");
  });
  assertEquals(found, { "a.log": "four\n" });
});

const noModes = onWindows("files have no modes");

testUnless(noModes, "RotatingFile creates files that only their owner and group can read", async () => {
  await inFolder({}, (file, path) => {
    write(file, "a\n");
    assertEquals((Deno.statSync(path).mode ?? 0) & 0o007, 0);
  });
});

Deno.test("RotatingFile rejects invalid limits", () => {
  for (const rotation of [{ MaxFile: -1 }, { MaxAge: NaN }, { MaxFiles: 1.5 }]) {
    assertThrows(() => new RotatingFile("x", rotation), RangeError, "Cannot rotate log files: the Max");
  }
});

Deno.test("RotatingFile writes the header again after another program has emptied the file", async () => {
  const folder = await Deno.makeTempDir();
  try {
    using file = new RotatingFile(`${folder}/a.csv`, {}, "name,size\n");
    file.writeSync(new TextEncoder().encode("a,1\n"));
    await Deno.truncate(`${folder}/a.csv`);
    file.writeSync(new TextEncoder().encode("b,2\n"));
    assertEquals(await Deno.readTextFile(`${folder}/a.csv`), "name,size\nb,2\n");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("RotatingFile terminates a line that was truncated by a full disk before it writes the next one", async () => {
  const folder = await Deno.makeTempDir();
  const { writeSync } = Deno.FsFile.prototype;
  try {
    using file = new RotatingFile(`${folder}/a.log`);
    file.writeSync(new TextEncoder().encode("whole\n"));
    // Simulates a disk with four bytes left.
    Deno.FsFile.prototype.writeSync = function (bytes) {
      Deno.FsFile.prototype.writeSync = () => {
        throw new Error("No space left on device");
      };
      return writeSync.call(this, bytes.subarray(0, 4));
    };
    assertEquals(file.writeSync(new TextEncoder().encode("is cut\n")), 4);
    assertThrows(() => file.writeSync(new TextEncoder().encode("ut\n")), Error, "No space");
    Deno.FsFile.prototype.writeSync = writeSync;
    file.writeSync(new TextEncoder().encode("next\n"));
    assertEquals(await Deno.readTextFile(`${folder}/a.log`), "whole\nis c\nnext\n");
  } finally {
    Deno.FsFile.prototype.writeSync = writeSync;
    await Deno.remove(folder, { recursive: true });
  }
});
