/**
 * Servers of many controllers and the programs that call all of them, for measuring the types of clients.
 *
 * @module
 */

import { fromFileUrl, SEPARATOR } from "@std/path";

// A path with slashes on Windows, too, because the compiler does not accept URLs.
const root = fromFileUrl(new URL("../../", import.meta.url)).replaceAll(SEPARATOR, "/");

/** A server, and the program that calls it. */
export interface Sources {
  readonly server: string;
  /** The imports of the program. */
  readonly head: string;
  /** One function per controller, with five calls. */
  readonly calls: readonly string[];
  /** The start of an expression whose members are the methods of the first controller. */
  readonly unfinished: string;
  /** One of these members. */
  readonly member: string;
}

function repeat(count: number, text: (n: number) => string): string[] {
  return Array.from({ length: count }, (_, n) => text(n));
}

/** Returns controllers of fw and their calls. */
export function fwSources(count: number): Sources {
  return {
    server: `
import type { From } from "${root}mvc/reflect/input_type.ts";
import { Tuple } from "${root}mvc/result/tuple.ts";
declare function Body<T>(): T | From<"Body", T>;
declare function Query<T>(): T | From<"Query", { [K in keyof T]?: string }>;
declare function find(id: bigint): { id: bigint; name: string; at: Date } | undefined;
${
      repeat(count, (n) => `
interface Input${n} { name: string; mail: string; n${n}?: number }
interface Page${n} { limit: string; n${n}: string }
export class C${n} {
  Get(query = Query<Page${n}>()) { return [{ id: ${n}n, name: "x", query }]; }
  GetBy(id = 0n) { const user = find(id); return Tuple(user, user !== undefined); }
  Post(input = Body<Input${n}>()) { return Tuple({ id: 1n, ...input }, 201); }
  PutBy(id = 0n, input = Body<Input${n}>()) { return { id, input, ok: true }; }
  DeleteBy(_id = 0n) { return 204; }
}`).join("")
    }`,
    head: `
import type { ${repeat(count, (n) => `C${n}`).join(", ")} } from "./server.ts";
import { New } from "${root}src/api/client/mod.ts";
`,
    calls: repeat(count, (n) => `
export async function call${n}() {
  const c = New<C${n}>("http://localhost/${n}");
  const [list, unlisted] = await c.Get({ Query: { limit: "5" } });
  if (unlisted === null) list[0]?.name.length;
  const [user, missing] = await c.GetBy(5n);
  if (missing === null) user.name.length;
  const [added, refused] = await c.Post({ Body: { name: "a", mail: "b" } });
  if (refused === null) added.name.length;
  const [changed, lost] = await c.PutBy(5n, { Body: { name: "a", mail: "b" } });
  if (lost === null) changed.input.mail.length;
  await c.DeleteBy(1n);
}
`),
    unfinished: `New<C0>("http://localhost").`,
    member: "PutBy",
  };
}

/** Returns routers of tRPC and the same calls. */
export function trpcSources(count: number): Sources {
  return {
    server: `
import { initTRPC } from "@trpc/server";
import { z } from "zod";
const t = initTRPC.create();
const id = z.object({ id: z.string() });
declare function find(id: string): { id: number; name: string; at: Date };
${
      repeat(count, (n) => `
const input${n} = z.object({ name: z.string(), mail: z.string(), n${n}: z.number().optional() });
const page${n} = z.object({ limit: z.string().optional(), n${n}: z.string().optional() });
const c${n} = t.router({
  list: t.procedure.input(page${n}).query(({ input }) => [{ id: ${n}, name: "x", query: input }]),
  find: t.procedure.input(id).query(({ input }) => find(input.id)),
  add: t.procedure.input(input${n}).mutation(({ input }) => ({ id: 1, ...input })),
  change: t.procedure.input(id.extend({ input: input${n} })).mutation(({ input }) => ({ ...input, ok: true })),
  remove: t.procedure.input(id).mutation(() => {}),
});`).join("")
    }
const app = t.router({ ${repeat(count, (n) => `c${n}`).join(", ")} });
export type App = typeof app;
`,
    head: `
import type { App } from "./server.ts";
import { createTRPCClient, httpLink } from "@trpc/client";
const client = createTRPCClient<App>({ links: [httpLink({ url: "http://localhost" })] });
`,
    calls: repeat(count, (n) => `
export async function call${n}() {
  const c = client.c${n};
  try { (await c.list.query({ limit: "5" }))[0]?.name.length; } catch { /* empty */ }
  try { (await c.find.query({ id: "5" })).name.length; } catch { /* empty */ }
  try { (await c.add.mutate({ name: "a", mail: "b" })).name.length; } catch { /* empty */ }
  try { (await c.change.mutate({ id: "5", input: { name: "a", mail: "b" } })).input.mail.length; } catch { /* empty */ }
  await c.remove.mutate({ id: "5" });
}
`),
    unfinished: "client.c0.",
    member: "change",
  };
}
