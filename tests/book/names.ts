/**
 * Finds names in the text of pages that fw does not have, such as an option that was renamed.
 *
 * @module
 */

import { blocksOf, withoutCode } from "./markdown.ts";
import { type Declaration, readEntries, type Symbol } from "./documentation.ts";
import type { Page } from "./pages.ts";

/** Returns the published names: symbols, their members, and the options. */
export async function publishedNames(): Promise<ReadonlySet<string>> {
  const names = new Set<string>();
  for (const { symbols } of await readEntries()) for (const name of namesOf(symbols)) names.add(name);
  return names;
}

function* namesOf(symbols: readonly Symbol[]): Generator<string> {
  for (const { name, declarations } of symbols) {
    yield name;
    for (const declaration of declarations) yield* membersOf(declaration);
  }
}

function* membersOf({ def }: Declaration): Generator<string> {
  if (def === undefined) return;
  for (const { name } of [...def.methods ?? [], ...def.properties ?? []]) yield name;
  yield* namesOf(def.elements ?? []);
  // The members of types that are written in place, such as `{ Sign: CookieKeys }`.
  for (const [, name = ""] of JSON.stringify(def).matchAll(/"name":"([A-Z]\w*)"/g)) yield name;
}

/** Names that fw does not export: header fields, methods that controllers define, names in examples, and names of other software. */
const foreign = new Set(
  ("Accept Allow Authorization Cookie Date Deprecation ETag Expires Forwarded Host Location Origin Range Referer Server " +
    "Signature Sunset Upgrade Vary Age By ByWildcard BeginRequest EndRequest HandleHTTPError Preflight OnX OnRoomJion " +
    "AsyncLocalStorage Cluster EdDSA Monday True Tea_GetBy Dockerfile TimeoutStopSec MemoryMax ValidationPipe " +
    "Bearer LimitRequestBody BackgroundTasks UploadFile TestClient ActiveJob ActionMailer ActionCable " +
    "PluralCount").split(
      " ",
    ),
);

/** Pages about other names: those of a Go framework, and the packets of a protocol. */
const exempt = ["iris", "iris-packages", "live-protocol"];
/** The names of routes in controllers. */
const route = /^(?:Get|Post|Put|Patch|Delete|Head|Options|Any)[A-Z]/;

/**
 * Lists the names in the text of a page that do not exist, with their lines. Names are PascalCase words in backticks,
 * such as `IdleTimeout` and `IdleTimeout: 60`, and those after `fw.`, `mvc.`, `ctx.` and `app.`. Names that the code of the page declares are
 * accepted.
 */
export function unknownNames({ file, text, name: page }: Page, known: ReadonlySet<string>): string[] {
  if (exempt.includes(page)) return [];
  const code = blocksOf(text).map((block) => block.code).join("\n");
  const declared = new Set(code.match(/\b[A-Z]\w*/g));
  const isKnown = (name: string) =>
    known.has(name) || declared.has(name) || foreign.has(name) || name in globalThis || route.test(name) ||
    /^[A-Z0-9_]+$/.test(name) || name.endsWith("Init");
  return withoutCode(text).split("\n").flatMap((line, at) =>
    Array.from(line.matchAll(/`(?:(?:fw|mvc|ctx|app)\.([A-Z]\w*)[^`]*|([A-Z]\w*)(?:: [^`]*)?)`/g))
      .map(([, member, word]) => member ?? word ?? "").filter((name) => !isKnown(name))
      .map((name) => `${file}:${at + 1}: fw has no \`${name}\`; tests/book/names.ts lists names of other software`)
  );
}
