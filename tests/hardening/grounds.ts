/**
 * The test environment of every subject: a folder with public and secret files, and the line in which a subject reports
 * its ports.
 *
 * @module
 */

import { join } from "@std/path";
import process from "node:process";
import { setShortName } from "../core/static/short_names.ts";
import { secret } from "./expect.ts";

/** Information about a subject. It is printed at start-up and available at `/features`. */
export interface Features {
  /** The ports of the servers. */
  readonly doors: Readonly<Record<string, number>>;
  /** The features. Rows that need another feature are not applicable. */
  readonly has: readonly string[];
}

/** The folder of a subject. */
export interface Grounds extends AsyncDisposable {
  readonly root: string;
  readonly publicFolder: string;
  readonly uploads: string;
  readonly views: string;
}

const isWindows = Deno.build.os === "windows";

/** Short names, as Windows gives them to files and folders. */
const shortNames: Readonly<Record<string, string>> = {
  "public/.env": "ENV~1",
  "public/.git": "GIT~1",
  "public/sub": "SUB~1",
  "public/a long name.txt": "LONG~1.TXT",
};

/** Creates the folder with `uploads` and `public`, which contains links to a secret file outside. */
export async function layGrounds(): Promise<Grounds> {
  // The folder can be on another file system.
  const dir = Deno.env.get("FW_TEST_GROUNDS");
  const root = await Deno.makeTempDir({ prefix: "fw_hardening_", ...dir !== undefined && { dir } });
  const publicFolder = join(root, "public");
  const views = join(root, "views");
  const outside = join(root, "outside");
  const folders = ["public/sub", "public/plain", "public/.git", "public-too", "views", "outside"];
  for (const folder of folders) await Deno.mkdir(join(root, folder), { recursive: true });
  await Deno.mkdir(join(root, "uploads"));
  const texts: Record<string, string> = {
    "secret.txt": secret,
    "outside/secret.txt": secret,
    "public-too/secret.txt": secret,
    "public/.env": secret,
    "public/.git/config": secret,
    "public/a long name.txt": "0123456789",
    "public/index.html": "<h1>index</h1>",
    "public/sub/page.html": "<h1>page</h1>",
    "public/a.txt": "0123456789",
    "public/sub/keys.txt": secret,
    // Windows rejects such names.
    ...!isWindows && {
      "public/plain/<img src=x onerror=alert(1)>.txt": "named badly",
      "public/plain/javascript:alert(1)": "named as a script",
    },
    "public/plain/.hidden": secret,
    "views/page.html":
      '<p title="<%= it.Name %>"><%= it.Name %></p><script>const name = <%~ json(it.Name) %>;</script>',
    "views/deep.html": "<%= it.Name ?? '' %><%= it.polluted ?? 'clean' %>",
    "views/secret.html": "plain",
  };
  for (const [name, text] of Object.entries(texts)) await Deno.writeTextFile(join(root, name), text);
  // This file takes no space on the disk, and is not new.
  const large = join(root, "large.bin");
  await Deno.writeFile(large, new Uint8Array());
  await Deno.truncate(large, 100 << 20);
  await Deno.utime(large, 1e9, 1e9);
  if (dir !== undefined) {
    for (const [name, short] of Object.entries(shortNames)) {
      setShortName(join(root, name), short);
    }
  }
  if (!isWindows) await new Deno.Command("mkfifo", { args: [join(publicFolder, "pipe")] }).output();
  await Deno.symlink(join(root, "secret.txt"), join(publicFolder, "link.txt"), { type: "file" });
  await Deno.symlink(outside, join(publicFolder, "linked"), { type: "dir" });
  await Deno.symlink(join(root, "secret.txt"), join(publicFolder, "plain", "out.txt"), { type: "file" });
  return {
    root,
    publicFolder,
    uploads: join(root, "uploads"),
    views,
    [Symbol.asyncDispose]: () => Deno.remove(root, { recursive: true }),
  };
}

/** Returns the upload folder of a case and its parent folder, which no file may escape to. */
export function uploadFolder(grounds: Grounds, name: string): { readonly inner: string; readonly outer: string } {
  const outer = join(grounds.uploads, name.replaceAll(/[^a-z0-9-]/g, ""));
  return { inner: join(outer, "in"), outer };
}

/** Lists the files in the folder of a case with their sizes. */
export async function listUploads(grounds: Grounds, name: string): Promise<string[]> {
  const found: string[] = [];
  const { outer } = uploadFolder(grounds, name);
  async function visit(folder: string, prefix: string): Promise<void> {
    for await (const entry of Deno.readDir(folder)) {
      const path = `${prefix}${entry.name}`;
      if (entry.isDirectory) await visit(join(folder, entry.name), `${path}/`);
      else found.push(`${path}:${(await Deno.lstat(join(folder, entry.name))).size}`);
    }
  }
  await visit(outer, "").catch((error) => {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  });
  return found.sort();
}

/** Returns the inode of a file in `public`. */
export async function inodeOf(grounds: Grounds, name: string): Promise<number> {
  return (await Deno.stat(join(grounds.publicFolder, name))).ino ?? 0;
}

/** Returns the CPU time of this process, in microseconds. */
export function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** Returns the memory in use after a garbage collection. The process must run with `--v8-flags=--expose-gc`. */
export function usedMemory(): number {
  const collect: unknown = Reflect.get(globalThis, "gc");
  if (typeof collect === "function") collect();
  return process.memoryUsage().heapUsed;
}

/** Reports the ports to the parent process and waits until the parent has exited. */
export async function serveUntilParentGoes(features: Features): Promise<void> {
  await Deno.stdout.write(new TextEncoder().encode(`${JSON.stringify(features)}\n`));
  for await (const _ of Deno.stdin.readable) { /* Nothing is said; the end is what counts. */ }
}
