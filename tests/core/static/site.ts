/**
 * A site with files, hidden files, links, and secrets outside the folder.
 *
 * @module
 */

import { join } from "@std/path";
import type * as fw from "@fw/web";
import { linksAreMissing } from "../../skipped.ts";
import { type Ask, overSocket, quiet } from "../../serving.ts";

const files: Readonly<Record<string, string>> = {
  "site/index.html": "<h1>Home</h1>",
  "site/app.js": "let app;",
  "site/app.js.br": "brotli",
  "site/app.js.gz": "gzip",
  "site/app.3f9a12bc.js": "hashed",
  "site/docs/index.html": "<h1>Docs</h1>",
  "site/docs/page.html": "<h1>Page</h1>",
  "site/plain/a & b.txt": "text",
  // Windows rejects such names.
  ...Deno.build.os !== "windows" && { "site/plain/<script>.txt": "name" },
  "site/plain/sub/x.txt": "x",
  "site/.env": "SECRET",
  "site/.git/config": "SECRET",
  "site/ünï cöde.txt": "unicode",
  "secret.txt": "SECRET",
  "site-other/x.txt": "SECRET",
};

/** Serves the site at the root, at `/static` and on a subdomain while a function runs. */
export async function withSite(options: fw.DirOptions, work: (ask: Ask, port: number) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    for (const [path, text] of Object.entries(files)) {
      await Deno.mkdir(join(folder, path, ".."), { recursive: true });
      await Deno.writeTextFile(join(folder, path), text);
    }
    if (linksAreMissing === undefined) {
      await Deno.symlink(join(folder, "secret.txt"), join(folder, "site", "link.txt"), { type: "file" });
      await Deno.symlink(folder, join(folder, "site", "up"), { type: "dir" });
      await Deno.symlink(join(folder, "site", "docs"), join(folder, "site", "inside"), { type: "dir" });
    }
    const app = quiet();
    for (const path of ["/", "/static"]) app.HandleDir(path, join(folder, "site"), options);
    app.Party("files.").HandleDir("/", join(folder, "site"), options);
    await overSocket(app, work);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
