import { toFileUrl } from "@std/path";
import { assertEquals, assertThrows } from "@std/assert";
import { linksAreMissing, testUnless } from "../../skipped.ts";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import { directoryPath, readTemplates } from "../../../src/pages/view/directory.ts";
import { HTML } from "../../../src/pages/engine/default/html.ts";
import "../../../src/pages/view/mod.ts";
import { withFolder } from "./folder.ts";

Deno.test("readTemplates() reads all files with the extension, including those in subfolders", async () => {
  const files = { "b.html": "B", "a/deep/c.html": "C", "a/note.txt": "", ".hidden.html": "", ".git/x.html": "" };
  await withFolder(files, (folder) => {
    assertEquals([...readTemplates(folder, ".html")], [["a/deep/c.html", "C"], ["b.html", "B"]]);
    assertEquals([...readTemplates(`${folder}/`, ".html").keys()], ["a/deep/c.html", "b.html"]);
  });
});

testUnless(
  linksAreMissing,
  "readTemplates() follows links inside the directory and detects circular ones",
  async () => {
    await withFolder({ "views/real/a.html": "A", "elsewhere": "" }, (folder) => {
      Deno.symlinkSync("real/a.html", `${folder}/views/link.html`, { type: "file" });
      Deno.symlinkSync("real", `${folder}/views/folder`, { type: "dir" });
      Deno.symlinkSync("..", `${folder}/views/real/round`, { type: "dir" });
      Deno.symlinkSync("nowhere.html", `${folder}/views/dangling.html`, { type: "file" });
      Deno.symlinkSync("views", `${folder}/linked`, { type: "dir" });
      const names = ["folder/a.html", "link.html", "real/a.html"];
      assertEquals([...readTemplates(`${folder}/views`, ".html").keys()], names);
      assertEquals([...readTemplates(`${folder}/linked`, ".html").keys()], names);
    });
  },
);

testUnless(linksAreMissing, "readTemplates() rejects links that lead out of the directory", async () => {
  await withFolder({ "secret/s.html": "secret", "file/a.html": "", "folder/a.html": "" }, (folder) => {
    Deno.symlinkSync("../secret/s.html", `${folder}/file/x.html`, { type: "file" });
    Deno.symlinkSync(`${folder}/secret`, `${folder}/folder/x`, { type: "dir" });
    assertThrows(
      () => readTemplates(`${folder}/file`, ".html"),
      FrameworkError,
      `Cannot read views from "${folder}/file/x.html": it is a link that leads out of the directory`,
    );
    assertThrows(
      () => readTemplates(`${folder}/folder`, ".html"),
      FrameworkError,
      `Cannot read views from "${folder}/folder/x": it is a link that leads out of the directory`,
    );
  });
});

testUnless(
  linksAreMissing,
  "readTemplates() rejects a link that appears while the templates are reloaded",
  async () => {
    await withFolder({ "secret.html": "secret", "views/a.html": "a" }, (folder) => {
      const engine = HTML(`${folder}/views`).Reload();
      assertEquals(engine.Render("a"), "a");
      Deno.removeSync(`${folder}/views/a.html`);
      Deno.symlinkSync("../secret.html", `${folder}/views/a.html`, { type: "file" });
      assertThrows(() => engine.Render("a"), FrameworkError, "it is a link that leads out of the directory");
    });
  },
);

Deno.test("readTemplates() does not read files outside the directory", async () => {
  await withFolder({ "secret.html": "secret", "views/a.html": "a", "views/sub/b.html": "b" }, (folder) => {
    const names = [
      "../secret",
      "../secret.html",
      "/../secret.html",
      "sub/../../secret.html",
      "..\\secret.html",
      "%2e%2e/secret.html",
      "%2e%2e%2fsecret.html",
      "..%2fsecret",
      "....//secret",
      "a.html/../../secret.html",
      `${folder}/secret.html`,
      toFileUrl(`${folder}/secret.html`).href,
      "../secret.html\0",
      "secret",
    ];
    for (const reload of [false, true]) {
      const engine = HTML(`${folder}/views`).Reload(reload);
      for (const name of names) {
        assertThrows(() => engine.Render(name), FrameworkError, "Cannot find template", name);
        assertThrows(() => engine.Render("a", {}, { Layout: name }), FrameworkError, "Cannot find layout", name);
      }
    }
  });
});

Deno.test("readTemplates() reports a directory that cannot be read", async () => {
  await withFolder({ "file": "" }, (folder) => {
    const absent = assertThrows(() => readTemplates(`${folder}/absent`, ".html"), FrameworkError);
    assertEquals(absent.Code, "FW_VIEW");
    assertEquals(absent.message, `Cannot read views from "${folder}/absent": it does not exist`);
    assertThrows(
      () => readTemplates(`${folder}/file`, ".html"),
      FrameworkError,
      `Cannot read views from "${folder}/file"`,
    );
  });
});

Deno.test("directoryPath() returns a path for a path and for a file URL", () => {
  assertEquals(directoryPath("./views"), "./views");
  const isWindows = Deno.build.os === "windows";
  const url = isWindows ? "file:///C:/my%20app/views/" : "file:///my%20app/views/";
  const path = isWindows ? "C:\\my app\\views\\" : "/my app/views/";
  assertEquals([directoryPath(new URL(url)), directoryPath(url)], [path, path]);
});
