/**
 * Serves a folder under the conditions of a compiled binary, in a separate process. The information about open files is
 * not available, and files have no modification time and no inode.
 *
 * @module
 */

import * as fw from "@fw/web";

const [folder = ""] = Deno.args;
const { lstat, lstatSync, stat, statSync } = Deno;

function fail(): never {
  throw new Deno.errors.NotSupported("Cannot stat a file of a virtual file system");
}

function embedded(info: Deno.FileInfo): Deno.FileInfo {
  return { ...info, mtime: null, atime: null, birthtime: null, ctime: null, ino: null };
}

Deno.FsFile.prototype.stat = fail;
Deno.FsFile.prototype.statSync = fail;
Deno.stat = async (path) => embedded(await stat(path));
Deno.statSync = (path) => embedded(statSync(path));
Deno.lstat = async (path) => embedded(await lstat(path));
Deno.lstatSync = (path) => embedded(lstatSync(path));

const app = fw.New();
app.HandleDir("/", folder, { ShowList: true });
await app.Run(
  fw.Addr("127.0.0.1:0"),
  fw.WithoutStartupLog,
  fw.WithOnListen((address) => {
    if ("port" in address) Deno.stdout.writeSync(new TextEncoder().encode(`port ${address.port}\n`));
  }),
);
