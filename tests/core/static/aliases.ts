/**
 * A site whose files have further names on some file systems, and the requests that ask for them.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { basename, join, toFileUrl } from "@std/path";
import { overSocket, quiet } from "../../serving.ts";

const files: Readonly<Record<string, string>> = {
  "Site/.env": "SECRET",
  "Site/.git/config": "SECRET",
  "Site/admin/secret.txt": "SECRET",
  "Site/a long name.txt": "long",
  "Site/app.js": "plain",
  "Site/APP.JS.GZ": "\x1f\x8b",
  "Site/docs/INDEX.HTML": "not the index",
  "Site/\u00e9.txt": "composed",
};

/** Returns a file's short name, or `undefined` if the file has none. */
export type ShortName = (path: string) => string | undefined;

/** Creates the site in a folder. */
export async function laySite(folder: string): Promise<string[]> {
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(join(folder, path, ".."), { recursive: true });
    await Deno.writeTextFile(join(folder, path), text);
  }
  const folders = ["Site/.git", "Site/admin", "Site/docs"];
  return [...Object.keys(files), ...folders].map((path) => join(folder, path));
}

/** Asserts that every file of the site is served under its true name only, in all ways to serve a file. */
export async function assertTrueNames(folder: string, shortName: ShortName): Promise<void> {
  const site = join(folder, "Site");
  const app = quiet();
  app.HandleDir("/", site, { ShowList: true });
  app.Party("/admin").Use((ctx) => ctx.StopWithStatus(401));
  app.HandleDir("/spa", site, { SPA: true, IndexName: "App.js" });
  app.Get("/rooted/{f:path}", (ctx) => ctx.ServeFile(ctx.Params().Get("f"), { Root: site }));
  app.Get("/url/{f:path}", (ctx) => {
    const root = toFileUrl(`${site}/`);
    return ctx.ServeFile(new URL(ctx.Params().Get("f").split("/").map(encodeURIComponent).join("/"), root), {
      Root: root,
    });
  });
  app.Get("/joined/{f}", (ctx) => ctx.ServeFile(join(site, ctx.Params().Get("f"))));
  app.Get("/sent/{f}", (ctx) => ctx.SendFile(join(site, ctx.Params().Get("f"))));
  app.Favicon(join(site, "APP.js"), "/favicon.ico");
  await overSocket(app, async (ask) => {
    // The second round is served from the caches.
    for (let round = 0; round < 2; round++) {
      for (const way of ["", "/rooted", "/url", "/joined", "/sent"]) {
        for (const name of ["a long name.txt", "app.js", "\u00e9.txt"]) {
          const { status, text } = await ask(`${way}/${encodeURIComponent(name)}`);
          assertEquals([status, text], [200, files[`Site/${name}`]], `${way}/${name}`);
        }
        for (const alias of aliases(site, shortName)) {
          const { status, text } = await ask(`${way}/${alias.split("/").map(encodeURIComponent).join("/")}`);
          assertEquals([status, text.includes("SECRET")], [404, false], `${way}/${alias}`);
        }
      }
      assertEquals((await ask("/admin/secret.txt")).status, 401);
      // A driver that ignores the case of letters may list all names in small ones.
      const isSmall = [...Deno.readDirSync(join(site, "docs"))].every(({ name }) => name === "index.html");
      assertEquals((await ask("/docs/")).text.includes("not the index"), isSmall);
      const neighbor = await ask("/app.js", { headers: { "accept-encoding": "gzip" } });
      assertEquals(neighbor.headers.get("content-encoding"), isSmall ? "gzip" : null);
      assertEquals((await ask("/spa/deep/link", { headers: { accept: "text/html" } })).status, 404);
      assertEquals((await ask("/favicon.ico")).status, 404);
      const { text } = await ask("/");
      assert(text.includes("a%20long%20name.txt") && !text.includes(".env"), text);
    }
  });
}

/** Returns further names of the files, whether the file system knows them or not. */
function aliases(site: string, shortName: ShortName): string[] {
  const short = (path: string) => shortName(join(site, path)) ?? basename(path).toUpperCase();
  return [
    short(".env"),
    short(".env").toLowerCase(),
    `${short(".git")}/config`,
    `${short("admin")}/secret.txt`,
    short("a long name.txt"),
    "ADMIN/secret.txt",
    "Admin/SECRET.TXT",
    "admin./secret.txt",
    "A LONG NAME.TXT",
    "App.js",
    "app.JS",
    "app.js.",
    "app.js ",
    "app.js::$DATA",
    "app.js:stream",
    "e\u0301.txt",
    "\u00c9.txt",
    "CON",
    "con.txt",
    "CONIN$",
    "NUL",
    "docs/aux.h",
  ].filter((path) => files[`Site/${path}`] === undefined);
}
