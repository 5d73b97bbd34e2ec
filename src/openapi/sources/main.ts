// deno-lint-ignore-file no-console -- this is a command-line program
/**
 * The command-line program `deno run -A jsr:@fw/web/openapi main.ts`. It writes the document of an application.
 *
 * @module
 */

import { loadApplication, shapes } from "../../app/load.ts";
import { registryOf } from "../../app/party.ts";
import { type Given, runProgram } from "../../command/command.ts";
import { buildDocument, Document, documentOf } from "../document.ts";
import { toYAML } from "../yaml.ts";
import { collectFacts } from "./facts.ts";
import { readSources } from "./read_sources.ts";

const usage = `usage: openapi MAIN [--title=TITLE] [--version=VERSION] [--yaml]

Writes the OpenAPI document of the application in MAIN to standard output, and warnings to standard error.

${shapes}

  --title=TITLE      the API title, if the application does not define a document
  --version=VERSION  the API version, if the application does not define a document
  --yaml             write YAML
  --help, -h         show this help
  --version          show the version of fw, if it is the only argument`;

/** Runs the program. Writes the document to standard output and warnings to standard error. */
export function main(args: string[]): Promise<number> {
  const text = { type: "string" } as const;
  return runProgram({ usage, options: { title: text, version: text, yaml: { type: "boolean" } }, run: write }, args);
}

async function write({ flags, names }: Given): Promise<number | undefined> {
  const [file, ...others] = names;
  if (file === undefined || others.length > 0) return undefined;
  const { app, url } = await loadApplication(file);
  await app.Build();
  const facts = await collectFacts(await readSources(url), registryOf(app).routes);
  const { title, version } = flags;
  const document = documentOf(app) ?? new Document({ Title: `${title ?? "API"}`, Version: `${version ?? "0.0.0"}` });
  const built = buildDocument(document, app, facts);
  console.log(flags["yaml"] ? toYAML(built.document) : JSON.stringify(built.document, null, 2));
  for (const warning of [...facts.warnings, ...built.warnings]) console.error(`warning: ${warning}`);
  return 0;
}
