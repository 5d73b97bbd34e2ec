/**
 * The permission sets in a configuration file.
 *
 * @module
 */

/** The name of a permission. */
export type Kind = "net" | "read" | "write" | "env" | "run" | "sys" | "ffi" | "import";

/** The permissions of Deno, in the order in which they are written. */
export const kinds: readonly Kind[] = ["net", "read", "write", "env", "run", "sys", "ffi", "import"];

/** The resources of a permission: `true` for all of them, or their names. */
export type Resources = boolean | readonly string[];

/** The rules for a permission. */
export interface Rules {
  /** The allowed resources. */
  readonly allow?: Resources;
  /** The denied resources, even if they are also allowed. */
  readonly deny?: Resources;
  /** The resources that appear not to exist. */
  readonly ignore?: Resources;
}

/** A permission set, as in the `permissions` of a `deno.json`. */
export interface PermissionSet extends Readonly<Partial<Record<Kind, Resources | Rules>>> {
  /** Whether all permissions are granted. */
  readonly all?: boolean;
}

/** A permission that a program needs, and the code that requested it. */
export interface Entry {
  readonly kind: Kind;
  /** The resource, or `undefined` for all resources. */
  readonly value: string | undefined;
  /** The files and lines that requested the permission. */
  readonly sites: readonly string[];
}

/** Returns the resources that a set allows. */
export function allowedBy(set: PermissionSet, kind: Kind): Resources {
  return set.all === true || (rulesOf(set, kind).allow ?? false);
}

/** Returns the rules of a set for a permission. */
export function rulesOf(set: PermissionSet, kind: Kind): Rules {
  const found = set[kind] ?? {};
  return typeof found === "boolean" || isList(found) ? { allow: found } : found;
}

function isList(value: Rules | readonly string[]): value is readonly string[] {
  return Array.isArray(value);
}

/** Returns the entries of a set. */
export function entriesOf(set: PermissionSet): Entry[] {
  return kinds.flatMap((kind): Entry[] => {
    const allowed = allowedBy(set, kind);
    if (typeof allowed === "boolean") return allowed ? [{ kind, value: undefined, sites: [KEPT] }] : [];
    return allowed.map((value) => ({ kind, value, sites: [KEPT] }));
  });
}

/** The reason of an entry that was in the set before. */
const KEPT = "an earlier run";

/**
 * Converts a permission set into Deno flags, for commands that do not read the configuration file.
 *
 * @param set The permission set, as in the `permissions` of a `deno.json`.
 * @returns The flags.
 */
export function Flags(set: PermissionSet): string[] {
  const flags = kinds.flatMap((kind) =>
    Object.entries(rulesOf(set, kind)).flatMap(([verb, names]: [string, Resources]) => {
      if (typeof names === "boolean") return names ? [`--${verb}-${kind}`] : [];
      // Commas in names are doubled.
      return names.length === 0
        ? []
        : [`--${verb}-${kind}=${names.map((name) => name.replaceAll(",", ",,")).join(",")}`];
    })
  );
  return set.all === true ? ["--allow-all", ...flags] : flags;
}
