import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import { hasName, namesIn } from "../../../../src/http/response/file/true_names.ts";
import { assertTrueNames, laySite } from "../../../core/static/aliases.ts";
import { windowsShortName } from "../../../core/static/short_names.ts";
import { overSocket, quiet } from "../../../serving.ts";

Deno.test("Party.HandleDir() and Context.ServeFile() serve a file under its true name only", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await laySite(folder);
    await assertTrueNames(folder, Deno.build.os === "windows" ? windowsShortName : () => undefined);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("Party.HandleDir() serves a file as soon as it has been created or renamed", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const app = quiet();
    app.HandleDir("/", folder);
    app.Get("/sent/{f}", (ctx) => ctx.SendFile(join(folder, ctx.Params().Get("f"))));
    await overSocket(app, async (ask) => {
      for (let at = 0; at < 50; at++) {
        await Deno.writeTextFile(join(folder, `${at}.txt`), String(at));
        assertEquals((await ask(`/${at}.txt`)).text, String(at));
        assertEquals((await ask(`/sent/${at}.txt`)).text, String(at));
        await Deno.rename(join(folder, `${at}.txt`), join(folder, `moved${at}.txt`));
        assertEquals((await ask(`/moved${at}.txt`)).text, String(at));
        assertEquals((await ask(`/sent/${at}.txt`)).status, 404);
      }
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("Party.HandleDir() serves the root of a file system", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(join(folder, "a.txt"), "text");
    const path = join(await Deno.realPath(folder), "a.txt");
    const [root = "/"] = /^(?:[a-z]:\\|\/)/i.exec(path) ?? [];
    const app = quiet();
    app.HandleDir("/", root, { ShowList: true });
    app.HandleDir("/files", root, { ShowHidden: true });
    // On Windows, such a path is passed on as it is.
    app.HandleDir("/folder", Deno.build.os === "windows" ? `\\\\?\\${path.slice(0, -6)}` : path.slice(0, -6));
    await overSocket(app, async (ask) => {
      const below = path.slice(root.length).replaceAll("\\", "/");
      for (const prefix of ["/", "/files/"]) {
        const { status, text } = await ask(prefix + below);
        assertEquals([status, text], [200, "text"], prefix + below);
      }
      assertEquals((await ask("/")).status, 200);
      assertEquals((await ask("/folder/a.txt")).text, "text");
    });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("hasName() answers many questions at once and does not mistake a new file for a missing one", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(join(folder, "a.txt"), "");
    const answers = await Promise.all(Array.from({ length: 20 }, () => hasName(folder, "a.txt")));
    assertEquals(new Set(answers), new Set([true]));
    assertEquals([await hasName(folder, "A.txt"), await hasName(folder, "a.txt")], [false, true]);
    const first = hasName(folder, "c.txt");
    await Deno.writeTextFile(join(folder, "b.txt"), "");
    assertEquals([await hasName(folder, "b.txt"), await first], [true, false]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("namesIn() returns every name of a relative path, and the last one of an absolute path", () => {
  const rows: [Parameters<typeof namesIn>, ReturnType<typeof namesIn>][] = [
    [["a.txt", "linux"], [[".", "a.txt"]]],
    [["./public//sub/a.txt", "darwin"], [[".", "public"], ["public", "sub"], ["public/sub", "a.txt"]]],
    [["/srv/Site/a.txt", "linux"], [["/srv/Site/", "a.txt"]]],
    [["public\\a.txt", "linux"], [[".", "public\\a.txt"]]],
    [["public\\a.txt", "windows"], [[".", "public"], ["public", "a.txt"]]],
    [["C:\\Users\\RUNNER~1\\a.txt", "windows"], [["C:\\Users\\RUNNER~1\\", "a.txt"]]],
    [["c:a.txt", "windows"], [["c:", "a.txt"]]],
    [["//host/share/a.txt", "windows"], [["//host/share/", "a.txt"]]],
    [["C:/x/a.txt:stream", "windows"], [["C:/x/", "a.txt:stream"]]],
  ];
  for (const [given, expected] of rows) assertEquals(namesIn(...given), expected, given[0]);
});
