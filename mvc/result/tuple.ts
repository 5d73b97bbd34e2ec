/**
 * Pairs of return values.
 *
 * @module
 */

/**
 * A pair of return values of a controller method. Created by the function of the same name.
 *
 * In unit tests of controllers, it can be destructured like any array: `const [user, found] = users.GetBy(1n)`.
 */
export type Tuple<A, B> = TupleMark<A, B> & readonly [A, B];

/**
 * A marker that distinguishes a tuple from other arrays and exposes its types. Typed clients read the types here, which
 * takes half the compile time of destructuring the array type (tests/bench/client_types.ts).
 */
export interface TupleMark<A, B> {
  /** Always `true`. */
  readonly IsTuple: true;
  /** The types of the two values. Used only by the compiler. */
  readonly "~values"?: readonly [A, B];
}

/**
 * Returns a string and its content type from a controller method.
 *
 * A plain array is always sent as JSON, because the meaning of an array of two strings must not depend on its content.
 * To return two values with a special meaning, use this function. It only accepts combinations that have a meaning.
 *
 * @param body The body.
 * @param contentType The content type.
 * @returns The pair.
 *
 * @example Return a content type, a status code, and a user who may not exist
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
 */
export function Tuple(body: string, contentType: string): Tuple<string, string>;
/**
 * Returns a string and the status code from a controller method.
 *
 * @param body The body.
 * @param status The status code.
 * @returns The pair.
 */
export function Tuple<N extends number>(body: string, status: N): Tuple<string, N>;
/**
 * Returns the status code and a string from a controller method.
 *
 * @param status The status code.
 * @param body The body.
 * @returns The pair.
 */
export function Tuple<N extends number>(status: N, body: string): Tuple<N, string>;
/**
 * Returns an object and the status code from a controller method. The object is sent as JSON. A literal status code
 * becomes part of the type, so that typed clients and API documents know which body belongs to which status code.
 *
 * @param body The object, or an `mvc.Dispatcher`.
 * @param status The status code.
 * @returns The pair.
 */
export function Tuple<T extends object, N extends number>(body: T, status: N): Tuple<T, N>;
/**
 * Returns the status code and an object from a controller method. The object is sent as JSON. Only an instance of
 * `Error` is treated as an error, not an object that looks like one.
 *
 * @param status The status code.
 * @param body The object, or an `mvc.Dispatcher`.
 * @returns The pair.
 */
export function Tuple<T extends object, N extends number>(status: N, body: T & NotAnError<T>): Tuple<N, T>;
/**
 * Returns an object and its content type from a controller method.
 *
 * @param body The object. Bytes and streams are sent unchanged.
 * @param contentType A JSON, XML or YAML content type.
 * @returns The pair.
 */
export function Tuple<T extends object>(body: T, contentType: string): Tuple<T, string>;
/**
 * Returns a value and whether it was found. If not found, responds with 404.
 *
 * @param value The value to send if it was found.
 * @param found Whether the value was found.
 * @returns The pair.
 */
export function Tuple<T>(value: T, found: boolean): Tuple<T, boolean>;
/**
 * Returns a value and an error, if there is one. The error takes precedence.
 *
 * @param value The value to send if there is no error. If it is a status code of 400 or above, it is the status code of
 * the error.
 * @param error The error, or `null`.
 * @returns The pair.
 */
export function Tuple<T>(value: T, error: Error | null): Tuple<T, Error | null>;
/**
 * Rejects a value that may be `undefined` together with a status code at compile time.
 *
 * @param value The value.
 * @param status The status code.
 * @returns Never, because the call does not compile.
 */
export function Tuple<T>(value: T & NotUndefined<T>, status: number): never;
export function Tuple(first: unknown, second: unknown): Tuple<unknown, unknown> {
  // The array is created empty and then filled, which takes 21 ns. Passing both values to the constructor of an Array
  // subclass takes 230 ns.
  const pair = new Pair(2);
  pair[0] = first;
  pair[1] = second;
  return pair as unknown as Tuple<unknown, unknown>;
}

/** An error message that the compiler prints for a value that may be `undefined`. */
export type NotUndefined<T> = undefined extends T
  ? "The value may be undefined, which has no body: check it first, or return mvc.Tuple(value, value !== undefined)"
  : never;

/**
 * Prevents errors from being sent as objects. It is `never` for error types, and `unknown` for anything else, including
 * objects that only have a name and a message.
 */
export type NotAnError<T> = T extends Error ? "stack" extends keyof T ? never : unknown : unknown;

/**
 * Reports whether a value was created by {@linkcode Tuple}.
 *
 * @param value The value.
 */
export function isTuple(value: unknown): value is Tuple<unknown, unknown> {
  return value instanceof Pair || (Array.isArray(value) && (value as Partial<Pair>).IsTuple === true);
}

class Pair extends Array<unknown> {
  /** Returns the marker that lets the compiler distinguish a tuple from other arrays. */
  get IsTuple(): true {
    return true;
  }

  /** Returns the plain array constructor, so that `map` and similar methods return plain arrays. */
  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
}
