// deno-lint-ignore-file no-console -- this is a command-line program
/**
 * The command-line program `deno run jsr:@fw/web/explain`.
 *
 * @module
 */

import { type Given, runProgram } from "../command/command.ts";
import { type ErrorCode, ErrorCodes } from "../errors/errors.ts";
import { alignColumns } from "../text/columns.ts";
import { nearNames } from "../text/near_names.ts";
import { renderPage } from "./page.ts";
import { pages } from "./pages.ts";

const usage = `usage: explain CODE
       explain --list

Prints the cause, the remedy and an example of an error code, such as FW_TEMPLATE. Letter case and the prefix FW_ may
be omitted.

  --list      list all codes
  --help, -h  show this help
  --version   show the version of fw`;

/** The exit code for a code that does not exist. */
const UNKNOWN = 2;

/** Runs the program. */
export function main(args: string[]): Promise<number> {
  return runProgram({ usage, options: { list: { type: "boolean" } }, run: print }, args);
}

function print({ flags, names: [asked, ...others] }: Given): Promise<number | undefined> {
  return Promise.resolve(flags["list"] === true && asked === undefined ? list() : tell(asked, others.length));
}

function list(): number {
  console.log(alignColumns(Object.entries(ErrorCodes)).join("\n"));
  return 0;
}

function tell(asked: string | undefined, others: number): number | undefined {
  if (asked === undefined || others > 0) return undefined;
  const code = fullCode(asked);
  if (isCode(code)) {
    console.log(renderPage(code, pages[code]).trimEnd());
    return 0;
  }
  const [nearest] = nearNames(code, Object.keys(pages));
  const hint = nearest === undefined ? "" : `; did you mean "${nearest}"?`;
  console.error(`Cannot explain "${asked}": there is no such code${hint} (--list shows all codes)`);
  return UNKNOWN;
}

/** Completes a code: `[FW_VIEW]`, `fw-view` and `view` mean `FW_VIEW`. */
function fullCode(asked: string): string {
  const bare = asked.replace(/^\W+|\W+$/g, "").toUpperCase().replaceAll("-", "_");
  return bare.startsWith("FW_") ? bare : `FW_${bare}`;
}

function isCode(text: string): text is ErrorCode {
  return Object.hasOwn(pages, text);
}
