import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import * as fw from "@fw/web";
import * as explain from "@fw/web/explain";
import { isShell, withImports } from "../../../src/tools/explain/page.ts";
import { pages } from "../../../src/tools/explain/pages.ts";
import { readBook } from "../../book/pages.ts";
import { entries } from "../../repo/entries.ts";
import { root, runProgram } from "../../running.ts";

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs the program without any permission. */
async function explained(...args: string[]): Promise<Ended> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-check", "--no-lock", join(root, "src/tools/explain/mod.ts"), ...args],
    env: { NO_COLOR: "1" },
  });
  const { code, stdout, stderr } = await command.output();
  return { code, out: new TextDecoder().decode(stdout), err: new TextDecoder().decode(stderr) };
}

Deno.test("explain has a page for every error code and no other pages", async () => {
  assertEquals(Object.keys(pages).sort(), Object.keys(fw.ErrorCodes).sort());
  const names = new Map((await readBook()).map(({ title, name }) => [title, name]));
  for (const [code, { cause, remedy, wrong, right, chapter }] of Object.entries(pages)) {
    for (const text of [cause, remedy]) assert(/^[A-Z`].{40,}\.$/.test(text), `${code}: ${text}`);
    assert(wrong !== right && wrong !== "", code);
    const page = `/book/${names.get(chapter)}\n`;
    assert(explain.Page(code as fw.ErrorCode).endsWith(page), `${code}: ${chapter}`);
  }
});

Deno.test("explain CODE prints the title, cause, remedy and example of a code, without permissions", async () => {
  const { code, out, err } = await explained("FW_TEMPLATE");
  assertEquals([code, err], [0, ""]);
  assertEquals(out, explain.Page("FW_TEMPLATE"));
  const parts = ["# FW_TEMPLATE: A path template is invalid", "## Cause", "## Remedy", "## Example", "{id:int}"];
  for (const part of parts) assertStringIncludes(out, part);
});

Deno.test("explain accepts a code without its prefix, in lower case, and in brackets", async () => {
  for (const spelled of ["view", "fw_view", "[FW_VIEW]", "fw-view"]) {
    assertEquals((await explained(spelled)).out, explain.Page("FW_VIEW"), spelled);
  }
});

Deno.test("explain exits with 2 for an unknown code and suggests the nearest one", async () => {
  const { code, out, err } = await explained("FW_TEMPLTE");
  assertEquals([code, out], [2, ""]);
  assertEquals(
    err,
    'Cannot explain "FW_TEMPLTE": there is no such code; did you mean "FW_TEMPLATE"? (--list shows all codes)\n',
  );
  assertEquals((await explained("constructor")).code, 2);
  assertEquals((await explained("FW_VIEW", "main.ts", "FW_BODY")).code, 2);
  assertStringIncludes((await explained()).err, "usage: explain CODE");
});

Deno.test("explain --list lists every code with its description", async () => {
  const { code, out } = await explained("--list");
  assertEquals(code, 0);
  const rows = out.trimEnd().split("\n").map((line) => line.split(/ {2,}/));
  assertEquals(rows, Object.entries(fw.ErrorCodes).map(([name, says]) => [name, says]));
});

const extended = `
import * as fw from "${toFileUrl(join(root, "mod.ts"))}";
const inner = fw.New();
inner.Install({
  Name: "flags",
  Install: (host) => void host.Errors({ FLAG_STALE: { Meaning: "A flag is too old", Remedy: "Refresh the flags." } }),
});
const app = fw.New();
app.Mount("/flags", inner);
export default app;
`;

Deno.test("explain CODE MAIN prints the meaning and remedy that an extension declares, also in a mounted application", async () => {
  const file = await Deno.makeTempFile({ suffix: ".ts" });
  try {
    await Deno.writeTextFile(file, extended);
    const run = (...args: string[]) => runProgram("src/tools/explain/mod.ts", args);
    const page = "# FLAG_STALE: A flag is too old\n\n## Remedy\n\nRefresh the flags.\n\n" +
      'The extension "flags" declares this code.\n';
    for (const spelled of ["FLAG_STALE", "[flag-stale]"]) {
      assertEquals(await run(spelled, file), { code: 0, out: page, err: "" }, spelled);
    }
    assertEquals((await run("FW_VIEW", file)).out, explain.Page("FW_VIEW"));
    assertMatch((await run("--list", file)).out, /^FW_[^]*\nFLAG_STALE +A flag is too old\n$/);
    const unknown = await run("FLAG_STAL", file);
    assertEquals([unknown.code, unknown.out], [2, ""]);
    assertStringIncludes(unknown.err, 'did you mean "FLAG_STALE"?');
    assertEquals((await run("FLAG_STALE")).code, 2);
    const missing = await run("FLAG_STALE", `${file}x`);
    assertEquals(missing.code, 1);
    assertStringIncludes(missing.err, "Cannot load");
  } finally {
    await Deno.remove(file);
  }
});

/** Reports whether an example can be run here. Servers would not stop. */
function isRunnable(program: string): boolean {
  return !isShell(program) && !program.includes("app.Run(");
}

for (const [code, { wrong, right }] of Object.entries(pages).filter(([, { wrong }]) => isRunnable(wrong))) {
  Deno.test({
    name: `explain ${code}: the example fails with the code, and the corrected one does not`,
    // The examples stop before they close what they have opened.
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      assertEquals(await codesOf(wrong), [code]);
      assertEquals(await codesOf(right), []);
    },
  });
}

for (const code of ["FW_ADDRESS", "FW_LISTEN"] as const) {
  Deno.test(`explain ${code}: the example exits with 1 and prints the code in one line`, async () => {
    const folder = await Deno.makeTempDir();
    try {
      const main = join(folder, "main.ts");
      await Deno.writeTextFile(main, withImports(pages[code].wrong));
      const args = ["run", "--no-check", "--allow-net", "--config", join(root, "deno.json"), main];
      const ended = await new Deno.Command(Deno.execPath(), { args, env: { NO_COLOR: "1" } }).output();
      assertEquals(ended.code, 1);
      assertMatch(new TextDecoder().decode(ended.stderr), new RegExp(`^Cannot .* \\[${code}\\]\n$`));
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

/** Runs an example and returns the codes of the errors that it throws and of those that its requests end with. */
async function codesOf(program: string): Promise<unknown[]> {
  const codes = new Set<unknown>();
  const note = (error: unknown) => void codes.add((error as { Code?: unknown }).Code ?? error);
  const watch = (app: fw.Application): fw.Application => {
    app.Logger().SetLevel("disable");
    app.OnAnyErrorCode((ctx) => {
      const error = ctx.GetErr();
      if (error !== undefined) note(error);
    });
    return app;
  };
  const folder = await Deno.makeTempDir();
  try {
    const text = withImports(program).replaceAll("fw.New()", "globalThis.watch(fw.New())")
      .replace(/"(@fw\/web[^"]*)"/g, (_, entry) => `"${toFileUrl(root)}${new Map(entries).get(entry)}"`);
    await Deno.writeTextFile(join(folder, "main.ts"), text);
    Object.assign(globalThis, { watch });
    await import(toFileUrl(join(folder, "main.ts")).href).catch(note);
  } finally {
    Reflect.deleteProperty(globalThis, "watch");
    Deno.exitCode = 0;
    await Deno.remove(folder, { recursive: true });
  }
  return [...codes];
}
