import { assertEquals, assertLess } from "@std/assert";
import { Client, request, startSite } from "./support.ts";

const MB = 1e6;
const READERS = 200;

/** Returns the private memory of a process, in bytes. */
function memoryOf(pid: number): number {
  const status = Deno.readTextFileSync(`/proc/${pid}/status`);
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

/** Returns the number of times that a process has opened a file. */
function openings(pid: number, path: string): number {
  let count = 0;
  for (const { name } of Deno.readDirSync(`/proc/${pid}/fd`)) {
    try {
      if (Deno.readLinkSync(`/proc/${pid}/fd/${name}`) === path) count++;
    } catch {
      // The file was closed in the meantime.
    }
  }
  return count;
}

async function until(test: () => boolean): Promise<void> {
  while (!test()) await new Promise((resolve) => setTimeout(resolve, 5));
}

Deno.test({
  name:
    "Context.ServeFile() sends 100 MiB to 200 slow readers within 64 MB of memory, and closes the files when they disconnect",
  // The memory and the open files of another process are read from /proc.
  ignore: Deno.build.os !== "linux",
  fn: async () => {
    await using site = await startSite();
    const file = `${site.folder}/big.bin`;
    await Deno.writeFile(file, new Uint8Array());
    await Deno.truncate(file, 100 << 20);
    // A recently written file may be a log, which is sent more carefully and uses more memory.
    await Deno.utime(file, 1e9, 1e9);
    const { pid } = site.child;
    await (await fetch(`http://127.0.0.1:${site.port}/`)).text();
    for (const headers of [[], ["range: bytes=1000-"]]) {
      using first = await Client.to(site.port);
      await first.send(request("GET", "/download", headers));
      await first.read(1 << 20);
      first.close();
      await until(() => openings(pid, file) === 0);
      const idle = memoryOf(pid);
      const readers = await Promise.all(Array.from({ length: READERS }, () => Client.to(site.port)));
      for (const reader of readers) await reader.send(request("GET", "/download", headers));
      await until(() => openings(pid, file) === READERS);
      for (let round = 0; round < 20; round++) {
        for (const reader of readers) await reader.read(16 << 10);
        assertLess(memoryOf(pid) - idle, 64 * MB);
      }
      for (const reader of readers) reader.close();
      await until(() => openings(pid, file) === 0);
    }
    assertEquals(await (await fetch(`http://127.0.0.1:${site.port}/`)).text(), "hello");
  },
});
