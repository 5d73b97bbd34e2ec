/**
 * Client code generators: how each one is run, and a program that calls the application with the generated code.
 *
 * @module
 */

import { run } from "./run.ts";

/** A client code generator. */
export interface Generator {
  readonly name: string;
  /** Generates code from `document.json` and type-checks it. */
  generate(folder: string): Promise<void>;
  /** Runs a program that uses the generated code. */
  call(folder: string, base: string): Promise<void>;
}

interface Terms {
  readonly name: string;
  readonly args: readonly string[];
  /** The program. `base` is the URL of the application. */
  readonly program: string;
}

const compiler = {
  strict: true,
  noEmit: true,
  target: "ESNext",
  module: "ESNext",
  moduleResolution: "Bundler",
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  lib: ["ESNext", "DOM", "DOM.Iterable"],
  types: [],
};

const assertion = `
function assert(isTrue: boolean, what: unknown): void {
  if (!isTrue) throw new Error("Unexpected: " + JSON.stringify(what));
}
declare const process: { argv: string[] };
const base = process.argv[2] ?? "";
`;

function newGenerator({ name, args, program }: Terms): Generator {
  const key = name.replaceAll(/\W/g, "_");
  return {
    name,
    async generate(folder) {
      await Deno.remove(`${folder}/gen/${key}`, { recursive: true }).catch(() => {});
      await Deno.mkdir(`${folder}/gen/${key}`, { recursive: true });
      const config =
        `module.exports = { api: { input: "./document.json", output: { target: "./gen/${key}/api.ts", client: "fetch" } } };`;
      await Deno.writeTextFile(`${folder}/orval.config.cjs`, config);
      await run(folder, "npx", args.map((arg) => arg.replace("OUT", `gen/${key}`)));
      await compile(folder, key);
    },
    async call(folder, base) {
      await Deno.writeTextFile(`${folder}/gen/${key}/call.ts`, assertion + program);
      await compile(folder, key);
      const bundled = ["bundle", "--quiet", "--platform=deno", "--output", `gen/${key}/call.js`, `gen/${key}/call.ts`];
      await run(folder, Deno.execPath(), bundled);
      await run(folder, "node", [`gen/${key}/call.js`, base]);
    },
  };
}

async function compile(folder: string, key: string): Promise<void> {
  const config = { compilerOptions: compiler, include: [`gen/${key}/**/*.ts`] };
  await Deno.writeTextFile(`${folder}/tsconfig.json`, JSON.stringify(config));
  await run(folder, "npx", ["tsc", "-p", "."]);
}

/** The generators. */
export const generators: readonly Generator[] = [
  newGenerator({
    name: "openapi-typescript",
    args: ["openapi-typescript", "document.json", "-o", "OUT/api.ts"],
    program: `
import createClient from "openapi-fetch";
import type { paths } from "./api.ts";
const client = createClient<paths>({ baseUrl: base });
const { data } = await client.POST("/v1/users", { body: { name: "Ada" } });
assert(data?.name === "Ada" && data.id === 2, data);
const tree = { name: "a", children: [{ name: "b", children: [] }] };
const { data: back } = await client.POST("/awkward/body/tree", { body: tree });
assert(back?.children[0]?.name === "b", back);
const { data: list } = await client.GET("/v1/users", { params: { query: { limit: 5 } } });
assert(list?.[0]?.name === "Ada", list);
const { error } = await client.POST("/v1/users", { body: { name: "A" } });
assert(Object(error).status === 422, error);
`,
  }),
  newGenerator({
    name: "@hey-api/openapi-ts",
    args: ["openapi-ts", "-i", "document.json", "-o", "OUT", "-c", "@hey-api/client-fetch"],
    program: `
import { client } from "./client.gen.ts";
import { bodyControllerPostTree, userControllerGet, userControllerPost } from "./sdk.gen.ts";
client.setConfig({ baseUrl: base });
const { data } = await userControllerPost({ body: { name: "Ada" } });
assert(data?.name === "Ada", data);
const { data: list } = await userControllerGet({ query: { limit: 5 } });
assert(list?.[0]?.name === "Ada", list);
const { data: back } = await bodyControllerPostTree({ body: { name: "a", children: [{ name: "b", children: [] }] } });
assert(back?.children[0]?.name === "b", back);
`,
  }),
  newGenerator({
    name: "orval",
    args: ["orval", "--config", "orval.config.cjs"],
    program: `
import { bodyControllerPostTree, userControllerGet, userControllerPost } from "./api.ts";
const plain = globalThis.fetch;
globalThis.fetch = ((url: string, init?: RequestInit) => plain(base + url, init)) as typeof fetch;
const added = await userControllerPost({ name: "Ada" });
assert(added.status === 201 && added.data.name === "Ada", added);
const list = await userControllerGet({ limit: 5 });
assert(list.status === 200 && list.data[0]?.name === "Ada", list);
const back = await bodyControllerPostTree({ name: "a", children: [{ name: "b", children: [] }] });
assert(back.status === 200 && back.data.children[0]?.name === "b", back);
`,
  }),
  newGenerator({
    name: "swagger-typescript-api",
    args: ["swagger-typescript-api", "generate", "-p", "document.json", "-o", "OUT", "-n", "api.ts"],
    program: `
import { Api } from "./api.ts";
const api = new Api({ baseUrl: base });
const { data } = await api.v1.userControllerPost({ name: "Ada" });
assert(data.name === "Ada", data);
const { data: list } = await api.v1.userControllerGet({ limit: 5 });
assert(list[0]?.name === "Ada", list);
const { data: back } = await api.awkward.bodyControllerPostTree({ name: "a", children: [{ name: "b", children: [] }] });
assert(back.children[0]?.name === "b", back);
`,
  }),
  newGenerator({
    name: "openapi-zod-client",
    args: ["openapi-zod-client", "document.json", "-o", "OUT/api.ts", "--export-schemas", "--with-alias"],
    program: `
import { createApiClient } from "./api.ts";
const api = createApiClient(base);
const added = await api.UserController_Post({ name: "Ada" });
assert(added.name === "Ada", added);
const list = await api.UserController_Get({ queries: { limit: 5 } });
assert(list[0]?.name === "Ada", list);
const back = await api.BodyController_PostTree({ name: "a", children: [{ name: "b", children: [] }] });
assert(back.children[0]?.name === "b", back);
`,
  }),
];
