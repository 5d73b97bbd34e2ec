/** Tests files that are replaced while information about them is cached. */

import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import type * as fw from "../../../mod.ts";
import { overSocket, quiet } from "../../serving.ts";

const letters = "0123456789";
const secret = "SECRET".repeat(20_000);

/** Replacements for `site/file.txt` or `site/folder`. */
const swaps: Readonly<Record<string, (folder: string) => Promise<void>>> = {
  "a link that leads out": async (folder) => {
    await Deno.remove(join(folder, "site/folder/file.txt"));
    await Deno.symlink(join(folder, "secret/file.txt"), join(folder, "site/folder/file.txt"));
  },
  "a relative link that leads out": async (folder) => {
    await Deno.remove(join(folder, "site/folder/file.txt"));
    await Deno.symlink("../../secret/file.txt", join(folder, "site/folder/file.txt"));
  },
  "a folder that is a link that leads out": async (folder) => {
    await Deno.remove(join(folder, "site/folder"), { recursive: true });
    await Deno.symlink(join(folder, "secret"), join(folder, "site/folder"));
  },
  "a pipe": async (folder) => {
    await Deno.remove(join(folder, "site/folder/file.txt"));
    await new Deno.Command("mkfifo", { args: [join(folder, "site/folder/file.txt")] }).output();
  },
  "a folder": async (folder) => {
    await Deno.remove(join(folder, "site/folder/file.txt"));
    await Deno.mkdir(join(folder, "site/folder/file.txt"));
  },
  "nothing": (folder) => Deno.remove(join(folder, "site/folder/file.txt")),
};

const ways: Readonly<Record<string, (app: fw.Application, folder: string) => void>> = {
  "Party.HandleDir()": (app, folder) => void app.HandleDir("/", join(folder, "site"), { SPA: false }),
  "Context.ServeFile() with a root": (app, folder) =>
    void app.Get("/{name:path}", (ctx) => ctx.ServeFile(ctx.Params().Get("name"), { Root: join(folder, "site") })),
};

for (const [way, serve] of Object.entries(ways)) {
  for (const [what, swap] of Object.entries(swaps)) {
    for (const size of [10, 200_000]) {
      Deno.test(`${way} does not serve ${what} in place of a file of ${size} bytes served just before`, async () => {
        const folder = await Deno.makeTempDir();
        try {
          await Deno.mkdir(join(folder, "site/folder"), { recursive: true });
          await Deno.mkdir(join(folder, "secret"));
          const text = letters.repeat(size / 10);
          await Deno.writeTextFile(join(folder, "site/folder/file.txt"), text);
          await Deno.writeTextFile(join(folder, "secret/file.txt"), secret);
          const app = quiet();
          app.Get("/alive", (ctx) => ctx.WriteString("alive"));
          serve(app, folder);
          await overSocket(app, async (ask) => {
            for (let times = 0; times < 3; times++) assertEquals((await ask("/folder/file.txt")).text, text);
            const { headers } = await ask("/folder/file.txt", { method: "HEAD" });
            await swap(folder);
            for (const method of ["GET", "HEAD"]) {
              for (const header of [{}, { range: "bytes=0-5" }, { "if-none-match": headers.get("etag") ?? "" }]) {
                const [response, alive] = await Promise.all([
                  ask("/folder/file.txt", { method, headers: header as Record<string, string> }),
                  ask("/alive"),
                ]);
                // HandleDir still treats the path as a file and does not redirect to a folder.
                assertEquals([response.status, alive.text], [404, "alive"]);
                assertEquals(response.text.includes("SECRET"), false);
              }
            }
          });
        } finally {
          await Deno.remove(folder, { recursive: true });
        }
      });
    }
  }
}

/** Makes the system deny access to one path, because root is never denied access. */
function forbidding(path: string): Disposable {
  const { open, stat, realPath, readDir } = Deno;
  function check(given: string | URL): void {
    if (String(given).startsWith(path)) throw new Deno.errors.PermissionDenied("Permission denied (os error 13)");
  }
  Deno.open = async (given, options) => (check(given), await open(given, options));
  Deno.stat = async (given) => (check(given), await stat(given));
  Deno.readDir = (given) => (check(given), readDir(given));
  return {
    [Symbol.dispose]: () => void Object.assign(Deno, { open, stat, realPath, readDir }),
  };
}

Deno.test("Party.HandleDir() responds with 403 or 404 to unreadable files, and still lists the rest", async () => {
  const folder = await Deno.makeTempDir();
  try {
    for (const name of ["open.txt", "closed.txt"]) await Deno.writeTextFile(join(folder, name), letters);
    await Deno.mkdir(join(folder, "locked"));
    const app = quiet();
    app.HandleDir("/", folder, { ShowList: true });
    const ask = async (path: string) => {
      const response = await app.fetch(new Request(`http://localhost${path}`));
      return [response.status, await response.text()] as const;
    };
    {
      using _forbidden = forbidding(join(folder, "closed.txt"));
      const [status, page] = await ask("/");
      assertEquals([status, page.includes("open.txt")], [200, true]);
      assertEquals([403, 404].includes((await ask("/closed.txt"))[0]), true);
    }
    assertEquals((await ask("/locked/"))[0], 200);
    using _forbidden = forbidding(join(folder, "locked"));
    assertEquals([403, 404].includes((await ask("/locked/"))[0]), true);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
