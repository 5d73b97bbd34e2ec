/**
 * Measures typed clients: type instantiations and the time to check a program that calls 100 routes, and the size in a
 * browser. Compares fw with the clients of Hono, Elysia (Eden) and tRPC for the same routes. This is the second half of
 * `deno task bench contracts`. To run it alone, use `deno run -A tests/bench/client_types.ts`.
 *
 * @module
 */

import { fromFileUrl } from "@std/path";
import ts from "npm:typescript@6.0.3";
import { compilerOptions } from "./compiler_options.ts";

const root = fromFileUrl(new URL("../../", import.meta.url));
const CONTROLLERS = 10;

/** The cost of checking a file after the server whose types it imports has been checked. */
interface Cost {
  readonly instantiations: number;
  readonly milliseconds: number;
  readonly errors: readonly string[];
}

const numbers = Array.from({ length: CONTROLLERS }, (_, i) => i);

const fwServer = `
import type { From } from "${root}mvc/reflect/input_type.ts";
import type { Context } from "${root}src/core/context/context.ts";
import { Tuple } from "${root}mvc/result/tuple.ts";
declare function Body<T>(): T | From<"Body", T>;
declare function Query<T>(): T | From<"Query", { [K in keyof T]?: string }>;
declare function Inject<T>(type: new () => T): T;
class Service {
  find(_id: bigint): { id: bigint; name: string; at: Date } | undefined { return undefined; }
}
interface Input { name: string; mail: string }
interface Page { limit: string }
${
  numbers.map((n) => `
export class C${n} {
  Ctx!: Context;
  service = Inject(Service);
  Get(query = Query<Page>()) { return [{ id: ${n}n, name: "x", query }]; }
  GetBy(id = 0n) { const user = this.service.find(id); return Tuple(user, user !== undefined); }
  Post(input = Body<Input>()) { return Tuple({ id: 1n, ...input }, 201); }
  PutBy(id = 0n, input = Body<Input>(), service = Inject(Service)) { return { id, input, ok: service !== undefined }; }
  DeleteBy(_id = 0n) { return 204; }
  GetByFriendsBy(_ctx: Context, _id = 0n, friend = "") { return { friend }; }
  GetItemsBy(id = 0) { return Promise.resolve({ item: id, at: new Date() }); }
  PatchItemsBy(id = 0, input = Body<Input>()) { return { item: id, name: input.name }; }
  GetSearch(query = Query<Page>()) { return { found: [query.limit] }; }
  GetStatus() { return "ok"; }
}`).join("")
}`;

const fwHead = `
import type { ${numbers.map((n) => `C${n}`).join(", ")} } from "./server.ts";
import { New } from "${root}src/api/client/mod.ts";
`;

const fwCalls = numbers.map((n) =>
  `{
  const c = New<C${n}>("http://localhost/${n}");
  await c.Get({ Query: { limit: "5" } });
  await c.GetBy(5n);
  await c.Post({ Body: { name: "a", mail: "b" } });
  await c.PutBy(5n, { Body: { name: "a", mail: "b" } });
  await c.DeleteBy(1n);
  const [friends] = await c.GetByFriendsBy(1n, "bob");
  friends?.friend.length;
  await c.GetItemsBy(1);
  await c.PatchItemsBy(1, { Body: { name: "a", mail: "b" } });
  await c.GetSearch();
  await c.GetStatus();
}`
).join("\n");

const honoServer = `
import { Hono } from "hono";
import { validator } from "hono/validator";
const body = validator("json", (): { name: string; mail: string } => ({ name: "", mail: "" }));
const query = validator("query", (): { limit?: string } => ({}));
${
  numbers.map((n) => `
const c${n} = new Hono()
  .get("/", query, (c) => c.json([{ id: ${n}, name: "x", query: c.req.valid("query") }]))
  .get("/:id", (c) => c.json({ id: c.req.param("id"), name: "x", at: new Date() }))
  .post("/", body, (c) => c.json({ id: 1, ...c.req.valid("json") }, 201))
  .put("/:id", body, (c) => c.json({ id: c.req.param("id"), input: c.req.valid("json"), ok: true }))
  .delete("/:id", (c) => c.body(null, 204))
  .get("/:id/friends/:friend", (c) => c.json({ friend: c.req.param("friend") }))
  .get("/items/:id", (c) => c.json({ item: c.req.param("id"), at: new Date() }))
  .patch("/items/:id", body, (c) => c.json({ item: c.req.param("id"), name: c.req.valid("json").name }))
  .get("/search", query, (c) => c.json({ found: [c.req.valid("query").limit] }))
  .get("/status", (c) => c.text("ok"));`).join("")
}
const app = new Hono()${numbers.map((n) => `.route("/${n}", c${n})`).join("")};
export type App = typeof app;
`;

const honoHead = `
import type { App } from "./server.ts";
import { hc } from "hono/client";
const client = hc<App>("http://localhost");
`;

const honoCalls = numbers.map((n) =>
  `{
  const c = client["${n}"];
  await (await c.$get({ query: { limit: "5" } })).json();
  await (await c[":id"].$get({ param: { id: "5" } })).json();
  await (await c.$post({ json: { name: "a", mail: "b" } })).json();
  await (await c[":id"].$put({ param: { id: "5" }, json: { name: "a", mail: "b" } })).json();
  await c[":id"].$delete({ param: { id: "5" } });
  const friends = await (await c[":id"].friends[":friend"].$get({ param: { id: "5", friend: "bob" } })).json();
  friends.friend.length;
  await (await c.items[":id"].$get({ param: { id: "5" } })).json();
  await (await c.items[":id"].$patch({ param: { id: "5" }, json: { name: "a", mail: "b" } })).json();
  await (await c.search.$get({ query: {} })).json();
  await (await c.status.$get()).text();
}`
).join("\n");

const elysiaServer = `
import { Elysia, t } from "elysia";
const input = { body: t.Object({ name: t.String(), mail: t.String() }) };
const page = { query: t.Object({ limit: t.Optional(t.String()) }) };
${
  numbers.map((n) => `
const c${n} = new Elysia({ prefix: "/${n}" })
  .get("/", ({ query }) => [{ id: ${n}, name: "x", query }], page)
  .get("/:id", ({ params }) => ({ id: params.id, name: "x", at: new Date() }))
  .post("/", ({ body }) => ({ id: 1, ...body }), input)
  .put("/:id", ({ params, body }) => ({ id: params.id, input: body, ok: true }), input)
  .delete("/:id", () => {})
  .get("/:id/friends/:friend", ({ params }) => ({ friend: params.friend }))
  .get("/items/:id", ({ params }) => ({ item: params.id, at: new Date() }))
  .patch("/items/:id", ({ params, body }) => ({ item: params.id, name: body.name }), input)
  .get("/search", ({ query }) => ({ found: [query.limit] }), page)
  .get("/status", () => "ok");`).join("")
}
const app = new Elysia()${numbers.map((n) => `.use(c${n})`).join("")};
export type App = typeof app;
`;

const elysiaHead = `
import type { App } from "./server.ts";
import { treaty } from "@elysiajs/eden";
const client = treaty<App>("http://localhost");
`;

const elysiaCalls = numbers.map((n) =>
  `{
  const c = client["${n}"];
  await c.get({ query: { limit: "5" } });
  const { data } = await c({ id: "5" }).get();
  data?.name.length;
  await c.post({ name: "a", mail: "b" });
  await c({ id: "5" }).put({ name: "a", mail: "b" });
  await c({ id: "5" }).delete();
  await c({ id: "5" }).friends({ friend: "bob" }).get();
  await c.items({ id: "5" }).get();
  await c.items({ id: "5" }).patch({ name: "a", mail: "b" });
  await c.search.get({ query: {} });
  await c.status.get();
}`
).join("\n");

const trpcServer = `
import { initTRPC } from "@trpc/server";
import { z } from "zod";
const t = initTRPC.create();
const input = z.object({ name: z.string(), mail: z.string() });
const page = z.object({ limit: z.string().optional() });
const id = z.object({ id: z.string() });
${
  numbers.map((n) => `
const c${n} = t.router({
  list: t.procedure.input(page).query(({ input }) => [{ id: ${n}, name: "x", query: input }]),
  find: t.procedure.input(id).query(({ input }) => ({ id: input.id, name: "x", at: new Date() })),
  add: t.procedure.input(input).mutation(({ input }) => ({ id: 1, ...input })),
  change: t.procedure.input(id.extend({ input })).mutation(({ input }) => ({ ...input, ok: true })),
  remove: t.procedure.input(id).mutation(() => {}),
  friends: t.procedure.input(id.extend({ friend: z.string() })).query(({ input }) => ({ friend: input.friend })),
  item: t.procedure.input(id).query(({ input }) => ({ item: input.id, at: new Date() })),
  rename: t.procedure.input(id.extend({ input })).mutation(({ input }) => ({ item: input.id, name: input.input.name })),
  search: t.procedure.input(page).query(({ input }) => ({ found: [input.limit] })),
  status: t.procedure.query(() => "ok"),
});`).join("")
}
const app = t.router({ ${numbers.map((n) => `c${n}`).join(", ")} });
export type App = typeof app;
`;

const trpcHead = `
import type { App } from "./server.ts";
import { createTRPCClient, httpLink } from "@trpc/client";
const client = createTRPCClient<App>({ links: [httpLink({ url: "http://localhost" })] });
`;

const trpcCalls = numbers.map((n) =>
  `{
  const c = client.c${n};
  await c.list.query({ limit: "5" });
  (await c.find.query({ id: "5" })).name.length;
  await c.add.mutate({ name: "a", mail: "b" });
  await c.change.mutate({ id: "5", input: { name: "a", mail: "b" } });
  await c.remove.mutate({ id: "5" });
  await c.friends.query({ id: "5", friend: "bob" });
  await c.item.query({ id: "5" });
  await c.rename.mutate({ id: "5", input: { name: "a", mail: "b" } });
  await c.search.query({});
  await c.status.query();
}`
).join("\n");

/** Checks a server and then its client, and returns the cost of the client. */
async function measure(folder: string, server: string, client: string): Promise<{ server: Cost; client: Cost }> {
  const [serverFile, clientFile] = [`${folder}/server.ts`, `${folder}/client.ts`];
  await Deno.writeTextFile(serverFile, server);
  await Deno.writeTextFile(clientFile, `${client}\nexport {};\n`);
  const program = ts.createProgram([clientFile, `${folder}/deno.d.ts`], {
    ...compilerOptions,
    skipLibCheck: true,
    lib: ["lib.esnext.d.ts"],
  });
  let before = 0;
  function costOf(file: string): Cost {
    const start = performance.now();
    const found = program.getSemanticDiagnostics(program.getSourceFile(file));
    const milliseconds = performance.now() - start;
    const instantiations = program.getInstantiationCount() - before;
    before += instantiations;
    return {
      instantiations,
      milliseconds,
      errors: found.map((each) => ts.flattenDiagnosticMessageText(each.messageText, "\n")),
    };
  }
  return { server: costOf(serverFile), client: costOf(clientFile) };
}

/** Runs a program to completion and returns its output. */
async function output(command: string, args: string[], cwd?: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(command, { args, ...cwd === undefined ? {} : { cwd } })
    .output();
  if (!success) throw new Error(`${command} ${args.join(" ")} failed: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

const packages = [
  "@elysiajs/eden@1.4.9",
  "@trpc/client@11.22.1",
  "@trpc/server@11.22.1",
  "elysia@1.4.30",
  "hono@4.13.17",
  "zod@4.6.7",
];

/** Returns the minified and compressed size of a client in a browser, in bytes. */
async function weigh(folder: string, code: string): Promise<number> {
  await Deno.writeTextFile(`${folder}/weighed.ts`, code);
  const flags = ["bundle", "--quiet", "--minify", "--platform=browser", "--output", "weighed.js", "weighed.ts"];
  await output(Deno.execPath(), flags, folder);
  const bundled = new Blob([await Deno.readFile(`${folder}/weighed.js`)]).stream();
  return (await new Response(bundled.pipeThrough(new CompressionStream("gzip"))).bytes()).length;
}

const weighed: readonly [name: string, code: string][] = [
  ["fw", `import { New } from "${root}src/api/client/mod.ts"; globalThis.made = New("http://localhost");`],
  ["fw, all of it", `import * as client from "${root}src/api/client/mod.ts"; globalThis.made = client;`],
  ["Hono", `import { hc } from "hono/client"; globalThis.made = hc("http://localhost");`],
  ["Eden", `import { treaty } from "@elysiajs/eden"; globalThis.made = treaty("http://localhost");`],
  [
    "tRPC",
    `import { createTRPCClient, httpLink } from "@trpc/client"; globalThis.made = createTRPCClient({ links: [httpLink({ url: "" })] });`,
  ],
];

/** Runs the measurements and prints the results. */
export async function compareClients(): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "fw-client-types-" });
  try {
    const types = await output(Deno.execPath(), ["types"]);
    await Deno.writeTextFile(`${folder}/deno.d.ts`, types.replace(/\/\/\/ <reference[^\n]*\n/g, ""));
    const dependencies = Object.fromEntries(
      packages.map((each) => [each.slice(0, each.lastIndexOf("@")), each.slice(each.lastIndexOf("@") + 1)]),
    );
    await Deno.writeTextFile(`${folder}/deno.json`, '{ "nodeModulesDir": "auto" }');
    await Deno.writeTextFile(`${folder}/package.json`, JSON.stringify({ dependencies }));
    await output(Deno.execPath(), ["install", "--quiet"], folder);
    const rows: [string, string, string][] = [
      ["fw", fwServer, fwHead + fwCalls],
      ["Hono", honoServer, honoHead + honoCalls],
      ["Eden", elysiaServer, elysiaHead + elysiaCalls],
      ["tRPC", trpcServer, trpcHead + trpcCalls],
    ];
    print(`types of ${CONTROLLERS * 10} routes     server: instantiations, ms     client: instantiations, ms`);
    for (const [name, server, client] of rows) {
      const cost = await measure(folder, server, client);
      const [left, right] = [cost.server, cost.client].map((each) =>
        `${String(each.instantiations).padStart(10)} ${each.milliseconds.toFixed(0).padStart(6)}`
      );
      print(
        [`  ${name}`.padEnd(26), left, right, ...[...cost.server.errors, ...cost.client.errors].slice(0, 2)].join(" "),
      );
    }
    print("client in a browser         bytes, minified and gzipped");
    for (const [name, code] of weighed) print(`  ${name}`.padEnd(26) + String(await weigh(folder, code)).padStart(11));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

if (import.meta.main) await compareClients();
