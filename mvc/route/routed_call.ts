/**
 * Creates the routes of controller methods, with their paths and the readers of their arguments.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors/errors.ts";
import type { DefaultKind, Parameter } from "../../src/base/signature/parameter_list.ts";
import { parametersOf } from "../../src/base/signature/signature.ts";
import { paramAt } from "../../src/core/accessors/params.ts";
import { type Party, templateOf } from "../../src/core/app/party.ts";
import { joinPaths } from "../../src/core/app/party_prefix.ts";
import { type Context, exchangeOf } from "../../src/core/context/context.ts";
import type { Macros } from "../../src/http/parameter_types/macros.ts";
import { type ParamSegment, parseTemplate } from "../../src/http/parameter_types/template.ts";
import { BUILTIN_TYPES, type ParamType } from "../../src/http/parameter_types/types.ts";
import type { ArgumentReader } from "../inject/call.ts";
import type { Controller } from "../reflect/controller.ts";
import type { ParsedName } from "../reflect/method_parser.ts";
import { type HandParameter, routeByHand } from "./route_by_hand.ts";
import { routeByName } from "./route_by_name.ts";
import { type ArgumentSource, RoutedMethod } from "./routed_method.ts";

/** A method with its path and the way it is called. */
export interface RoutedCall {
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly readers: readonly ArgumentReader<Context>[];
}

/**
 * Creates the route of a method from its name.
 *
 * @param router The party that serves the controller.
 * @param controller The controller.
 * @param name The method name.
 * @param parsed The parsed name.
 */
export function callByName(router: Party, controller: Controller, name: string, parsed: ParsedName): RoutedCall {
  const taken = templateOf(router).names;
  const macros = router.Macros();
  const known = taken.length > 0 ? new Map() : callsOf(macros, parsed);
  const parameters = parametersIn(controller, name);
  let call = known.get(parameters);
  if (call === undefined) {
    const { path, sources } = routeByName(methodOf(controller, name, parameters), parsed, taken);
    call = { path, parameters, readers: readersOf(sources, segmentsOf(router, path), parameters) };
    known.set(parameters, call);
  }
  return call;
}

/**
 * The calls by name and parameters. Many controllers have a method such as `GetBy(id = 0n)`, which is analyzed only
 * once.
 */
const calls = new WeakMap<Macros, Map<ParsedName, Map<readonly Parameter[], RoutedCall>>>();

function callsOf(macros: Macros, parsed: ParsedName): Map<readonly Parameter[], RoutedCall> {
  let byName = calls.get(macros);
  if (byName === undefined) calls.set(macros, byName = new Map());
  let byParameters = byName.get(parsed);
  if (byParameters === undefined) byName.set(parsed, byParameters = new Map());
  return byParameters;
}

/**
 * Creates a custom route for a method.
 *
 * @param router The party that serves the controller.
 * @param controller The controller.
 * @param name The method name.
 * @param path The path, relative to the party. If omitted, only the context and dependencies can be injected.
 */
export function callByHand(router: Party, controller: Controller, name: string, path?: string): RoutedCall {
  const parameters = parametersIn(controller, name);
  return { ...handCall(router, methodOf(controller, name, parameters), path), parameters };
}

/**
 * Creates the route of a handler with injected arguments. If its first argument has no default value, it is the
 * context, regardless of its name.
 *
 * @param router The party that serves the handler.
 * @param handler The handler and its name for error messages.
 * @param path The path, relative to the party. Omitted for middleware.
 */
export function callOfHandler(
  router: Party,
  handler: { readonly name: string; readonly call: (ctx: Context) => unknown },
  path?: string,
): RoutedCall {
  const parameters = parametersOf(handler.call) ?? [];
  const [first, ...others] = parameters;
  const context: Parameter = { name: "ctx", form: "plain", fallback: undefined };
  const named = first === undefined || first.fallback !== undefined ? parameters : [context, ...others];
  const method = new RoutedMethod(handler.name, named, Function.prototype.toString.call(handler.call));
  const bare = named.findIndex((each, i) => i > 0 && each.fallback === undefined);
  if (bare !== -1) {
    throw method.refuse(
      'has no default value; give it one: mvc.Inject(...), mvc.Body(...), or a literal such as 0 or "" for a path parameter',
      bare,
    );
  }
  const [open] = path === undefined ? method.open(method.context) : [];
  if (open !== undefined) throw method.refuse("receives nothing: middleware has no path parameters of its own", open);
  return { ...handCall(router, method, path), parameters };
}

function handCall(router: Party, method: RoutedMethod, path: string | undefined): Omit<RoutedCall, "parameters"> {
  const segments = path === undefined ? [] : segmentsOf(router, path);
  const own = path === undefined ? 0 : templateOf(router).names.length;
  const routing = routeByHand(method, { path: path ?? "/", known: segments.map(toHandParameter), own });
  return { path: routing.path, readers: readersOf(routing.sources, segments, method.parameters) };
}

function parametersIn({ name: owner, methods }: Controller, name: string): readonly Parameter[] {
  const method = methods.get(name);
  if (method === undefined) throw new RoutedMethod(`${owner}.${name}`, []).refuse("the controller has no such method");
  const parameters = parametersOf(method);
  if (parameters !== undefined) return parameters;
  if (method.length === 0) return [];
  throw new RoutedMethod(`${owner}.${name}`, []).refuse(
    "its arguments are not known because it is a bound or native function; " +
      "declare them with mvc.Signature(method, original)",
  );
}

function methodOf({ name: owner, methods }: Controller, name: string, parameters: readonly Parameter[]): RoutedMethod {
  return new RoutedMethod(`${owner}.${name}`, parameters, Function.prototype.toString.call(methods.get(name)));
}

/** Returns the path parameters of a route. The party's own parameters come first. */
function segmentsOf(router: Party, path: string): ParamSegment[] {
  const { segments } = parseTemplate(joinPaths(router.Prefix(), path), router.Macros());
  return segments.filter((segment) => segment.kind === "param");
}

function readersOf(
  sources: readonly ArgumentSource[],
  segments: readonly ParamSegment[],
  parameters: readonly Parameter[],
): ArgumentReader<Context>[] {
  return sources.map((source, index) => {
    if (source === "context") return readContext;
    return source === "default" ? readNothing : paramReader(source, converterOf(segments[source], parameters[index]));
  });
}

/**
 * Returns the function that converts a parameter for an argument. The default value of an argument declares its type,
 * so an argument must not receive a value of another type from a custom type.
 */
function converterOf(segment: ParamSegment | undefined, argument: Parameter | undefined): ParamType["Convert"] {
  const convert = segment?.type.Convert;
  const kind = argument?.fallback?.kind;
  if (segment === undefined || convert === undefined || kind === undefined) return convert;
  if (toHandParameter(segment).kind !== undefined) return convert;
  return kind === "string" ? undefined : (text) => {
    const value = convert(text);
    const type: string = typeof value;
    if (type === kind) return value;
    throw new FrameworkError(
      "FW_PARAM",
      `Cannot pass "{${segment.name}}" to argument "${argument?.name}": its type "${segment.type.Name}" returned a ` +
        `value of type "${type}", and the default value is a ${kind}`,
    );
  };
}

/**
 * Returns a reader for the parameter at a position. Looking up names and creating an object for them would slow down
 * every request.
 */
function paramReader(at: number, convert: ((text: string) => unknown) | undefined): ArgumentReader<Context> {
  if (convert === undefined) return (ctx) => paramAt(exchangeOf(ctx).target, at);
  return (ctx) => convert(paramAt(exchangeOf(ctx).target, at));
}

function readContext(ctx: Context): Context {
  return ctx;
}

function readNothing(): undefined {}

/** The default values that match the kinds of built-in types. The kind of a custom type is unknown. */
const defaultOfKind: Readonly<Record<string, DefaultKind>> = { number: "number", bigint: "bigint", text: "string" };

function toHandParameter({ name, type }: ParamSegment): HandParameter {
  const builtin = BUILTIN_TYPES.find((row) => row.Name === type.Name);
  const kind = type.Name === "bool" ? "boolean" : defaultOfKind[builtin?.kind ?? ""];
  return { name, type: type.Name, kind: kind ?? (type.Convert === undefined ? "string" : undefined) };
}
