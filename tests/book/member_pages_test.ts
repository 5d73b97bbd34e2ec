import { assertEquals } from "@std/assert";
import { allMembers } from "./member_pages.ts";
import { runPrograms } from "./programs.ts";
import { find, indexOfBook, nameOf, read } from "./site.ts";

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

Deno.test("every public method of Context, Party, Application, Session and Queue has an example", async () => {
  const members = await allMembers();
  assertEquals(members.filter(({ example }) => example === "").map(({ object, name }) => `${object}.${name}`), []);
});

Deno.test("every method states its parameters and its result", async () => {
  const missing = (await allMembers()).filter(({ signatures, tags }) => {
    const [signature = ""] = signatures;
    const isSilent = !/\): |^\w+(?:<.*>)?\(/.test(signature) ||
      /: (?:void|this|Promise<void>(?: \| undefined)?)$/.test(signature);
    return !isSilent && !tags.some(({ kind }) => /^returns?$/.test(kind));
  });
  assertEquals(missing.map(({ object, name }) => `${object}.${name}`), []);
});

Deno.test("examples in one line have the right types", async () => {
  const lines = (await allMembers()).filter(({ tags }) =>
    tags.some(({ kind, doc }) => kind === "example" && /^`/.test(doc ?? ""))
  );
  const code = lines.map(({ example }, at) => `export async function _${at}() {\n  ${example}\n}`);
  const text = `${preamble}\n${code.join("\n")}\n`;
  const files = [{ path: "main.ts", code: text, page: "member_pages_test.ts", line: 0 }];
  const { success, output } = await runPrograms(new Map([["members", files]]));
  if (!success) throw new Error(output);
});

Deno.test("search finds every public method by its name", async () => {
  const index = indexOfBook(read());
  const lost = (await allMembers()).filter(({ object, name }) => {
    const [hit] = find(index, `${object}.${name}`);
    return hit?.heading?.[1] !== `${object}.${name}`;
  });
  assertEquals(
    lost.map(({ object, name }) => [`${object}.${name}`, nameOf(find(index, name)[0]?.page.path ?? "")]),
    [],
  );
});
