// deno-lint-ignore-file no-console -- this is a command-line program
/**
 * The command-line program `deno run jsr:@fw/web/explain`.
 *
 * @module
 */

import { loadModule } from "../../base/async/lazy_module.ts";
import { type Given, runProgram } from "../../base/command/command.ts";
import { type ErrorCode, ErrorCodes } from "../../base/errors/errors.ts";
import { alignColumns } from "../../base/text/columns.ts";
import { nearNames } from "../../base/text/near_names.ts";
import type { ErrorText } from "../../core/context/extension.ts";
import { renderDeclared, renderPage } from "./page.ts";
import { pages } from "./pages.ts";

const usage = `usage: explain CODE [MAIN]
       explain --list [MAIN]

Prints the cause, the remedy and an example of an error code, such as FW_TEMPLATE. Letter case and the prefix FW_ may
be omitted. With MAIN, also explains the codes that the extensions of the application in MAIN declare.

  --list      list all codes
  --help, -h  show this help
  --version   show the version of fw`;

/** The exit code for a code that does not exist. */
const UNKNOWN = 2;

/** Runs the program. */
export function main(args: string[]): Promise<number> {
  return runProgram({ usage, options: { list: { type: "boolean" } }, run: print }, args);
}

async function print({ flags, names }: Given): Promise<number | undefined> {
  const isList = flags["list"] === true;
  const [asked, file, ...others] = isList ? [undefined, ...names] : names;
  if (others.length > 0 || (asked === undefined && !isList)) return undefined;
  const declared = file === undefined ? new Map() : await declaredIn(file);
  return asked === undefined ? list(declared) : tell(asked, declared);
}

/** An error code of an extension. */
interface Declared {
  readonly extension: string;
  readonly text: ErrorText;
}

/** Returns the error codes that the extensions of an application declare. */
async function declaredIn(file: string): Promise<ReadonlyMap<string, Declared>> {
  const { loadApplication } = await loadModule(() => import("../../core/app/load.ts"));
  const { app } = await loadApplication(file);
  return new Map(
    app.Extensions().flatMap(({ Name: extension, Errors }) =>
      Object.entries(Errors).map(([code, text]): [string, Declared] => [code, { extension, text }])
    ),
  );
}

function list(declared: ReadonlyMap<string, Declared>): number {
  const more = Array.from(declared, ([code, { text }]) => [code, text.Meaning]);
  console.log(alignColumns([...Object.entries(ErrorCodes), ...more]).join("\n"));
  return 0;
}

function tell(asked: string, declared: ReadonlyMap<string, Declared>): number {
  const bare = bareCode(asked);
  const code = fullCode(bare);
  const page = pageOf(bare, declared) ?? pageOf(code, declared);
  if (page !== undefined) {
    console.log(page.trimEnd());
    return 0;
  }
  const [nearest] = [code, bare].flatMap((each) => nearNames(each, [...Object.keys(pages), ...declared.keys()]));
  const hint = nearest === undefined ? "" : `; did you mean "${nearest}"?`;
  console.error(`Cannot explain "${asked}": there is no such code${hint} (--list shows all codes)`);
  return UNKNOWN;
}

function pageOf(code: string, declared: ReadonlyMap<string, Declared>): string | undefined {
  if (isCode(code)) return renderPage(code, pages[code]);
  const found = declared.get(code);
  return found && renderDeclared(code, found.text, found.extension);
}

function bareCode(asked: string): string {
  return asked.replace(/^\W+|\W+$/g, "").toUpperCase().replaceAll("-", "_");
}

/** Completes a code: `[FW_VIEW]`, `fw-view` and `view` mean `FW_VIEW`. */
function fullCode(bare: string): string {
  return bare.startsWith("FW_") ? bare : `FW_${bare}`;
}

function isCode(text: string): text is ErrorCode {
  return Object.hasOwn(pages, text);
}
