/**
 * Plans the routes of controller methods: the paths, and the readers of the arguments.
 *
 * @module
 */

import { type Party, templateOf } from "../../src/app/party.ts";
import { joinPaths } from "../../src/app/party_prefix.ts";
import { type Context, exchangeOf } from "../../src/context/context.ts";
import { paramAt } from "../../src/accessors/params.ts";
import type { Macros } from "../../src/parameter_types/macros.ts";
import { type ParamSegment, parseTemplate, type Template } from "../../src/parameter_types/template.ts";
import { BUILTIN_TYPES } from "../../src/parameter_types/types.ts";
import type { ArgumentReader } from "../inject/call.ts";
import type { Controller } from "../reflect/controller.ts";
import { parametersOf } from "../../src/signature/signature.ts";
import type { ParsedName } from "../reflect/method_parser.ts";
import type { DefaultKind, Parameter } from "../../src/signature/parameter_list.ts";
import { planArguments } from "./argument_plan.ts";
import { type HandParameter, planForPath } from "./hand_plan.ts";
import { type ArgumentPlan, describe, namedContext, openArguments, refusal, type Routed } from "./routed_method.ts";

/** A planned route: how the method is called, and where it is served. */
export interface RoutePlan {
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly readers: readonly ArgumentReader<Context>[];
}

/**
 * Plans a method that is routed by name.
 *
 * @param router The party that serves the controller.
 * @param controller The controller.
 * @param name The method name.
 * @param parsed The parsed name.
 */
export function planByName(router: Party, controller: Controller, name: string, parsed: ParsedName): RoutePlan {
  const method = routedMethod(controller, name);
  const taken = templateOf(router).names;
  const macros = router.Macros();
  if (taken.length > 0) return newPlanByName(method, parsed, taken, macros);
  const plans = plansOf(macros, parsed);
  let plan = plans.get(method.parameters);
  if (plan === undefined) plans.set(method.parameters, plan = newPlanByName(method, parsed, taken, macros));
  return plan;
}

/** The plans by name and parameters. Many controllers have a `GetBy(id = 0n)`, which is planned once. */
const plans = new WeakMap<Macros, Map<ParsedName, Map<readonly Parameter[], RoutePlan>>>();

function plansOf(macros: Macros, parsed: ParsedName): Map<readonly Parameter[], RoutePlan> {
  let byName = plans.get(macros);
  if (byName === undefined) plans.set(macros, byName = new Map());
  let byParameters = byName.get(parsed);
  if (byParameters === undefined) byName.set(parsed, byParameters = new Map());
  return byParameters;
}

function newPlanByName(method: Routed, parsed: ParsedName, taken: readonly string[], macros: Macros): RoutePlan {
  const plan = planArguments(method, parsed, taken);
  return withReaders(plan, method.parameters, (at) => macros.Get(plan.spelled[at - taken.length]?.type ?? "")?.Convert);
}

/**
 * Plans a method that is routed by hand.
 *
 * @param router The party that serves the controller.
 * @param controller The controller.
 * @param name The method name.
 * @param path The path, relative to the party.
 */
export function planByHand(router: Party, controller: Controller, name: string, path: string): RoutePlan {
  const method = routedMethod(controller, name);
  const segments = segmentsOf(parseTemplate(joinPaths(router.Prefix(), path), router.Macros()));
  const plan = planForPath(method, {
    path,
    known: segments.map(toHandParameter),
    own: templateOf(router).names.length,
  });
  return withReaders(plan, method.parameters, (at) => segments[at]?.type.Convert);
}

/**
 * Plans a method that handles error statuses. It has no path, so its arguments can only be the context and
 * dependencies.
 *
 * @param controller The controller.
 * @param name The method name.
 */
export function planWithoutPath(controller: Controller, name: string): RoutePlan {
  const method = routedMethod(controller, name);
  const plan = planForPath(method, { path: "/", known: [], own: 0 });
  return withReaders(plan, method.parameters, () => undefined);
}

/**
 * Plans a handler with injected arguments. If its first argument has no default value, it is the context, under any
 * name.
 *
 * @param router The party that serves the handler.
 * @param handler The handler and its name for error messages.
 * @param path The path, relative to the party, or `undefined` for middleware.
 */
export function planHandler(
  router: Party,
  handler: { readonly name: string; readonly call: (ctx: Context) => unknown },
  path: string | undefined,
): RoutePlan {
  const parameters = parametersOf(handler.call) ?? [];
  const [first, ...others] = parameters;
  const context: Parameter = { name: "ctx", form: "plain", fallback: undefined };
  const method: Routed = {
    owner: handler.name,
    parameters: first === undefined || first.fallback !== undefined ? parameters : [context, ...others],
    isAsWritten: isAsWritten(handler.call),
  };
  checkDefaults(method);
  if (path === undefined) checkNoPath(method);
  const segments = path === undefined
    ? []
    : segmentsOf(parseTemplate(joinPaths(router.Prefix(), path), router.Macros()));
  const own = path === undefined ? 0 : templateOf(router).names.length;
  const plan = planForPath(method, { path: path ?? "", known: segments.map(toHandParameter), own });
  return withReaders(plan, parameters, (at) => segments[at]?.type.Convert);
}

/** Rejects arguments that would always be `undefined`, because handlers declare path parameters by default values. */
function checkDefaults({ owner, parameters }: Routed): void {
  const bare = parameters.findIndex((each, i) => i > 0 && each.fallback === undefined && each.form !== "rest");
  if (bare === -1) return;
  throw refusal(
    owner,
    `${describe(parameters, bare)} has no default value; give it one: mvc.Inject(...), mvc.Body(...), or a literal ` +
      'such as 0 or "" for a path parameter',
  );
}

/** Rejects arguments of middleware that would need a path parameter. */
function checkNoPath({ owner, parameters }: Routed): void {
  const [open] = openArguments(parameters, namedContext(parameters));
  if (open === undefined) return;
  throw refusal(owner, `${describe(parameters, open)} receives nothing: middleware has no path parameters of its own`);
}

/** Reports whether a function's source is not minified: a minifier leaves no space before a body or an arrow. */
function isAsWritten(method: (...args: never[]) => unknown): boolean {
  return /\)\s+(?:\{|=>)/.test(Function.prototype.toString.call(method));
}

function routedMethod(controller: Controller, name: string): Routed {
  const owner = `${controller.name}.${name}`;
  const method = controller.methods.get(name);
  if (method === undefined) throw refusal(owner, "the controller has no such method");
  const parameters = parametersOf(method);
  if (parameters !== undefined) return { owner, parameters, isAsWritten: isAsWritten(method) };
  if (method.length === 0) return { owner, parameters: [] };
  throw refusal(
    owner,
    "its arguments are not known because it is a bound or native function; " +
      "declare them with mvc.Signature(method, original)",
  );
}

function segmentsOf(template: Template): ParamSegment[] {
  return template.segments.filter((segment) => segment.kind === "param");
}

type Convert = (text: string) => unknown;

function withReaders(
  plan: ArgumentPlan,
  parameters: readonly Parameter[],
  conversionAt: (at: number) => Convert | undefined,
): RoutePlan {
  const readers = plan.sources.map((source) => {
    if (source === "context") return readContext;
    return source === "default" ? readNothing : readerOf(source, conversionAt(source));
  });
  return { path: plan.path, parameters, readers };
}

/**
 * Returns a reader for a parameter, by position. Looking up names, and creating an object for them, would cost every
 * request.
 */
function readerOf(at: number, convert: Convert | undefined): ArgumentReader<Context> {
  if (convert === undefined) return (ctx) => paramAt(exchangeOf(ctx).place, at);
  return (ctx) => convert(paramAt(exchangeOf(ctx).place, at));
}

function readContext(ctx: Context): Context {
  return ctx;
}

function readNothing(): undefined {}

/** The default values that match the kinds of the built-in types. The kind of a custom type is not known. */
const defaultOfKind: Readonly<Record<string, DefaultKind>> = { number: "number", bigint: "bigint", text: "string" };

function toHandParameter({ name, type }: ParamSegment): HandParameter {
  const builtin = BUILTIN_TYPES.find((row) => row.Name === type.Name);
  const kind = type.Name === "bool" ? "boolean" : defaultOfKind[builtin?.kind ?? ""];
  return { name, type: type.Name, kind: kind ?? (type.Convert === undefined ? "string" : undefined) };
}
