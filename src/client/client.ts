/**
 * Creates clients of controllers: an object whose methods send requests.
 *
 * @module
 */

import { parseMethodName } from "../../mvc/reflect/method_parser.ts";
import type { CallResult } from "./call_result.ts";
import type { Client } from "./client_type.ts";
import type { CallOptions, ClientOptions } from "./options.ts";
import { type PathArgument, requestPath } from "./request_path.ts";
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
export function New<C>(base: string | URL, options: ClientOptions = {}): Client<C> {
  const sender = new Sender(base, options);
  return lazyObject((name) => namedCall(sender, name));
}

/** Creates an object whose members are created when they are first read; a name such as `then` has none. */
export function lazyObject<T extends object>(create: (name: string) => unknown): T {
  const members: Record<string | symbol, unknown> = Object.create(null);
  const get = (_target: object, name: string | symbol) =>
    members[name] ??= typeof name === "string" ? create(name) : undefined;
  return new Proxy(Object.freeze({}), { get, has: (target, name) => get(target, name) !== undefined }) as T;
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
export function splitOptions(args: readonly unknown[]): { values: PathArgument[]; options: CallOptions } {
  const last = args.at(-1);
  const hasOptions = typeof last === "object" && last !== null;
  const values = (hasOptions ? args.slice(0, -1) : args).filter((each) => each !== undefined) as PathArgument[];
  return { values, options: hasOptions ? last : {} };
}

/** The call that a method's name stands for; a name that is not a route stands for none. */
export function namedCall(sender: Sender, name: string): AnyCall | undefined {
  const parsed = parseMethodName(name);
  if (parsed === undefined) return undefined;
  return newCall(sender, name, parsed.methods, (args) => {
    const { values, options } = splitOptions(args);
    return { path: requestPath(name, parsed.parts, values), options };
  });
}
