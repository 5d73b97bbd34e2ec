/**
 * The kinds of values that JSON lacks, and how fw stores them. Each kind has one row, and its tag must never change,
 * because stores contain it.
 *
 * @module
 */

import { bytesOf } from "../data/bytes.ts";

/** A kind of value that JSON lacks. */
export interface Kind {
  /** The name in the JSON, such as `$date`. */
  readonly tag: string;
  /** Reports whether a value is of this kind. */
  readonly test: (value: object) => boolean;
  /** Returns the content of the tag. It may contain values of any kind. */
  readonly write: (value: never) => unknown;
  /** Creates a value from the content. */
  readonly read: (content: never) => unknown;
}

/** Creates the row of a class. Instances of subclasses are not of its kind, because they would lose their class. */
function kind<T extends object, C>(
  tag: string,
  type: { readonly prototype: T },
  write: (value: T) => C,
  read: (content: C) => unknown,
  isCarried: (value: T) => boolean = () => true,
): Kind {
  const test = (value: object) => Object.getPrototypeOf(value) === type.prototype && isCarried(value as T);
  return { tag, test, write, read };
}

const errorTypes = [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError];

type ErrorContent = readonly [type: string, message: string, stack: string | undefined, cause: readonly unknown[]];

/** Built-in errors. One with more properties, such as `code`, is not of this kind, because they would be lost. */
const error: Kind = {
  tag: "$error",
  test: (value) =>
    errorTypes.some((type) => Object.getPrototypeOf(value) === type.prototype) &&
    Object.keys(value).every((name) => name === "cause") && !Object.hasOwn(value, "name"),
  write: (value: Error): ErrorContent => [
    value.name,
    value.message,
    value.stack,
    Object.hasOwn(value, "cause") ? [value.cause] : [],
  ],
  read([name, message, stack, cause]: ErrorContent) {
    const type = errorTypes.find((each) => each.name === name) ?? Error;
    const restored = cause.length > 0 ? new type(message, { cause: cause[0] }) : new type(message);
    return Object.defineProperty(restored, "stack", { value: stack, writable: true, configurable: true });
  },
};

/** The fields of a duration. Its text would turn 90 seconds into 1 minute and 30 seconds. */
const durationFields = [
  "years",
  "months",
  "weeks",
  "days",
  "hours",
  "minutes",
  "seconds",
  "milliseconds",
  "microseconds",
  "nanoseconds",
] as const;

interface TemporalType {
  readonly prototype: object;
  from(item: unknown): object;
}

const { Temporal = {} } = globalThis as unknown as { Temporal?: Readonly<Record<string, TemporalType>> };
const temporalNames = Object.getOwnPropertyNames(Temporal).filter((name) => Temporal[name]?.from !== undefined);

function temporalName(value: object): string | undefined {
  return temporalNames.find((name) => Object.getPrototypeOf(value) === Temporal[name]?.prototype);
}

const temporal: Kind = {
  tag: "$temporal",
  test: (value) => temporalName(value) !== undefined,
  write(value: object) {
    const name = temporalName(value);
    if (name !== "Duration") return [name, String(value)];
    return [name, Object.fromEntries(durationFields.map((each) => [each, (value as Record<string, unknown>)[each]]))];
  },
  read: ([name, content]: readonly [string, unknown]) => Temporal[name]?.from(content),
};

/** The kinds that are objects. Most values are dates, so these come first. */
export const objectKinds: readonly Kind[] = [
  kind("$date", Date, (value) => value.getTime(), (time) => new Date(time), (date) => !Number.isNaN(date.getTime())),
  kind("$url", URL, (value) => value.href, (href) => new URL(href)),
  kind("$map", Map<unknown, unknown>, (value) => [...value], (entries) => new Map(entries)),
  kind("$set", Set<unknown>, (value) => [...value], (items) => new Set(items)),
  {
    tag: "$bytes",
    // A Buffer of Node.js has the same content and methods, so it is restored as bytes.
    test: (value) => value instanceof Uint8Array,
    write: (value: Uint8Array) => bytesOf(value).toBase64(),
    read: (text: string) => Uint8Array.fromBase64(text),
  },
  kind(
    "$buffer",
    ArrayBuffer,
    (value) => new Uint8Array(value).toBase64(),
    (text) => Uint8Array.fromBase64(text).buffer,
  ),
  kind(
    "$regexp",
    RegExp,
    ({ source, flags, lastIndex }) => [source, flags, lastIndex] as const,
    ([source, flags, lastIndex]) => Object.assign(new RegExp(source, flags), { lastIndex }),
  ),
  error,
  temporal,
];

/** Creates values from the content of their tags. */
export const readers: ReadonlyMap<string, Kind["read"]> = new Map<string, Kind["read"]>([
  ["$bigint", (text: string) => BigInt(text)],
  ["$number", (text: string) => Number(text)],
  ["$undefined", () => undefined],
  ...objectKinds.map(({ tag, read }) => [tag, read] as const),
]);
