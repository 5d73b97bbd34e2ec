/**
 * `deno task contracts`: validates the document of the test application with external tools. Redocly's recommended
 * rules and three validators must accept it, five generators must generate code that compiles and can call the
 * application, and Prism, as a validating proxy, must find no contradiction between requests, responses and the
 * document.
 *
 * It needs Node.js and npm, installs the tools in a temporary folder and takes minutes, so CI does not run it. Options:
 * `--folder=PATH` keeps the folder and reuses an existing installation.
 *
 * @module
 */

import { freePort } from "../../../free_port.ts";
import { parseArgs } from "node:util";
import type * as fw from "@fw/web";
import { newApp } from "../fixture/awkward.ts";
import { fuzz, type Operation } from "../fuzz.ts";
import { generators } from "./generators.ts";
import { run } from "./run.ts";

const tools = [
  "@apidevtools/swagger-parser@13",
  "@hey-api/openapi-ts@0.95",
  "@readme/openapi-parser@9",
  "@redocly/cli@2",
  "@seriousme/openapi-schema-validator@2",
  "@stoplight/prism-cli@5",
  "@zodios/core@10",
  "axios@1",
  "openapi-fetch@0.17",
  "openapi-typescript@7",
  "openapi-zod-client@1",
  "orval@7",
  "swagger-typescript-api@13",
  "typescript@5.9",
  "zod@3",
];

const { values } = parseArgs({ args: Deno.args, options: { folder: { type: "string" } } });
let failures = 0;

/** Prints one line and counts failures. */
function report(name: string, fault: string): void {
  if (fault !== "") failures++;
  Deno.stdout.writeSync(new TextEncoder().encode(`${fault === "" ? "ok    " : "FAILED"} ${name}\n${fault}`));
}

/** Runs one check and reports it. */
async function check(name: string, task: () => Promise<void>): Promise<void> {
  try {
    await task();
    report(name, "");
  } catch (error) {
    report(name, `${error instanceof Error ? error.message : String(error)}\n`);
  }
}

async function install(folder: string): Promise<void> {
  await Deno.writeTextFile(`${folder}/package.json`, '{ "private": true, "type": "module" }');
  const flags = ["--no-audit", "--no-fund", "--legacy-peer-deps", "--ignore-scripts", "--loglevel=error"];
  await run(folder, "npm", ["install", ...flags, ...tools]);
}

const validators = `
import { readFileSync } from "node:fs";
import { Validator } from "@seriousme/openapi-schema-validator";
import SwaggerParser from "@apidevtools/swagger-parser";
import * as readme from "@readme/openapi-parser";
const read = () => JSON.parse(readFileSync(process.argv[2], "utf8"));
const { valid, errors } = await new Validator().validate(read());
if (!valid) throw new Error("openapi-schema-validator: " + JSON.stringify(errors));
await SwaggerParser.validate(read());
const result = await readme.validate(read());
if (!result.valid) throw new Error("openapi-parser: " + JSON.stringify(result.errors));
`;

/**
 * Reports whether OpenAPI cannot express an operation. valibot cannot generate JSON Schema by itself, and a query
 * cannot be a union.
 */
function isUnsaid({ path }: Operation): boolean {
  return /valibot$|\/query\/either$/.test(path);
}

/**
 * Reports whether Prism 5 does not support an operation: forms with files, missing array headers (which crash it), a
 * body of `null`, queries with arbitrary names, slashes and non-ASCII characters in a path, streams, and HEAD.
 */
function isBeyondPrism(operation: Operation): boolean {
  return isUnsaid(operation) ||
    /^\/awkward\/(?:form|header)|\/body\/null|\/query\/free$|\/return\/(?:lines|events|bytes|moved)/.test(
      operation.path,
    ) ||
    /\/files\/|\/rest\/|%|\/raw$|\/head$/.test(operation.path);
}

async function judge(folder: string, name: string, app: fw.Application): Promise<void> {
  app.Logger().SetLevel("disable");
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => app.fetch(request));
  const base = `http://127.0.0.1:${server.addr.port}`;
  try {
    const document = await (await fetch(`${base}/openapi.json`)).json();
    await Deno.writeTextFile(`${folder}/document.json`, JSON.stringify(document, null, 1));
    await check(`${name}: Redocly, recommended rules`, async () => {
      await run(folder, "npx", ["redocly", "lint", "--extends=recommended", "document.json"]);
    });
    await check(`${name}: three validators`, async () => {
      await Deno.writeTextFile(`${folder}/validators.mjs`, validators);
      await run(folder, "node", ["validators.mjs", "document.json"]);
    });
    for (const generator of generators) {
      await check(`${name}: ${generator.name} writes code that compiles`, () => generator.generate(folder));
    }
    if (name === "awkward") {
      for (const generator of generators) {
        await check(`${name}: the code of ${generator.name} calls`, () => generator.call(folder, base));
      }
    }
    await check(`${name}: Prism finds no disagreement`, () => throughPrism(folder, base, document));
  } finally {
    await server.shutdown();
  }
}

/** Sends valid requests through Prism, which rejects invalid requests and responses. */
async function throughPrism(folder: string, base: string, document: Record<string, unknown>): Promise<void> {
  const port = freePort();
  // npx is not used, because it exits before the program that it runs.
  const args = [
    "node_modules/.bin/prism",
    "proxy",
    "document.json",
    base,
    "--errors",
    "--port",
    String(port),
    "--host",
    "127.0.0.1",
  ];
  const prism = new Deno.Command("node", { args, cwd: folder, stdout: "piped", stderr: "piped" }).spawn();
  const silent = prism.stderr.pipeTo(new WritableStream());
  try {
    await untilListening(prism.stdout);
    const disagreements: string[] = [];
    const send = async (url: string, init: RequestInit) => {
      const response = await fetch(`http://127.0.0.1:${port}${url}`, init);
      const text = await response.clone().text();
      if (text.includes("stoplight.io/prism")) disagreements.push(`${init.method} ${url} ${text.slice(0, 600)}`);
      return response;
    };
    const { sent } = await fuzz(document, send, { times: 4, seed: 3, isSkipped: isBeyondPrism, isValidOnly: true });
    if (sent === 0) throw new Error("Nothing was sent");
    if (disagreements.length > 0) throw new Error(disagreements.slice(0, 5).join("\n"));
  } finally {
    prism.kill("SIGTERM");
    await prism.status;
    await silent;
  }
}

async function untilListening(stdout: ReadableStream<Uint8Array>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let said = "";
  const decoder = new TextDecoder();
  stdout.pipeTo(
    new WritableStream({
      write(bytes) {
        said += decoder.decode(bytes, { stream: true });
        if (said.includes("Prism is listening")) resolve();
      },
    }),
  ).then(() => reject(new Error(`Prism ended: ${said}`)), reject);
  await promise;
}

const folder = values.folder ?? await Deno.makeTempDir({ prefix: "fw_contracts_" });
try {
  await Deno.mkdir(folder, { recursive: true });
  if (values.folder === undefined) await install(folder);
  await judge(folder, "awkward", newApp());
} finally {
  if (values.folder === undefined) await Deno.remove(folder, { recursive: true });
}
Deno.exit(failures === 0 ? 0 : 1);
