/**
 * Parses Deno's audit log.
 *
 * @module
 */

import { PRELOAD, STARTED } from "./audited_code.ts";
import { type Kind, kinds } from "./permission_set.ts";

/** A request for a permission. */
export interface PermissionRequest {
  readonly kind: Kind;
  /** The resource as the program named it, or `undefined` for all resources. */
  readonly value: string | undefined;
  /** The code that requested the permission, innermost first, such as `file:///app/main.ts:3`. */
  readonly frames: readonly string[];
}

/** Parses the lines of an audit log. */
export function parseAuditLog(text: string): PermissionRequest[] {
  return text.split("\n").flatMap((line) => {
    const found = entryOf(line);
    return found === undefined ? [] : [found];
  });
}

function entryOf(line: string): PermissionRequest | undefined {
  const { permission, value, stack } = fieldsOf(line);
  const kind = kinds.find((each) => each === permission);
  if (kind === undefined) return undefined;
  const frames = (stack ?? []).flatMap((frame) =>
    /((?:file|https?|data|blob):\S+?:\d+):\d+\)?$/.exec(frame)?.[1] ?? []
  );
  if (frames[0]?.includes(PRELOAD) !== true) return { kind, value: value ?? undefined, frames };
  if (value?.startsWith(STARTED) !== true) return undefined;
  const callers = frames.filter((frame) => !frame.includes(PRELOAD));
  return { kind: "run", value: value.slice(STARTED.length) || undefined, frames: callers };
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
