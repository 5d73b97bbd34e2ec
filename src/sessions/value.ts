/**
 * Values as the text that stores keep: JSON, and what JSON lacks where it can be told apart.
 *
 * All stores give back the same for the same value. A bigint comes back as a bigint and a Date as a Date; an instance
 * of a class as a plain object of its fields, or as what its `toJSON` returns. What would come back as something else
 * without a word (a Map, a Promise, NaN) is refused when it is set.
 *
 * @module
 */
import { FrameworkError } from "../base/errors.ts";

/** Turns a value into text; `key` is for the error's reader. */
export function encode(key: string, value: unknown): string {
  return JSON.stringify(plain(key, value, 0));
}

/** Turns text back into the value: a new one each time, so that changing it changes no session. */
export function decode(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return text.includes('{"$') ? revived(value) : value;
}

// An object with one member is a tag when the member's name begins with a dollar sign: {"$bigint":"5"}. An object of
// the application that looks so is kept one level deeper: {"$":{"$bigint":"5"}}.
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
  // Without prototype: a member named __proto__ must stay a member.
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
  throw new FrameworkError("FW_SESSION", `Cannot keep "${key}" in the session: ${kind} cannot be written as JSON`);
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
