/**
 * What controller methods return to say more than a body: two values at once, results and errors, and objects in the content
 * type that is asked for.
 *
 * @module
 */

import { FrameworkError, HTTPError } from "../../src/base/errors.ts";
import { toJSON } from "../../src/base/text.ts";
import { type Context, exchangeOf } from "../../src/context/context.ts";
import { resetBody } from "../../src/response/draft.ts";

/** Something that a controller method returns and that knows how to respond. */
export interface Result {
  /**
   * Writes the response.
   *
   * @param ctx The request.
   * @returns A promise if it takes time.
   */
  Dispatch(ctx: Context): void | Promise<void>;
}

/** The fields of {@linkcode Response}; all may be left out. */
export interface ResponseOptions {
  /** The status; 200, or for an error 400, when left out. */
  Code?: number;
  /** The content type of the body. */
  ContentType?: string;
  /** The body as it is. */
  Content?: string | Uint8Array;
  /** The body as text; plain text unless `ContentType` says otherwise. */
  Text?: string;
  /** The body as an object: JSON, or XML or YAML if `ContentType` says so. */
  Object?: unknown;
  /** Where to send the client: 302, after a POST 303, or `Code`. */
  Path?: string;
  /** An error to respond with instead of all the rest. */
  Err?: Error | null;
}

/**
 * A response put together from its parts.
 *
 * Of several, the first counts: `Err`, `Path`, `Object`, `Text`, `Content`.
 *
 * @example A page and a redirect
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mvc from "@fw/web/mvc";
 *
 * class PageController {
 *   Get() {
 *     return new mvc.Response({ ContentType: "text/html", Text: "<h1>Welcome</h1>" });
 *   }
 *   PostLogin() {
 *     return new mvc.Response({ Path: "/" });
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app).Handle(PageController);
 *
 * await (await app.fetch(new Request("http://localhost/"))).text(); // → "<h1>Welcome</h1>"
 * const response = await app.fetch(new Request("http://localhost/login", { method: "POST" }));
 * [response.status, response.headers.get("location")]; // → [303, "/"]
 * ```
 */
export class Response implements Result {
  /** The status; 0 leaves it as it is. */
  Code: number;
  /** The content type of the body; empty leaves it as it is. */
  ContentType: string;
  /** The body as it is. */
  Content: string | Uint8Array | undefined;
  /** The body as text. */
  Text: string | undefined;
  /** The body as an object. */
  Object: unknown;
  /** Where to send the client. */
  Path: string;
  /** An error to respond with instead. */
  Err: Error | null;

  /**
   * Puts a response together.
   *
   * @param options Its parts.
   */
  constructor(options: ResponseOptions = {}) {
    this.Code = options.Code ?? 0;
    this.ContentType = options.ContentType ?? "";
    this.Content = options.Content;
    this.Text = options.Text;
    this.Object = options.Object;
    this.Path = options.Path ?? "";
    this.Err = options.Err ?? null;
  }

  /**
   * Writes the response.
   *
   * @param ctx The request.
   */
  Dispatch(ctx: Context): void {
    if (this.Err !== null) return void failWith(ctx, this.Err, respondWithError, this.Code);
    if (this.Path !== "") return ctx.Redirect(this.Path, redirectStatus(ctx, this.Code));
    if (this.Code !== 0) ctx.StatusCode(this.Code);
    if (this.Object !== undefined) return writeObject(ctx, this.Object, this.ContentType);
    if (this.ContentType !== "") ctx.ContentType(this.ContentType);
    if (this.Text !== undefined) ctx.Text(this.Text);
    else if (this.Content !== undefined) ctx.Write(this.Content);
  }
}

function redirectStatus(ctx: Context, code: number): number {
  if (code >= 300 && code < 400) return code;
  // A browser must not repeat the POST at the new place.
  return ctx.Method() === "POST" ? 303 : 302;
}

function writeObject(ctx: Context, value: unknown, contentType: string): void {
  if (contentType === "") ctx.JSON(value);
  else writeEncoded(ctx, value, contentType);
}

/** The fields of {@linkcode View}; only the name is needed. */
export interface ViewOptions {
  /** The template's name. */
  Name: string;
  /** The layout around it, in place of the engine's. */
  Layout?: string;
  /** What the template shows. */
  Data?: unknown;
  /** The status; 200 when left out. */
  Code?: number;
  /** An error to respond with instead. */
  Err?: Error | null;
}

/** A page rendered from a template. */
export class View implements Result {
  /** The template's name; nothing is rendered when it is empty. */
  Name: string;
  /** The layout around it; empty for the engine's. */
  Layout: string;
  /** What the template shows. */
  Data: unknown;
  /** The status; 0 leaves it as it is. */
  Code: number;
  /** An error to respond with instead. */
  Err: Error | null;

  /**
   * Chooses a page.
   *
   * @param options The page and what it shows.
   */
  constructor(options: ViewOptions) {
    this.Name = options.Name;
    this.Layout = options.Layout ?? "";
    this.Data = options.Data;
    this.Code = options.Code ?? 0;
    this.Err = options.Err ?? null;
  }

  /**
   * Writes the page.
   *
   * @param ctx The request.
   * @returns A promise if the engine takes time.
   */
  Dispatch(ctx: Context): Promise<void> | undefined {
    if (this.Err !== null) return failWith(ctx, this.Err, respondWithError, this.Code);
    if (this.Code !== 0) ctx.StatusCode(this.Code);
    if (this.Layout !== "") ctx.ViewLayout(this.Layout);
    return this.Name === "" ? undefined : ctx.View(this.Name, this.Data);
  }
}

/**
 * Two return values of a controller method, created by the function of the same name.
 *
 * It is an array of two like any other, for unit tests of controllers: `const [user, found] = users.GetBy(1n)`.
 */
export type Tuple<A, B> = TupleMark<A, B> & readonly [A, B];

/**
 * What tells a tuple from other arrays, and its types from outside: a client's compiler reads them here, at half the cost
 * of taking the array apart (tests/bench/client_types.ts).
 */
export interface TupleMark<A, B> {
  /** True. */
  readonly IsTuple: true;
  /** Exists in the type only. */
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
export function Tuple(body: string, status: number): Tuple<string, number>;
/**
 * Returns the status of the response and a text.
 *
 * @param status The status.
 * @param body The body.
 * @returns The pair.
 */
export function Tuple(status: number, body: string): Tuple<number, string>;
/**
 * Returns an object, to be sent as JSON, and the status of the response.
 *
 * @param body The object, or an `mvc.Result`.
 * @param status The status.
 * @returns The pair.
 */
export function Tuple<T extends object>(body: T, status: number): Tuple<T, number>;
/**
 * Returns the status of the response and an object, to be sent as JSON. Only an `instanceof Error` is an error, never an
 * object that looks like one.
 *
 * @param status The status.
 * @param body The object, or an `mvc.Result`.
 * @returns The pair.
 */
export function Tuple<T extends object>(status: number, body: T & NotAnError<T>): Tuple<number, T>;
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
export function Tuple(first: unknown, second: unknown): Tuple<unknown, unknown> {
  // Created empty and filled: 21 ns, where passing both values to the constructor of a subclass of Array takes 230.
  const pair = new Pair(2);
  pair[0] = first;
  pair[1] = second;
  return pair as unknown as Tuple<unknown, unknown>;
}

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

/** Writes the response to an error; the status is set before it is called. */
export type ErrorHandler = (ctx: Context, error: Error) => void | Promise<void>;

const BAD_REQUEST = 400;

/**
 * Hands an error to its handler, with the status set.
 *
 * The status is the one returned beside the error, the error's own, the one set before, or 400: the first that is an
 * error's.
 *
 * @param ctx The request.
 * @param error The error.
 * @param handler What responds to it.
 * @param status The status that was returned beside it.
 */
export function failWith(
  ctx: Context,
  error: Error,
  handler: ErrorHandler,
  status?: number,
): Promise<void> | undefined {
  const before = ctx.GetStatusCode();
  ctx.StatusCode(isErrorStatus(status) ? status : statusOf(error) ?? (before >= BAD_REQUEST ? before : BAD_REQUEST));
  return handler(ctx, error) ?? undefined;
}

/** Responds with the error's message and stops the chain; an error handler for the status may write another body. */
export function respondWithError(ctx: Context, error: Error): void {
  resetBody(exchangeOf(ctx).draft);
  ctx.StopExecution();
  ctx.SetErr(error);
}

/**
 * The status that an error brings along, as an `HTTPError` does.
 *
 * @param error The error.
 * @returns The status, if it has one of 400 or more.
 */
export function statusOf(error: Error): number | undefined {
  const status: unknown = "Status" in error ? error.Status : undefined;
  return isErrorStatus(status) ? status : undefined;
}

function isErrorStatus(status: unknown): status is number {
  return typeof status === "number" && Number.isInteger(status) && status >= BAD_REQUEST && status <= 599;
}

/** Content types by their family, and what writes each. */
const encoders: readonly { readonly types: RegExp; readonly encode: (value: unknown) => string }[] = [
  { types: /^[^;]*[/+]json\b/i, encode: toJSON },
  { types: /^[^;]*[/+]xml\b/i, encode: toXML },
  // Every JSON text is a YAML text.
  { types: /^[^;]*[/+](?:x-)?yaml\b/i, encode: toJSON },
];

/** Responds with an object in a content type; 406 when nothing can write it so. */
export function writeEncoded(ctx: Context, value: unknown, contentType: string): void {
  const encoder = encoders.find((each) => each.types.test(contentType));
  if (encoder === undefined) {
    throw new HTTPError(406, "", { Code: "FW_RETURN", cause: `No encoder for content type "${contentType}"` });
  }
  ctx.ContentType(contentType);
  ctx.Write(encoder.encode(value));
}

/**
 * Writes a value as XML: an element for each field, repeated for each item of a list, named after its class at the top.
 *
 * @param value The value; `toJSON` methods count.
 * @returns The document.
 */
export function toXML(value: unknown): string {
  const name = typeof value === "object" && value !== null ? value.constructor?.name : undefined;
  const root = name === undefined || name === "Object" ? "Object" : name;
  if (!Array.isArray(value)) return `<?xml version="1.0" encoding="UTF-8"?>\n${element(root, value)}`;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<List>${element("Item", value)}</List>`;
}

function element(name: string, value: unknown): string {
  const plain = withoutToJSON(value);
  if (plain === undefined || typeof plain === "function" || typeof plain === "symbol") return "";
  if (Array.isArray(plain)) return plain.map((item) => element(name, item ?? null)).join("");
  const tag = name.replace(/[^\p{L}\p{N}_.-]/gu, "_").replace(/^[^\p{L}_]/u, "_$&");
  if (plain === null) return `<${tag}/>`;
  if (typeof plain !== "object") return `<${tag}>${escapeXML(String(plain))}</${tag}>`;
  return `<${tag}>${Object.entries(plain).map(([key, field]) => element(key, field)).join("")}</${tag}>`;
}

function withoutToJSON(value: unknown): unknown {
  const hasToJSON = typeof value === "object" && value !== null && "toJSON" in value;
  return hasToJSON && typeof value.toJSON === "function" ? value.toJSON() : value;
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Characters that no XML document may hold, even escaped, become the sign for what cannot be shown. */
function escapeXML(text: string): string {
  return text.toWellFormed().replace(/[&<>"]|[^\t\n\r -\ufffd]/g, (sign) => entities[sign] ?? "\ufffd");
}

/** Reports whether JSON writes what the value holds; maps, sets and iterators would be `{}`. */
export function isPlainValue(value: unknown): boolean {
  if (!(value instanceof Map || value instanceof Set || value instanceof Iterator)) return true;
  return "toJSON" in value && typeof value.toJSON === "function";
}

/**
 * Turns a map into an object and a set or an iterator into an array, and so what these hold.
 *
 * @param value Any value.
 * @returns The value itself if it is none of these.
 */
export function toPlain(value: unknown): unknown {
  if (isPlainValue(value)) return value;
  if (value instanceof Map) return Object.fromEntries(Array.from(value, ([key, of]) => [keyOf(key), toPlain(of)]));
  return Array.from(value as Iterable<unknown>, toPlain);
}

function keyOf(key: unknown): string {
  if (typeof key === "object" || typeof key === "symbol" || typeof key === "function") {
    throw new TypeError("Cannot name a property after a key of a Map: it is not a text or a number");
  }
  return String(key);
}

/** Responds with a value as JSON; one that JSON cannot hold, such as a circle, is an error that names the method. */
export function writeJSON(ctx: Context, value: unknown): undefined {
  try {
    ctx.JSON(value);
  } catch (thrown) {
    throw named(ctx, thrown);
  }
}

/**
 * Names the method in what the platform throws on a value that has no text, such as a circle. Errors of the program's
 * own, from a `toJSON` or an iterator, stay as they are.
 */
export function named(ctx: Context, thrown: unknown): unknown {
  const isOfPlatform = thrown instanceof TypeError || thrown instanceof RangeError;
  return isOfPlatform ? unsendable(ctx, `it cannot be written: ${thrown.message.split("\n", 1)[0]}`, thrown) : thrown;
}

/**
 * The error about a value that cannot be sent.
 *
 * @param ctx The request, whose route names the method.
 * @param reason Why not.
 * @param cause What was thrown, if anything was.
 */
export function unsendable(ctx: Context, reason: string, cause?: unknown): FrameworkError {
  const route = ctx.GetCurrentRoute();
  const owner = route?.Action === undefined ? `${ctx.Method()} ${ctx.Path()}` : `${route.Controller}.${route.Action}`;
  return new FrameworkError("FW_RETURN", `Cannot respond with what "${owner}" returned: ${reason}`, { cause });
}
