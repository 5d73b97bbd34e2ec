/**
 * Reads the declarations of a program's local modules through `deno doc`.
 *
 * @module
 */

import { DocNodes } from "./doc_nodes.ts";

/** Reads the declarations of a program's local modules. */
export async function readSources(main: string): Promise<DocNodes> {
  const { modules } = JSON.parse(await runDeno(["info", "--json", main])) as { modules: { specifier?: string }[] };
  const local = modules.map((module) => module.specifier ?? "").filter((specifier) => specifier.startsWith("file:"));
  const { nodes } = JSON.parse(await runDeno(["doc", "--json", "--private", ...local]));
  return new DocNodes(nodes);
}

async function runDeno(args: readonly string[]): Promise<string> {
  const env = { NO_COLOR: "1" };
  const command = new Deno.Command(Deno.execPath(), { args: [...args], env, stdout: "piped", stderr: "piped" });
  const { code, stdout, stderr } = await command.output();
  if (code === 0) return new TextDecoder().decode(stdout);
  throw new Error(`Cannot read the sources with "deno ${args[0]}": ${new TextDecoder().decode(stderr).trim()}`);
}
