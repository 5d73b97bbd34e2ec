/**
 * Real template files for the tests of views.
 *
 * @module
 */

import { dirname, join } from "@std/path";

/** Writes files to a folder. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    Deno.mkdirSync(dirname(path), { recursive: true });
    Deno.writeTextFileSync(path, text);
  }
}

/** Runs a test with a folder of files that is removed afterwards. */
export async function withFolder(
  files: Readonly<Record<string, string>>,
  work: (folder: string) => void | Promise<void>,
): Promise<void> {
  const folder = Deno.makeTempDirSync({ prefix: "fw_view_" });
  try {
    writeFiles(folder, files);
    await work(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}
