/**
 * `deno task book` serves the book and reloads its pages when a file changes. `deno task book build FOLDER` writes the
 * site for static hosting. The address of the site and the address of the repository's files can follow.
 *
 * @module
 */

import { fromFileUrl } from "@std/path";

const folder = fromFileUrl(new URL("../../examples/book/", import.meta.url));
const home = fromFileUrl(new URL("../../README.md", import.meta.url));

/** Writes the site. */
async function build([target, Site, Source]: string[]): Promise<void> {
  if (target === undefined) {
    throw new Error('Cannot build the book: no folder is given, as in "deno task book build FOLDER"');
  }
  // The examples are a separate workspace member with their own compiler options.
  const site = new URL("../../examples/book/site/", import.meta.url);
  const [{ newApp }, { buildSite }] = await Promise.all(
    ["main.ts", "build.ts"].map((name) => import(new URL(name, site).href)),
  );
  const app = newApp({ ...Site !== undefined && { Site }, ...Source !== undefined && { Source } });
  await buildSite(app, new URL("public/", site), target);
}

/** Serves the site with `deno run --watch`, which restarts it when a page, a view or a module changes. */
async function serve(): Promise<number> {
  const args = [
    "run",
    `--watch=${folder},${home}`,
    "--no-clear-screen",
    "--allow-net",
    `--allow-read=${folder},${home}`,
    `${folder}site/main.ts`,
    "--reload",
  ];
  let child: Deno.ChildProcess | undefined = undefined;
  Deno.addSignalListener("SIGTERM", () => child?.kill("SIGTERM"));
  // A terminal also sends Ctrl+C to the child process.
  Deno.addSignalListener("SIGINT", () => Deno.stdin.isTerminal() || child?.kill("SIGINT"));
  child = new Deno.Command(Deno.execPath(), { args }).spawn();
  return (await child.status).code;
}

if (import.meta.main) {
  if (Deno.args[0] === "build") await build(Deno.args.slice(1));
  else Deno.exit(await serve());
}
