/**
 * Parses Deno's audit log.
 *
 * @module
 */

import { PRELOAD, QUERIED, STARTED, VARIABLES } from "./audited_code.ts";
import { type Kind, kinds } from "./permission_set.ts";

/** A request for a permission. */
export interface PermissionRequest {
  readonly kind: Kind;
  /** The resource as the program named it, or `undefined` for all resources. */
  readonly value: string | undefined;
  /** The code that requested the permission, innermost first, such as `file:///app/main.ts:3`. */
  readonly frames: readonly string[];
}

interface Logged extends PermissionRequest {
  /** Whether the program only asked if it had the permission. */
  readonly isQuery?: boolean;
}

/** The requests in an audit log. */
export interface AuditLog {
  readonly needed: readonly PermissionRequest[];
  /** The requests by files that query the permission first. They are not made if it is not granted. */
  readonly optional: readonly PermissionRequest[];
}

/** Parses the lines of an audit log. */
export function parseAuditLog(text: string): AuditLog {
  const all = text.split("\n").flatMap((line) => entryOf(line) ?? []);
  const queries = new Set(all.filter(({ isQuery }) => isQuery).map((query) => keyOf(query, query.value)));
  const isOptional = (one: Logged) => queries.has(keyOf(one, one.value)) || queries.has(keyOf(one, undefined));
  const { true: optional = [], false: needed = [] } = Object.groupBy(
    all.filter(({ isQuery }) => !isQuery),
    (request) => `${isOptional(request)}` as const,
  );
  return { needed, optional };
}

function keyOf({ kind, frames }: PermissionRequest, value: string | undefined): string {
  return JSON.stringify([kind, value, frames[0]?.replace(/:\d+$/, "")]);
}

function entryOf(line: string): Logged | undefined {
  const { permission, value, stack } = fieldsOf(line);
  const kind = kinds.find((each) => each === permission);
  if (kind === undefined) return undefined;
  const frames = isStale(kind, stack) ? [] : (stack ?? []).flatMap((frame) => FRAME.exec(frame)?.[1] ?? []);
  const callers = frames.filter((frame) => !frame.includes(PRELOAD));
  const isOwn = kind === "env" && callers.length < frames.length;
  return isOwn ? reported(value ?? "", callers) : { kind, value: value ?? undefined, frames: callers };
}

const FRAME = /((?:file|https?|data|blob):.+?:\d+):\d+\)?$/;

// For native code such as node:sqlite, Deno repeats the stack trace of the request before.
function isStale(kind: Kind, [api = ""]: readonly string[] = []): boolean {
  return kind !== "env" && kind !== "sys" && api.includes("(ext:deno_os/");
}

function reported(value: string, frames: readonly string[]): Logged | undefined {
  if (value.startsWith(STARTED)) return { kind: "run", value: value.slice(STARTED.length) || undefined, frames };
  // The name of the file could be forged, so that only the known requests are dropped.
  if (VARIABLES.some((name) => name === value)) return undefined;
  if (!value.startsWith(QUERIED)) return { kind: "env", value, frames };
  const [kind, name]: [Kind, string?] = JSON.parse(value.slice(QUERIED.length));
  return { kind, value: name, frames, isQuery: true };
}

interface Fields {
  readonly permission?: string;
  readonly value?: string | null;
  readonly stack?: readonly string[];
}

function fieldsOf(line: string): Fields {
  try {
    return JSON.parse(line);
  } catch {
    // The last line is incomplete if the process was killed.
    return {};
  }
}
