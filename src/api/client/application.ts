/**
 * Creates clients for whole applications.
 *
 * @module
 */

import type { SourceOf } from "../../../mvc/reflect/input_type.ts";
import type { ErrorOf } from "./call_result.ts";
import { type AnyCall, lazyObject, New, newCall } from "./client.ts";
import type { ArgumentsOf, Call, Client } from "./client_type.ts";
import type { ValueOf } from "./json_type.ts";
import { type CallOptions, checkClient, type ClientOptions } from "./options.ts";
import { type PathArgument, readRoute, templatePath } from "./request_path.ts";
import { Sender } from "./sender.ts";

/**
 * A client for an application. Controllers are keyed by their path, and handlers by their method and path.
 *
 * @typeParam Routes The routes, such as `{ "/users": UserController; "GET /health": typeof health }`.
 */
export type ApplicationClient<Routes> = {
  readonly [K in keyof Routes]: Routes[K] extends (...args: infer A) => infer R
    ? Call<HandlerArguments<Required<A>, ParamsOf<K, A>>, ValueOf<R>, ErrorOf<R>>
    : Client<Routes[K]>;
};

/**
 * The values for the parameters in a path template.
 *
 * @internal
 */
type ParamsOf<K, A> = A extends readonly unknown[] ? CheckedParams<A, TemplateParams<K>> : never;

/** The input type of an `mvc.Params` schema, if there is one. It is more precise than the template. */
type CheckedParams<A extends readonly unknown[], Else> = A extends readonly [] ? Else
  : A extends readonly [(infer First)?, ...infer Rest]
    ? SourceOf<First> extends infer Source ? [Source] extends [never] ? CheckedParams<Rest, Else>
      : Source extends readonly ["Params", infer In] ? In
      : CheckedParams<Rest, Else>
    : never
  : Else;

type TemplateParams<K> = K extends `${string}{${infer Parameter}}${infer Rest}`
  ? { readonly [Name in NameOf<Parameter>]: PathArgument } & TemplateParams<Rest>
  : unknown;

type NameOf<Parameter extends string> = Parameter extends `${infer Name}:${string}` ? Name : Parameter;

/**
 * A handler's inputs and its path parameters by name.
 *
 * @internal
 */
type HandlerArguments<A extends readonly unknown[], Params> = ArgumentsOf<WithoutPath<A>> extends
  [options?: infer Options] ? unknown extends Params ? ArgumentsOf<WithoutPath<A>>
  : [options: NonNullable<Options> & { readonly Params: Params }]
  : never;

/** The arguments of a handler without the path parameters, which are already known from the template. */
type WithoutPath<A extends readonly unknown[]> = {
  [K in keyof A]: [A[K]] extends [string | number | bigint | boolean] ? [SourceOf<A[K]>] extends [never] ? object : A[K]
    : A[K];
};

/**
 * Creates a client for an application's controllers and for the handlers registered with `party.ConfigureContainer()`.
 *
 * @example Call a controller and a handler
 * ```ts
 * import * as fw from "@fw/web";
 * import * as client from "@fw/web/client";
 * import * as mvc from "@fw/web/mvc";
 * import { z } from "npm:zod@^4";
 *
 * class TeaController {
 *   GetBy(id = 0) {
 *     return { id, name: "Assam" };
 *   }
 * }
 * const limits = z.object({ limit: z.number().default(10) });
 * function search(_ctx: fw.Context, query = mvc.Query(limits)) {
 *   return { limit: query.limit };
 * }
 * const app = fw.New();
 * mvc.New(app.Party("/teas")).Handle(TeaController);
 * app.ConfigureContainer().Get("/search", search);
 *
 * type API = { "/teas": TeaController; "GET /search": typeof search };
 * const api = client.Application<API>("http://localhost", { Fetch: app.fetch });
 * await api["/teas"].GetBy(1); // → [{ id: 1, name: "Assam" }, null]
 * await api["GET /search"]({ Query: { limit: 5 } }); // → [{ limit: 5 }, null]
 * ```
 *
 * @param base The application's URL.
 * @param options Options for sending requests.
 * @returns The client.
 */
export function Application<Routes>(base: string | URL, options: ClientOptions = {}): ApplicationClient<Routes> {
  checkClient(base, options);
  const root = String(base).replace(/\/+$/, "");
  const sender = new Sender(root, options);
  return lazyObject((name) => name.startsWith("/") ? New(root + name, options) : handlerCall(sender, name));
}

function handlerCall(sender: Sender, name: string): AnyCall | undefined {
  const { methods, template } = readRoute(name);
  if (!template.startsWith("/")) return undefined;
  return newCall(sender, name, methods, ([options = {}]) => {
    const { Params = {}, ...rest } = options as CallOptions & { Params?: Record<string, PathArgument> };
    return { path: templatePath(name, template, (parameter) => Params[parameter]), options: rest };
  });
}
