/**
 * Generates the list of examples and the reference pages of the book that are lists, from the documentation in the
 * code. `deno task guide` updates the files, and a test checks that they are up to date.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";
import { errorPages } from "../book/error_pages.ts";
import { listPages } from "../book/list_pages.ts";
import { membersPages } from "../book/member_pages.ts";
import { optionPages } from "../book/option_pages.ts";
import { exampleNames, headerOf } from "./example.ts";

const root = fromFileUrl(new URL("../../", import.meta.url));

/** Generates the files, by their paths in the repository. */
export async function generatedFiles(): Promise<Map<string, string>> {
  const pages = [...errorPages(), ...await listPages(), ...await membersPages(), ...await optionPages()];
  const files = pages.map(([name, text]) => [`examples/book/reference/${name}.md`, text] as const);
  return new Map([["examples/README.md", await examplesList()], ...files]);
}

async function examplesList(): Promise<string> {
  const lines = (await exampleNames()).map(async (name) =>
    `- [\`${name}\`](./${name}/main.ts): ${(await headerOf(name)).summary}`
  );
  return `# Examples

Complete programs, each with its tests in \`tests/examples\`. \`deno task example\` lists them, and
\`deno task example NAME\` runs one with the permissions that it needs. For a single task, see the how-to guides in the
[book](./book/README.md). Each of them contains a complete program with its tests. The folder
[\`extension\`](./extension/mod.ts) is a package with an extension.

${(await Promise.all(lines)).join("\n")}
`;
}

if (import.meta.main) {
  for (const [file, text] of await generatedFiles()) await Deno.writeTextFile(join(root, file), text);
}
