/**
 * Two return values at once.
 *
 * @module
 */

/**
 * Two return values of a controller method, created by the function of the same name.
 *
 * It is an array of two like any other, for unit tests of controllers: `const [user, found] = users.GetBy(1n)`.
 */
export type Tuple<A, B> = TupleMark<A, B> & readonly [A, B];

/**
 * What tells a tuple from other arrays, and its types from outside: a client's compiler reads them here, at half the
 * cost of taking the array apart (tests/bench/client_types.ts).
 */
export interface TupleMark<A, B> {
  /** True. */
  readonly IsTuple: true;
  /** The types of the two values; exists for the compiler only. */
  readonly "~values"?: readonly [A, B];
}

/**
 * Returns a text and its content type from a controller method.
 *
 * A plain array is always JSON, since a list of two texts must not change its meaning with its data; so two values that
 * mean more than their list are marked by this function, which admits the shapes that have a meaning.
 *
 * @example A text with a content type, a status, and a user who may not exist
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mvc from "@fw/web/mvc";
 *
 * class UserController {
 *   Get() {
 *     return mvc.Tuple("<h1>Users</h1>", "text/html");
 *   }
 *   Post() {
 *     return mvc.Tuple({ id: 1 }, 201);
 *   }
 *   GetBy(id = 0) {
 *     return mvc.Tuple({ id }, id === 1);
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app).Handle(UserController);
 *
 * (await app.fetch(new Request("http://localhost/", { method: "POST" }))).status; // → 201
 * (await app.fetch(new Request("http://localhost/2"))).status; // → 404
 * ```
 *
 * @param body The body.
 * @param contentType Its content type.
 * @returns The pair.
 */
export function Tuple(body: string, contentType: string): Tuple<string, string>;
/**
 * Returns a text and the status of the response.
 *
 * @param body The body.
 * @param status The status.
 * @returns The pair.
 */
export function Tuple<N extends number>(body: string, status: N): Tuple<string, N>;
/**
 * Returns the status of the response and a text.
 *
 * @param status The status.
 * @param body The body.
 * @returns The pair.
 */
export function Tuple<N extends number>(status: N, body: string): Tuple<N, string>;
/**
 * Returns an object, to be sent as JSON, and the status of the response. A literal status is part of the type: clients
 * and documents tell by it which body comes with which status.
 *
 * @param body The object, or an `mvc.Dispatcher`.
 * @param status The status.
 * @returns The pair.
 */
export function Tuple<T extends object, N extends number>(body: T, status: N): Tuple<T, N>;
/**
 * Returns the status of the response and an object, to be sent as JSON. Only an `instanceof Error` is an error, never
 * an object that looks like one.
 *
 * @param status The status.
 * @param body The object, or an `mvc.Dispatcher`.
 * @returns The pair.
 */
export function Tuple<T extends object, N extends number>(status: N, body: T & NotAnError<T>): Tuple<N, T>;
/**
 * Returns an object and the content type to send it in.
 *
 * @param body The object; bytes and streams are sent as they are.
 * @param contentType JSON, XML or YAML, by any of their names.
 * @returns The pair.
 */
export function Tuple<T extends object>(body: T, contentType: string): Tuple<T, string>;
/**
 * Returns a value and whether it was found: `false` is 404.
 *
 * @param value What is sent when it was found, by its own shape.
 * @param found Whether it was.
 * @returns The pair.
 */
export function Tuple<T>(value: T, found: boolean): Tuple<T, boolean>;
/**
 * Returns a value and the error that prevented it, if there was one; the error wins.
 *
 * @param value What is sent without an error, by its own shape. A status of 400 or more is kept beside one.
 * @param error The error, or `null`.
 * @returns The pair.
 */
export function Tuple<T>(value: T, error: Error | null): Tuple<T, Error | null>;
/**
 * Refuses a value that may be `undefined` beside a status.
 *
 * @param value The value.
 * @param status The status.
 * @returns Nothing: the compiler refuses the call.
 */
export function Tuple<T>(value: T & NotUndefined<T>, status: number): never;
export function Tuple(first: unknown, second: unknown): Tuple<unknown, unknown> {
  // Created empty and filled: 21 ns, where passing both values to the constructor of a subclass of Array takes 230.
  const pair = new Pair(2);
  pair[0] = first;
  pair[1] = second;
  return pair as unknown as Tuple<unknown, unknown>;
}

/** A sentence for the compiler to print about a value that may be `undefined`. */
export type NotUndefined<T> = undefined extends T
  ? "The value may be undefined, which has no body: check it first, or return mvc.Tuple(value, value !== undefined)"
  : never;

/**
 * Keeps errors from being sent as objects: `never` for what is declared as an error, and `unknown` for anything else,
 * also for an object with just a name and a message.
 */
export type NotAnError<T> = T extends Error ? "stack" extends keyof T ? never : unknown : unknown;

/**
 * Reports whether a value was created by {@linkcode Tuple}.
 *
 * @param value Any value.
 */
export function isTuple(value: unknown): value is Tuple<unknown, unknown> {
  return value instanceof Pair;
}

class Pair extends Array<unknown> {
  /** The mark by which the compiler tells a tuple from other arrays. */
  get IsTuple(): true {
    return true;
  }

  /** What `map` and the like make of a tuple is a plain array. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
}
