// deno-lint-ignore-file no-console -- a program of the command line speaks on the terminal
/**
 * The program behind `deno run -A jsr:@fw/web/openapi main.ts`: the document of an application with what its sources
 * say.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { loadApplication } from "../../app/inspect/load.ts";
import { registryOf } from "../../app/party.ts";
import { buildDocument, Document, documentOf } from "../document.ts";
import { toYAML } from "../yaml.ts";
import { collectFacts } from "./facts.ts";
import { readSources } from "./read_sources.ts";

const usage = `usage: openapi MAIN [--title=TITLE] [--version=VERSION] [--yaml]

Writes the OpenAPI document of the application that the module MAIN exports, as "newApp" or as its default.`;

/** Runs the program; the document goes to standard output, warnings to standard error. */
export async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { title: { type: "string" }, version: { type: "string" }, yaml: { type: "boolean" } },
  });
  const [file] = positionals;
  if (file === undefined) {
    console.error(usage);
    return 2;
  }
  try {
    const { app, url } = await loadApplication(file);
    await app.Build();
    const facts = collectFacts(await readSources(url), registryOf(app).routes);
    const document = documentOf(app) ??
      new Document({ Title: values.title ?? "API", Version: values.version ?? "0.0.0" });
    const built = buildDocument(document, app, facts);
    console.log(values.yaml ? toYAML(built) : JSON.stringify(built, null, 2));
    for (const warning of facts.warnings) console.error(`warning: ${warning}`);
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    return 1;
  }
}
