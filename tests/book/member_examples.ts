/**
 * The examples of methods in one line, as a program whose types can be checked.
 *
 * @module
 */

import { allMembers } from "./member_pages.ts";
import type { ProgramFile } from "./programs.ts";

/** The objects that the examples use. */
const preamble = `import { DatabaseSync } from "node:sqlite";
import * as fw from "@fw/web";
import * as jobs from "@fw/web/jobs";
import * as mvc from "@fw/web/mvc";
import type { Session } from "@fw/web/sessions";
import { z } from "npm:zod@^4";

declare const ctx: fw.Context;
declare const party: fw.Party;
declare const app: fw.Application;
declare const session: Session;
declare const queue: jobs.Queue;
declare const tea: { name: string } | undefined;
declare const transaction: DatabaseSync;
const database = transaction;
const schema = z.object({ name: z.string() });
class Shipping {}
export function shipOrder(_order: { id: number }): void {}
export function reportAll(): void {}
`;

/** Returns a file with all examples in one line. Each is the body of a function. */
export async function memberExamples(): Promise<ProgramFile> {
  const lines = (await allMembers()).filter(({ tags }) =>
    tags.some(({ kind, doc }) => kind === "example" && /^`/.test(doc ?? ""))
  );
  const code = lines.map(({ example }, at) => `export async function _${at}() {\n  ${example}\n}`);
  return { path: "main.ts", code: `${preamble}\n${code.join("\n")}\n`, page: "member_examples.ts", line: 0 };
}
