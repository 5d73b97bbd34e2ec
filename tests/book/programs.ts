/**
 * Extracts the programs from the pages of the book, checks their types with one `deno check`, and runs their tests in
 * one `deno test`.
 *
 * A code block belongs to the program of its page if its first line is a comment with a path: `// main.ts`,
 * `<!-- views/index.html -->`, `# locales/en.yml`. `tutorial.ts` builds the steps of the tutorial.
 *
 * @module
 */

import { dirname, fromFileUrl, join, toFileUrl } from "@std/path";
import config from "../../deno.json" with { type: "json" };
import examples from "../../examples/deno.json" with { type: "json" };
import { copyCheckout } from "../unchecked.ts";
import { blocksOf } from "./markdown.ts";
import type { Page } from "./pages.ts";

const root = fromFileUrl(new URL("../../", import.meta.url));
const named = /^(?:\/\/|#|--|<!--|\/\*|<%\/\*|\{\{!)\s*([\w.@-]*(?:\/[\w.@-]+)*\.\w+)\s*(?:-->|\*\/|\*\/%>|\}\})?$/;

/** A file of a program. */
export interface ProgramFile {
  readonly path: string;
  readonly code: string;
  /** The page that contains the file. */
  readonly page: string;
  /** The line of the page before the first line of the file. */
  readonly line: number;
}

/** Lists the files of the program on a page. The line with the path is empty, so that line numbers stay the same. */
export function filesOf({ text, file }: Pick<Page, "text" | "file">): ProgramFile[] {
  return blocksOf(text).flatMap(({ code, line }) => {
    const [first = "", ...rest] = code.split("\n");
    const path = named.exec(first.trim())?.[1];
    return path === undefined ? [] : [{ path, code: ["", ...rest].join("\n"), page: file, line }];
  });
}

/** Lists the programs by page name, without pages that have none, and without the tutorial; see `tutorial.ts`. */
export function programsOf(pages: readonly Page[]): Map<string, ProgramFile[]> {
  const programs = new Map<string, ProgramFile[]>();
  for (const page of pages) {
    const files = page.kind === "tutorial" ? [] : filesOf(page);
    if (files.length > 0) programs.set(page.name, files);
  }
  return programs;
}

/** The result of a run: the output of Deno, with the lines of pages instead of those of files. */
export interface Outcome {
  readonly success: boolean;
  readonly output: string;
}

/**
 * Checks and tests programs.
 *
 * @param programs The programs by page name.
 * @returns The outcome of the check if it fails, and otherwise that of the tests.
 */
export async function runPrograms(programs: ReadonlyMap<string, readonly ProgramFile[]>): Promise<Outcome> {
  const folder = await newFolder(programs.keys());
  try {
    await write(folder, "deno.json", JSON.stringify(settings(root)));
    // The check of the programs does not repeat that of fw.
    await copyCheckout(join(folder, "fw"));
    await write(folder, "check.json", JSON.stringify(settings(join(folder, "fw"))));
    await Deno.copyFile(join(root, "deno.lock"), join(folder, "deno.lock"));
    const sources: string[] = [];
    for (const [name, files] of programs) {
      for (const { path, code } of files) {
        await write(folder, `${name}/${path}`, code);
        if (/\.tsx?$/.test(path)) sources.push(`${name}/${path}`);
      }
    }
    if (sources.length === 0) return { success: true, output: "" };
    const tests = sources.filter((path) => /_test\.tsx?$/.test(path));
    // Deno runs each file on its own. A program with policies makes httptest watch the writes of all others.
    const watched = new Set(programs.entries().filter(([, files]) => files.some(hasPolicies)).map(([name]) => name));
    const [plain = [], strict = []] = [false, true].map((isWatched) =>
      tests.filter((path) => watched.has(path.split("/")[0] ?? "") === isWatched)
    );
    await write(folder, "all_test.js", gathered(plain));
    await write(folder, "policies_test.js", gathered(strict));
    const shown = (output: string) => onPages(output, folder, programs);
    const checked = await deno(folder, ["check", "--quiet", "--config=check.json", ...sources]);
    if (!checked.success || tests.length === 0) return { ...checked, output: shown(checked.output) };
    const flags = ["-A", "--no-check", "--unstable-kv", "--sanitize-ops", "--sanitize-resources"];
    const tested = await deno(folder, ["test", ...flags, "all_test.js", "policies_test.js"]);
    return { ...tested, output: shown(tested.output) };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function hasPolicies({ code }: ProgramFile): boolean {
  return code.includes("@fw/web/policy");
}

/**
 * Creates a folder. The same pages get the same one, so that Deno finds the results of its last type check, unless they
 * are running already.
 */
async function newFolder(names: Iterable<string>): Promise<string> {
  const text = new TextEncoder().encode([root, ...names].join(" "));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", text)).toHex().slice(0, 16);
  const other = await Deno.realPath(await Deno.makeTempDir({ prefix: "fw_book_" }));
  const folder = join(dirname(other), `fw_book_${hash}`);
  try {
    await Deno.mkdir(folder);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    return other;
  }
  await Deno.remove(other);
  return folder;
}

/** Returns the configuration of a reader who has installed fw, with the sources of a checkout. */
function settings(checkout: string): unknown {
  const own = Object.entries(config.exports).map(([entry, file]) =>
    [config.name + entry.slice(1), toFileUrl(join(checkout, file)).href] as const
  );
  return {
    imports: { ...config.imports, ...Object.fromEntries(own) },
    links: config.links.map((link) => join(checkout, link)),
    compilerOptions: { ...examples.compilerOptions, jsx: "react-jsx", jsxImportSource: "npm:preact@^10" },
  };
}

/**
 * Returns a module with the tests of all pages. fw is loaded only once, which takes longer than most of the tests. Each
 * program and each of its tests runs in the folder of its page, and the name of a test begins with that of the page.
 */
function gathered(tests: readonly string[]): string {
  return `import { join } from ${JSON.stringify(import.meta.resolve("@std/path"))};
const register = Deno.test;
const folder = import.meta.dirname ?? "";
for (const path of ${JSON.stringify(tests)}) {
  const [page = ""] = path.split("/");
  const entered = (fn) => (t) => (Deno.chdir(join(folder, page)), fn(t));
  Deno.test = Object.assign((...args) => {
    const fn = args.findLast((each) => typeof each === "function") ?? args[0].fn;
    const options = args.find((each) => typeof each === "object") ?? {};
    const name = typeof args[0] === "string" ? args[0] : options.name ?? fn.name;
    register({ ...options, name: page + ": " + name, fn: entered(fn) });
  }, register);
  Deno.chdir(join(folder, page));
  await import("./" + path);
}
`;
}

/** Replaces the files and lines in an output with those of the pages. */
function onPages(output: string, folder: string, programs: ReadonlyMap<string, readonly ProgramFile[]>): string {
  const places = new RegExp(
    `(?:file://)?(?:${RegExp.escape(folder)}|\\.)/([\\w-]+)/([\\w./@-]+?\\.\\w+):(\\d+)(:\\d+)?`,
    "g",
  );
  return output.replaceAll(places, (whole, name: string, path: string, line: string) => {
    const file = programs.get(name)?.find((each) => each.path === path);
    return file === undefined ? whole : `${file.page}:${file.line + Number(line)} (${path})`;
  });
}

async function write(folder: string, path: string, text: string): Promise<void> {
  await Deno.mkdir(dirname(join(folder, path)), { recursive: true });
  await Deno.writeTextFile(join(folder, path), text);
}

async function deno(cwd: string, args: readonly string[]): Promise<Outcome> {
  const command = new Deno.Command(Deno.execPath(), { args: [...args], cwd, env: { NO_COLOR: "1" } });
  const { success, stdout, stderr } = await command.output();
  return { success, output: new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr) };
}
