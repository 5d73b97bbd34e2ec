/**
 * Creates clients of controllers: an object whose methods send requests.
 *
 * @module
 */

import { type ParsedName, parseMethodName } from "../../mvc/reflect/method_parser.ts";
import type { CallResult } from "./call_result.ts";
import type { Client } from "./client_type.ts";
import type { CallOptions, ClientOptions } from "./options.ts";
import { type PathArgument, requestPath, templatePath } from "./request_path.ts";
import { Sender } from "./sender.ts";

/** A call as it is at run time. */
export type AnyCall = ((...args: unknown[]) => Promise<CallResult<unknown>>) & {
  Raw(...args: unknown[]): Promise<Response>;
};

/**
 * Creates a client of a controller from its type.
 *
 * A method's name is its route, so nothing is generated and no code of the server is imported: the name is read at the
 * first call as the server reads it.
 *
 * @example A client in a test, without a port
 * ```ts
 * import * as fw from "@fw/web";
 * import * as client from "@fw/web/client";
 * import * as mvc from "@fw/web/mvc";
 *
 * class UserController {
 *   GetBy(id = 0n) {
 *     return mvc.Tuple({ id, name: "Ada" }, id === 1n);
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app.Party("/users")).Handle(UserController);
 *
 * const users = client.New<UserController>("http://localhost/users", { Fetch: app.fetch });
 * const [user, error] = await users.GetBy(1n);
 * [user?.name, error]; // → ["Ada", null]
 *
 * const [, missing] = await users.GetBy(2n);
 * missing instanceof client.ResponseError && missing.Status; // → 404
 * ```
 *
 * @param base The URL that the controller is served on, with the parameters of its party filled in.
 * @param options How requests are sent.
 * @returns The client.
 */
export function New<C>(base: string | URL, options?: ClientOptions): Client<C>;
/**
 * Creates a client of a controller that routes some of its methods by hand.
 *
 * @example A method that `BeforeActivation` routes
 * ```ts
 * import * as fw from "@fw/web";
 * import * as client from "@fw/web/client";
 * import * as mvc from "@fw/web/mvc";
 *
 * class BookController {
 *   BeforeActivation(b: mvc.BeforeActivation) {
 *     b.Handle("GET", "/{owner:uint64}/book/{id:uint64}", "Show");
 *   }
 *   Show(owner: bigint, id: bigint) {
 *     return `${owner}/${id}`;
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app).Handle(BookController);
 *
 * const books = client.New<BookController, "Show">("http://localhost", {
 *   Fetch: app.fetch,
 *   Routes: { Show: "GET /{owner:uint64}/book/{id:uint64}" },
 * });
 * await books.Show(1n, 2n); // → ["1/2", null]
 * ```
 *
 * @param base The URL that the controller is served on.
 * @param options How requests are sent, and the method and path template of each method that is routed by hand.
 * @returns The client.
 */
export function New<C, Extra extends keyof C & string>(
  base: string | URL,
  options: ClientOptions & { readonly Routes: Readonly<Record<Extra, string>> },
): Client<C, Extra>;
export function New(
  base: string | URL,
  options: ClientOptions & { readonly Routes?: Readonly<Record<string, string>> } = {},
): Client<unknown> {
  const sender = new Sender(String(base).replace(/\/+$/, ""), options);
  const byHand = options.Routes ?? {};
  return lazyObject((name) => {
    if (Object.hasOwn(byHand, name)) return handCall(sender, name, byHand[name] ?? "");
    const parsed = parseMethodName(name);
    return parsed === undefined ? undefined : nameCall(sender, name, parsed);
  });
}

/** Creates an object whose members are created when they are first read; a name such as `then` has none. */
export function lazyObject<T extends object>(create: (name: string) => unknown): T {
  const members = new Map<string, unknown>();
  const read = (name: string | symbol) => {
    if (typeof name !== "string") return undefined;
    if (!members.has(name)) members.set(name, create(name));
    return members.get(name);
  };
  return new Proxy(Object.freeze({}), {
    get: (_target, name) => read(name),
    has: (_target, name) => read(name) !== undefined,
  }) as T;
}

/** Creates a call: the request is described by its arguments. */
export function newCall(
  sender: Sender,
  name: string,
  methods: readonly string[],
  split: (args: readonly unknown[]) => { readonly path: string; readonly options: CallOptions },
): AnyCall {
  // A promise from the start: what is wrong with the arguments is an error like any other.
  const planned = async (args: readonly unknown[]) => ({ name, methods, ...await split(args) });
  return Object.assign((...args: unknown[]) => sender.call(planned(args)), {
    Raw: (...args: unknown[]) => sender.raw(planned(args)),
  });
}

/** Takes the options off the arguments. */
function splitOptions(args: readonly unknown[]): { values: PathArgument[]; options: CallOptions } {
  const last = args.at(-1);
  const hasOptions = typeof last === "object" && last !== null;
  const values = (hasOptions ? args.slice(0, -1) : args).filter((each) => each !== undefined) as PathArgument[];
  return { values, options: hasOptions ? last : {} };
}

function nameCall(sender: Sender, name: string, { methods, parts }: ParsedName): AnyCall {
  return newCall(sender, name, methods, (args) => {
    const { values, options } = splitOptions(args);
    return { path: requestPath(name, parts, values), options };
  });
}

function handCall(sender: Sender, name: string, route: string): AnyCall {
  const { methods, template } = readRoute(route);
  return newCall(sender, name, methods, (args) => {
    const { values, options } = splitOptions(args);
    return { path: templatePath(name, template, (_parameter, at) => values[at]), options };
  });
}

/** Reads a method and a path template: `GET /users/{id:int}`. */
export function readRoute(route: string): { readonly methods: readonly string[]; readonly template: string } {
  const [, method = "", template = ""] = /^\s*(\w+)\s+(\S.*)$/.exec(route) ?? [];
  return { methods: /^(?:any|all)$/i.test(method) ? ["GET", "POST"] : [method.toUpperCase()], template };
}
