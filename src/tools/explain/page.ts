/**
 * The page of an error code.
 *
 * @module
 */

import { type ErrorCode, ErrorCodes } from "../../base/errors/errors.ts";
import type { ErrorText } from "../../core/context/extension.ts";

/** The explanation of an error code. */
export interface Page {
  /** The mistakes that lead to the error. */
  readonly cause: string;
  /** The steps that remove the cause. */
  readonly remedy: string;
  /** A program that fails with the code. Its imports are added when the page is rendered. */
  readonly wrong: string;
  /** The corrected program. */
  readonly right: string;
  /** The title of the page of the book that describes the feature. */
  readonly chapter: string;
}

/** A page whose corrected program may be written as changes to the program that fails. */
export interface PageSource extends Omit<Page, "right"> {
  readonly right: string | readonly (readonly [before: string, after: string])[];
}

/** The sources of the pages of some codes. */
export type PageSources = Readonly<Partial<Record<ErrorCode, PageSource>>>;

/** Returns the page with the whole corrected program. */
export function pageOf(source: PageSource): Page {
  const { wrong, right } = source;
  if (typeof right === "string") return { ...source, right };
  return { ...source, right: right.reduce((program, [before, after]) => program.replace(before, () => after), wrong) };
}

/** The entry points that examples use, by the name of their namespace. */
const namespaces: Readonly<Record<string, string>> = {
  fw: "@fw/web",
  auth: "@fw/web/middleware/auth",
  client: "@fw/web/client",
  jobs: "@fw/web/jobs",
  mail: "@fw/web/mail",
  mvc: "@fw/web/mvc",
  sessions: "@fw/web/sessions",
  sqlite: "@fw/web/store/sqlite",
  timeout: "@fw/web/middleware/timeout",
  websocket: "@fw/web/websocket",
};

/** Renders the page of a code as Markdown. */
export function renderPage(code: ErrorCode, { cause, remedy, wrong, right, chapter }: Page): string {
  return `# ${code}: ${ErrorCodes[code]}

## Cause

${cause}

## Remedy

${remedy}

## Example

This program fails with \`${code}\`:

${fence(wrong)}

This one does not:

${fence(right)}

See "${chapter}" in the book: https://jsr.io/@fw/web/doc/book/${chapter.toLowerCase().replaceAll(" ", "-")}
`;
}

/** Renders the page of a code that an extension declares. */
export function renderDeclared(code: string, { Meaning, Remedy }: ErrorText, extension: string): string {
  return `# ${code}: ${Meaning}

## Remedy

${Remedy}

The extension "${extension}" declares this code.
`;
}

/** Returns a program with its imports. */
export function withImports(program: string): string {
  const lines = Object.entries(namespaces).filter(([name]) => new RegExp(`\\b${name}\\.[A-Z]`).test(program))
    .map(([name, entry]) => `import * as ${name} from "${entry}";\n`);
  const zod = /\bz\.[a-z]/.test(program) ? ['import { z } from "npm:zod@^4";\n'] : [];
  return `${[...lines, ...zod].join("")}\n${program}`.trimStart();
}

function fence(program: string): string {
  return isShell(program) ? `\`\`\`sh\n${program}\n\`\`\`` : `\`\`\`ts\n${withImports(program)}\n\`\`\``;
}

/** Reports whether an example is a list of shell commands. */
export function isShell(program: string): boolean {
  return program.startsWith("deno ");
}
