/**
 * Copies the repository like a clone, but including uncommitted changes.
 *
 * @module
 */

import { cp } from "node:fs/promises";
import { dirname, fromFileUrl, join } from "@std/path";

/**
 * Copies all files that git tracks or would add.
 *
 * @param from The repository.
 * @param to A folder that does not exist yet.
 */
export async function copy(from: URL, to: string): Promise<void> {
  const root = fromFileUrl(from);
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const { success, stdout, stderr } = await new Deno.Command("git", { args, cwd: root }).output();
  if (!success) throw new Error(`Cannot list the files of "${root}": ${new TextDecoder().decode(stderr)}`);
  for (const path of new TextDecoder().decode(stdout).split("\0").filter((name) => name !== "")) {
    await Deno.mkdir(dirname(join(to, path)), { recursive: true });
    await cp(join(root, path), join(to, path));
  }
}
