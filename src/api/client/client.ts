/**
 * Creates clients for controllers.
 *
 * @module
 */

import { parseMethodName } from "../../../mvc/reflect/method_parser.ts";
import type { CallResult } from "./call_result.ts";
import type { Client } from "./client_type.ts";
import { type CallOptions, checkClient, type ClientOptions } from "./options.ts";
import { type PathArgument, requestPath } from "./request_path.ts";
import { Sender } from "./sender.ts";

/** The untyped form of a call. */
export type AnyCall = ((...args: unknown[]) => Promise<CallResult<unknown>>) & {
  Raw(...args: unknown[]): Promise<Response>;
};

/**
 * Creates a typed client for a controller.
 *
 * Each method's name encodes its route, so no code generation is needed and no server code is imported. The client
 * parses the name on the first call, with the same rules as the server.
 *
 * @example Call a controller in a test, without a port
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
 * @param base The URL that the controller is served at, with the party's parameters filled in.
 * @param options Options for sending requests.
 * @returns The client.
 */
export function New<C>(base: string | URL, options: ClientOptions = {}): Client<C> {
  checkClient(base, options);
  const sender = new Sender(base, options);
  return lazyObject((name) => namedCall(sender, name));
}

/**
 * Creates an object whose members are created on first access. Names that are not routes, such as `then`, remain
 * undefined.
 */
export function lazyObject<T extends object>(create: (name: string) => unknown): T {
  const members: Record<string | symbol, unknown> = Object.create(null);
  const get = (_target: object, name: string | symbol) =>
    members[name] ??= typeof name === "string" ? create(name) : undefined;
  return new Proxy(Object.freeze({}), { get, has: (target, name) => get(target, name) !== undefined }) as T;
}

/** Creates a call from a function that turns its arguments into a request. */
export function newCall(
  sender: Sender,
  name: string,
  methods: readonly string[],
  split: (args: readonly unknown[]) => { readonly path: string; readonly options: CallOptions },
): AnyCall {
  // The function is asynchronous, so that invalid arguments are returned as an error instead of being thrown.
  const planned = async (args: readonly unknown[]) => ({ name, methods, ...await split(args) });
  return Object.assign((...args: unknown[]) => sender.call(planned(args)), {
    Raw: (...args: unknown[]) => sender.raw(planned(args)),
  });
}

/** Separates the options from the path arguments. */
export function splitOptions(args: readonly unknown[]): { values: PathArgument[]; options: CallOptions } {
  const last = args.at(-1);
  const hasOptions = typeof last === "object" && last !== null;
  const values = (hasOptions ? args.slice(0, -1) : args).filter((each) => each !== undefined) as PathArgument[];
  return { values, options: hasOptions ? last : {} };
}

/** Creates the call for a method name. Returns `undefined` if the name is not a route. */
export function namedCall(sender: Sender, name: string): AnyCall | undefined {
  const parsed = parseMethodName(name);
  if (parsed === undefined) return undefined;
  return newCall(sender, name, parsed.methods, (args) => {
    const { values, options } = splitOptions(args);
    return { path: requestPath(name, parsed.parts, values), options };
  });
}
