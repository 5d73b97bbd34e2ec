/**
 * Serializes session values as JSON, with support for bigint and Date.
 *
 * All stores return the same value for the same input. A bigint is restored as a bigint and a Date as a Date. An
 * instance of a class is restored as a plain object with its fields, or as the result of its `toJSON` method. Values
 * that would silently change (a Map, a Promise, NaN) are rejected when they are set.
 *
 * @module
 */
import { FrameworkError } from "../errors/errors.ts";

/** Serializes a value. The key is used in error messages. */
export function encode(key: string, value: unknown): string {
  return JSON.stringify(plain(key, value, 0));
}

/** Parses a value. Each call returns a new value, so that changing it does not change the session. */
export function decode(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return text.includes('{"$') ? revived(value) : value;
}

// An object with a single member whose name starts with a dollar sign is a tag: {"$bigint":"5"}. If an application
// stores an object of that form, it is nested one level deeper: {"$":{"$bigint":"5"}}.
const tags: Record<string, (content: unknown) => unknown> = {
  $bigint: (content) => BigInt(content as string),
  $date: (content) => new Date(content as number),
  $: (content) => revivedMembers(content as Record<string, unknown>),
};

const deepest = 100;

function plain(key: string, value: unknown, depth: number): unknown {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : refuse(key, String(value));
    case "bigint":
      return { $bigint: String(value) };
    case "object":
      return value === null ? null : plainObject(key, value, depth);
    default:
      return refuse(key, typeof value);
  }
}

function plainObject(key: string, value: object, depth: number): unknown {
  if (depth === deepest) return refuse(key, "a value that is nested too deeply or contains itself");
  if (Array.isArray(value)) return value.map((it) => it === undefined ? null : plain(key, it, depth + 1));
  if (value instanceof Date) return plainDate(key, value);
  if ("toJSON" in value && typeof value.toJSON === "function") return plain(key, value.toJSON(), depth + 1);
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  if (kind !== "Object") return refuse(key, `a value of type ${kind}`);
  return plainMembers(key, value, depth);
}

function plainMembers(key: string, value: object, depth: number): object {
  // The copy has no prototype, so that a member named __proto__ gets no special treatment.
  const copy: Record<string, unknown> = Object.create(null);
  let name = "";
  let count = 0;
  for (const [member, content] of Object.entries(value)) {
    if (content === undefined) continue;
    copy[member] = plain(key, content, depth + 1);
    name = member;
    count++;
  }
  return count === 1 && name.startsWith("$") ? { $: copy } : copy;
}

function plainDate(key: string, value: Date): unknown {
  return Number.isNaN(value.getTime()) ? refuse(key, "an invalid Date") : { $date: value.getTime() };
}

function refuse(key: string, kind: string): never {
  throw new FrameworkError("FW_SESSION", `Cannot store "${key}" in the session: ${kind} cannot be serialized as JSON`);
}

function revived(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(revived);
  const [name, another] = Object.keys(value);
  if (name === undefined || another !== undefined || !name.startsWith("$")) {
    return revivedMembers(value as Record<string, unknown>);
  }
  return tags[name]?.((value as Record<string, unknown>)[name]);
}

function revivedMembers(value: Record<string, unknown>): Record<string, unknown> {
  for (const name of Object.keys(value)) value[name] = revived(value[name]);
  return value;
}
