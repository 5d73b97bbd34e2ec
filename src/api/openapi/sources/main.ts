// deno-lint-ignore-file no-console -- this is a command-line program
/**
 * The command-line program `deno run -A jsr:@fw/web/openapi main.ts`. It writes the document of an application.
 *
 * @module
 */

import { type Given, runProgram } from "../../../base/command/command.ts";
import { FrameworkError } from "../../../base/errors/errors.ts";
import type { Application } from "../../../core/app/application.ts";
import { loadApplication, shapes } from "../../../core/app/load.ts";
import { joinPaths } from "../../../core/app/party_prefix.ts";
import { buildDocument, converterOf, Document, documentsOf, routesIn, type ServedDocument } from "../document.ts";
import { toYAML } from "../yaml.ts";
import { collectFacts, readSources } from "./facts.ts";

const usage = `usage: openapi MAIN [--path=PATH] [--title=TITLE] [--api-version=VERSION] [--yaml]

Writes the OpenAPI document of the application in MAIN to standard output, and warnings to standard error. If the
application serves a document, it is the same one, with the comments and types of the sources.

${shapes}

  --path=PATH            the path of the document's page, if the application serves several documents
  --title=TITLE          the API title, if the application does not serve a document
  --api-version=VERSION  the API version, if the application does not serve a document
  --yaml                 write YAML
  --help, -h             show this help
  --version              show the version of fw`;

/** Runs the program. Writes the document to standard output and warnings to standard error. */
export function main(args: string[]): Promise<number> {
  const text = { type: "string" } as const;
  const options = { path: text, title: text, "api-version": text, yaml: { type: "boolean" } } as const;
  return runProgram({ usage, options, run: write }, args);
}

async function write({ flags, names }: Given): Promise<number | undefined> {
  const [file, ...others] = names;
  if (file === undefined || others.length > 0) return undefined;
  const { app, url } = await loadApplication(file);
  await app.Build();
  const { document, party } = selectDocument(app, flags);
  const facts = await collectFacts(await readSources(url), routesIn(document, party), converterOf(document));
  const built = buildDocument(document, party, facts);
  console.log(flags["yaml"] ? toYAML(built.document) : JSON.stringify(built.document, null, 2));
  for (const warning of [...facts.warnings, ...built.warnings]) console.error(`warning: ${warning}`);
  return 0;
}

/**
 * Returns the document selected by the flags. If the application does not serve any, a document for all its routes is
 * created.
 */
function selectDocument(app: Application, flags: Given["flags"]): Pick<ServedDocument, "document" | "party"> {
  const served = documentsOf(app);
  const { path, title = "API", "api-version": version = "0.0.0" } = flags;
  const [first, ...others] = path === undefined
    ? served
    : served.filter((each) => each.path === joinPaths("/", `${path}`));
  const paths = served.map((each) => `"${each.path}"`).join(", ");
  if (others.length > 0) {
    throw new FrameworkError("FW_CONFIG", `Cannot choose a document: the application serves ${paths}; set --path`);
  }
  if (first !== undefined) return first;
  if (path !== undefined) {
    const known = paths === "" ? "it serves none" : `it serves ${paths}`;
    throw new FrameworkError("FW_CONFIG", `Cannot find a document at "${path}" in the application: ${known}`);
  }
  return { document: new Document({ Title: `${title}`, Version: `${version}` }), party: app };
}
