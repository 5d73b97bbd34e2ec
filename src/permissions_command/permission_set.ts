/**
 * The permission sets in a configuration file.
 *
 * @module
 */

/** The permissions of Deno, in the order in which they are written. */
export const kinds = ["net", "read", "write", "env", "run", "sys", "ffi", "import"] as const;

/** The name of a permission. */
export type Kind = typeof kinds[number];

/** The entries of a permission: `true` for all resources, or the names of some. */
export type Allowed = boolean | readonly string[];

/** A permission set, as written in the `permissions` of a configuration file. */
export type PermissionSet = Readonly<
  Partial<Record<Kind, Allowed | { readonly allow?: Allowed; readonly deny?: Allowed; readonly ignore?: Allowed }>>
>;

/** A permission that a program needs, and the code that requested it. */
export interface Entry {
  readonly kind: Kind;
  /** The resource, or `undefined` for all resources. */
  readonly value: string | undefined;
  /** The files and lines that requested the permission. */
  readonly sites: readonly string[];
}

/** Returns the entries that a set allows for a permission. */
export function allowedBy(set: PermissionSet, kind: Kind): Allowed {
  const found = set[kind] ?? false;
  return isList(found) ? found : found.allow ?? false;
}

function isList(value: NonNullable<PermissionSet[Kind]>): value is Allowed {
  return typeof value === "boolean" || Array.isArray(value);
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
