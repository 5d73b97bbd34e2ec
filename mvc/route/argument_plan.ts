/**
 * Decides what each argument of a controller method receives, and the path that follows from it.
 *
 * An argument bound to the path says its type with a literal default value, since nothing else is left of it at run
 * time. Every other default value is an expression for the engine to run when the argument is left out; a method is
 * called inside its request's injection scope, so `mvc.Inject(Users)` works there by itself. Hence nothing has to
 * recognise that call, which a minifier writes as `a(b)`.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors.ts";
import type { NamePart, ParsedName } from "../reflect/method_parser.ts";
import type { DefaultKind, Parameter } from "../reflect/signature.ts";

/** What an argument receives: the Context, the path parameter of that index, or nothing, so that its default runs. */
export type ArgumentSource = "context" | "default" | number;

/** How a method is called, and where it is served. */
export interface ArgumentPlan {
  /** The path below the party: `/user/{id:long}/followers`. */
  readonly path: string;
  /** One source for each argument; the last ones are left out when their default runs. */
  readonly sources: readonly ArgumentSource[];
}

/** A parameter of a path that was given by hand. */
export interface PathParameter {
  readonly name: string;
  /** The type's name in the template. */
  readonly type: string;
  /** The default value that agrees with the type, when that is known. */
  readonly kind: DefaultKind | undefined;
}

/** The parameter type that each default value stands for; no default value is `string`. */
const typeOfDefault: Partial<Record<DefaultKind, string>> = {
  number: "int",
  bigint: "long",
  boolean: "bool",
  string: "string",
};

/**
 * Plans a method that is routed by its name.
 *
 * @param owner The controller and method, for errors: `UserController.GetBy`.
 * @param name The method's name, read.
 * @param parameters The method's parameters.
 * @param taken The names of the party's own path parameters, which come first.
 */
export function planArguments(
  owner: string,
  name: ParsedName,
  parameters: readonly Parameter[],
  taken: readonly string[] = [],
): ArgumentPlan {
  const binds = name.parts.filter((part) => part.kind !== "word");
  if (name.parts.slice(0, -1).some((part) => part.kind === "wildcard")) {
    throw refusal(owner, `nothing can follow "ByWildcard", which takes the rest of the path`);
  }
  const context = namedContext(parameters) ?? (binds.length === 0 ? onlyRequired(parameters) : undefined);
  const open = openArguments(owner, parameters, context);
  const sources: ArgumentSource[] = parameters.map((_, i) => i === context ? "context" : "default");
  const names = [...taken];
  let path = "";
  let bound = 0;
  for (const part of name.parts) {
    if (part.kind === "word") {
      path += `/${checkedWord(owner, part.text)}`;
      continue;
    }
    bound++;
    const count = bound === binds.length && part.kind === "by" ? Math.max(open.length, 1) : 1;
    for (const index of open.splice(0, count)) {
      sources[index] = names.length;
      path += `/${template(owner, part, parameters, index, names)}`;
    }
    if (sources.filter((source) => typeof source === "number").length < bound) throw nothingToBind(owner, bound);
  }
  const left = open[0];
  if (left !== undefined) throw leftOver(owner, parameters, left, binds.length > 0);
  return { path: path === "" ? "/" : path, sources: trimmed(sources) };
}

/**
 * Plans a method that is routed by hand, with a path of its own.
 *
 * Arguments are matched by name where all of them are names of path parameters, and in order otherwise.
 *
 * @param owner The controller and method, for errors.
 * @param path The path below the party.
 * @param parameters The method's parameters.
 * @param known The parameters of the whole path, the party's own first.
 * @param own The index of the first parameter that is not the party's.
 */
export function planForPath(
  owner: string,
  path: string,
  parameters: readonly Parameter[],
  known: readonly PathParameter[],
  own = 0,
): ArgumentPlan {
  const context = namedContext(parameters) ?? spareContext(parameters, known, own);
  const open = openArguments(owner, parameters, context);
  const sources: ArgumentSource[] = parameters.map((_, i) => i === context ? "context" : "default");
  const byName = indexesByName(parameters, open, known);
  const targets = byName ?? open.map((_, i) => own + i);
  for (const [i, index] of open.entries()) {
    const target = known[targets[i] ?? -1];
    const kind = parameters[index]?.fallback?.kind;
    if (target === undefined) {
      throw refusal(owner, `path "${path}" has no parameter for ${describe(parameters, index)}`);
    }
    if (kind !== undefined && target.kind !== undefined && kind !== target.kind) {
      throw refusal(owner, `${describe(parameters, index)} is a ${kind} but "{${target.name}}" is "${target.type}"`);
    }
    sources[index] = targets[i] ?? 0;
  }
  return { path, sources: trimmed(sources) };
}

/** The first argument is the Context when it is named so. */
function namedContext([first]: readonly Parameter[]): number | undefined {
  return first?.fallback === undefined && (first?.name === "ctx" || first?.name === "_ctx") ? 0 : undefined;
}

/** The only argument without a default value. */
function onlyRequired(parameters: readonly Parameter[]): number | undefined {
  const required = parameters.flatMap((each, i) => each.fallback === undefined && each.form !== "rest" ? [i] : []);
  return required.length === 1 ? required[0] : undefined;
}

/** The one argument too many for a path that is given by hand: so the Context is found when names are minified. */
function spareContext(
  parameters: readonly Parameter[],
  known: readonly PathParameter[],
  own: number,
): number | undefined {
  const bindable = parameters.flatMap((each, i) => isForPath(each) ? [i] : []);
  if (indexesByName(parameters, bindable, known) !== undefined) return undefined;
  if (known.length === own) return onlyRequired(parameters);
  const [first] = bindable;
  const isSpare = bindable.length === known.length - own + 1;
  return isSpare && first !== undefined && parameters[first]?.fallback === undefined ? first : undefined;
}

/** The path parameters that the given arguments are named after, if all of them are. */
function indexesByName(
  parameters: readonly Parameter[],
  given: readonly number[],
  known: readonly PathParameter[],
): number[] | undefined {
  const indexes = given.map((index) => known.findIndex((each) => each.name === parameters[index]?.name));
  return indexes.includes(-1) ? undefined : indexes;
}

/** The arguments that are neither the Context nor left to their default value. */
function openArguments(owner: string, parameters: readonly Parameter[], context: number | undefined): number[] {
  const rest = parameters.findIndex((each) => each.form === "rest");
  if (rest !== -1) throw refusal(owner, `${describe(parameters, rest)} takes any number of values`);
  return parameters.flatMap((each, i) => i !== context && isForPath(each) ? [i] : []);
}

function isForPath({ fallback }: Parameter): boolean {
  return fallback === undefined || typeOfDefault[fallback.kind] !== undefined;
}

function template(
  owner: string,
  part: NamePart,
  parameters: readonly Parameter[],
  index: number,
  names: string[],
): string {
  const parameter = parameters[index];
  const type = typeOfDefault[parameter?.fallback?.kind ?? "string"] ?? "string";
  if (parameter?.form !== "plain") throw refusal(owner, `${describe(parameters, index)} has no name for the path`);
  if (part.kind === "wildcard" && type !== "string") {
    throw refusal(owner, `${describe(parameters, index)} is not a string, as "ByWildcard" needs`);
  }
  if (type === "int" && !Number.isInteger(Number(parameter.fallback?.source.replace(/[_()]|Number/g, "")))) {
    throw refusal(owner, `${describe(parameters, index)} has a fraction, and a path parameter of type "int" has none`);
  }
  const name = uniqueName(parameter.name, names);
  names.push(name);
  return `{${name}:${part.kind === "wildcard" ? "path" : type}}`;
}

/** Names a path parameter; a minifier's names may meet the party's, and templates know no dollar sign. */
function uniqueName(wanted: string, names: readonly string[]): string {
  const base = wanted.replace(/[^\p{L}\p{N}_]/gu, "") || "param";
  let name = base;
  for (let i = 2; names.includes(name); i++) name = `${base}${i}`;
  return name;
}

/** A method's name may be any text (`["Get/x"]() {}`), a segment may not. */
function checkedWord(owner: string, word: string): string {
  const odd = /[^\p{L}\p{N}_$.~-]/u.exec(word);
  if (odd !== null) throw refusal(owner, `a path word cannot hold "${odd[0]}"`);
  return word;
}

/** Leaves out the trailing arguments whose default runs: they need not be passed. */
function trimmed(sources: readonly ArgumentSource[]): readonly ArgumentSource[] {
  return sources.slice(0, sources.findLastIndex((source) => source !== "default") + 1);
}

function nothingToBind(owner: string, bound: number): FrameworkError {
  const which = bound === 1 ? '"By"' : `the ${bound}. "By"`;
  return refusal(
    owner,
    `${which} binds an argument that is bare or has a literal for its default value, and there is none left; ` +
      "give it one or route the method with b.Handle in BeforeActivation",
  );
}

function leftOver(owner: string, parameters: readonly Parameter[], index: number, hasBy: boolean): FrameworkError {
  const reason = hasBy ? 'no "By" is left for it' : 'the name has no "By" for it and it is not the Context';
  return refusal(owner, `${describe(parameters, index)} receives nothing: ${reason}`);
}

function describe(parameters: readonly Parameter[], index: number): string {
  const { name = "", fallback } = parameters[index] ?? {};
  const label = name === "" ? "" : ` "${name}"`;
  return `argument ${index + 1}${label}${fallback === undefined ? "" : ` with default value "${fallback.source}"`}`;
}

function refusal(owner: string, reason: string): FrameworkError {
  return new FrameworkError("FW_CONTROLLER", `Cannot route "${owner}": ${reason}`);
}
