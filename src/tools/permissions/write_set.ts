/**
 * Writes a permission set into a configuration file.
 *
 * @module
 */

import { setMember } from "./jsonc.ts";
import { type Entry, kinds, type PermissionSet, rulesOf } from "./permission_set.ts";

/** The greatest length of a list that is written on one line. */
const LINE = 80;

/**
 * Returns the text of a configuration file with a permission set. Denied resources of the previous set are kept.
 *
 * @param text The text of the file.
 * @param name The name of the set.
 * @param entries The entries of the set.
 * @param options The previous set, and whether the reasons are written as comments.
 */
export function writeSet(
  text: string,
  name: string,
  entries: readonly Entry[],
  { before, comments }: { readonly before: PermissionSet; readonly comments: boolean },
): string {
  const members = kinds.flatMap((kind) => {
    const own = entries.filter((entry) => entry.kind === kind);
    const allowed = own.length === 0 ? undefined : listOf(own, comments);
    const kept = Object.entries(rulesOf(before, kind)).filter(([verb]) => verb !== "allow");
    const others = kept.map(([verb, names]) => [`"${verb}": ${JSON.stringify(names)}`]);
    const note = comments && allowed?.[0] === "true" ? [`// ${reasonOf(own.flatMap(({ sites }) => sites))}`] : [];
    if (others.length === 0) return allowed === undefined ? [] : [[...note, ...named(kind, allowed)]];
    return [named(kind, objectOf([...allowed === undefined ? [] : [named("allow", allowed)], ...others]))];
  });
  return setMember(text, ["permissions", name], objectOf(members));
}

function named(key: string, [first = "", ...others]: readonly string[]): string[] {
  return [`"${key}": ${first}`, ...others];
}

function objectOf(members: readonly (readonly string[])[]): string[] {
  if (members.length === 0) return ["{}"];
  const lines = members.flatMap((member, at) => {
    const last = member.length - 1;
    return member.map((line, row) => `  ${line}${row === last && at < members.length - 1 ? "," : ""}`);
  });
  return ["{", ...lines, "}"];
}

function listOf(entries: readonly Entry[], comments: boolean): string[] {
  const values = entries.map(({ value }) => value === undefined ? "true" : JSON.stringify(value));
  const reasons = entries.map(({ sites }) => reasonOf(sites));
  if (values.includes("true")) return ["true"];
  const line = `[${values.join(", ")}]`;
  if (!comments && line.length <= LINE) return [line];
  const rows = values.map((value, at) =>
    `  ${value}${at < values.length - 1 ? "," : ""}${comments ? ` // ${reasons[at]}` : ""}`
  );
  return ["[", ...rows, "]"];
}

/** Returns the first site that requested a permission, and the number of the others. */
export function reasonOf(sites: readonly string[]): string {
  const [first = "", ...others] = sites;
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}
