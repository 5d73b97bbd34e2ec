/**
 * Decides what each argument of a method that is routed by its name receives, and the path that follows from it.
 *
 * An argument bound to the path says its type with a literal default value, since nothing else is left of it at run
 * time. Every other default value is a call for the engine to run when the argument is left out; a method is called
 * inside its request's injection scope, so `mvc.Inject(Users)` works there by itself. Hence nothing has to recognise
 * that call, which a minifier writes as `a(b)`.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors.ts";
import type { NamePart, ParsedName } from "../reflect/method_parser.ts";
import type { DefaultKind, Parameter } from "../reflect/signature.ts";

/** A path parameter that a name spells, with the name of its type. */
interface SpelledParameter {
  readonly name: string;
  readonly type: string;
}

/** How a method that is routed by its name is called and served. */
export interface NamedPlan extends ArgumentPlan {
  /** The parameters of the path below the party, in order. */
  readonly spelled: readonly SpelledParameter[];
}

/**
 * Plans a method that is routed by its name.
 *
 * @param method The method.
 * @param name Its name, read.
 * @param taken The names of the party's own path parameters, which come first.
 */
export function planArguments(method: Routed, name: ParsedName, taken: readonly string[] = []): NamedPlan {
  const { owner, parameters } = method;
  checkParameters(method);
  const binds = name.parts.filter((part) => part.kind !== "word").length;
  if (name.parts.slice(0, -1).some((part) => part.kind === "wildcard")) {
    throw refusal(owner, `nothing can follow "ByWildcard", which takes the rest of the path`);
  }
  const context = namedContext(parameters) ?? (binds === 0 ? onlyRequired(parameters) : undefined);
  const open = openArguments(parameters, context);
  if (context === undefined && binds > 0) checkFirstOf(method, open.length > binds);
  const sources: ArgumentSource[] = parameters.map((_, i) => i === context ? "context" : "default");
  const spelled: SpelledParameter[] = [];
  let path = "";
  let bound = 0;
  for (const part of name.parts) {
    if (part.kind === "word") {
      path += `/${checkedWord(owner, part.text)}`;
      continue;
    }
    bound++;
    const count = bound === binds && part.kind === "by" ? Math.max(open.length, 1) : 1;
    for (const index of open.splice(0, count)) {
      sources[index] = taken.length + spelled.length;
      const { name, type } = spell(method, part, index, (wanted) => isTaken(wanted, taken, spelled));
      spelled.push({ name, type });
      path += `/{${name}:${type}}`;
    }
    if (spelled.length < bound) throw nothingToBind(owner, bound);
  }
  const left = open[0];
  if (left !== undefined) throw leftOver(owner, parameters, left, binds > 0);
  return { path: path === "" ? "/" : path, sources: trimmed(sources), spelled };
}

/** A minifier shortens `ctx` too: what may have been the Context, by the number of arguments, is not guessed. */
function checkFirstOf(method: Routed, hasSpare: boolean): void {
  checkFirst(method);
  const [first] = method.parameters;
  if (!hasSpare || first?.form !== "plain" || first.fallback !== undefined || !isShortName(first.name)) return;
  throw refusal(
    method.owner,
    `${
      describe(method.parameters, 0)
    } may be the Context or a path parameter, since a minifier may have shortened its ` +
      `name; use this.Ctx or mvc.Inject(fw.Context) for the Context, and a default value of "" for a path parameter`,
  );
}

function spell(
  method: Routed,
  part: NamePart,
  index: number,
  isTaken: (name: string) => boolean,
): SpelledParameter {
  const { owner, parameters } = method;
  const parameter = parameters[index];
  const type = typeOfDefault[parameter?.fallback?.kind ?? "string"] ?? "string";
  if (parameter?.form !== "plain") throw refusal(owner, `${describe(parameters, index)} has no name for the path`);
  if (part.kind === "wildcard" && type !== "string") {
    throw refusal(owner, `${describe(parameters, index)} is not a string, as "ByWildcard" needs`);
  }
  if (type === "int" && !Number.isInteger(Number(parameter.fallback?.source.replace(/[_()]|Number/g, "")))) {
    throw refusal(owner, `${describe(parameters, index)} has a fraction, and a path parameter of type "int" has none`);
  }
  return { name: uniqueName(parameter.name, isTaken), type: part.kind === "wildcard" ? "path" : type };
}

/** Names a path parameter; a minifier's names may meet the party's, and templates know no dollar sign. */
function uniqueName(wanted: string, isTaken: (name: string) => boolean): string {
  const base = /^\w+$/.test(wanted) ? wanted : wanted.replace(/[^\p{L}\p{N}_]/gu, "") || "param";
  let name = base;
  for (let i = 2; isTaken(name); i++) name = `${base}${i}`;
  return name;
}

function isTaken(name: string, taken: readonly string[], spelled: readonly SpelledParameter[]): boolean {
  return taken.includes(name) || spelled.some((each) => each.name === name);
}

/** A method's name may be any text (`["Get/x"]() {}`), a segment may not. */
function checkedWord(owner: string, word: string): string {
  const odd = /^\w+$/.test(word) ? null : /[^\p{L}\p{N}_$.~-]/u.exec(word);
  if (odd !== null) throw refusal(owner, `a path word cannot hold "${odd[0]}"`);
  return word;
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

/** What an argument receives: the Context, the path parameter of that index, or nothing, so that its default runs. */
export type ArgumentSource = "context" | "default" | number;

/** How a method is called, and where it is served. */
export interface ArgumentPlan {
  /** The path below the party: `/user/{id:long}/followers`. */
  readonly path: string;
  /** One source for each argument; the last ones are left out when their default runs. */
  readonly sources: readonly ArgumentSource[];
}

/** A method whose arguments are planned. */
export interface Routed {
  /** The controller and method, for errors: `UserController.GetBy`. */
  readonly owner: string;
  readonly parameters: readonly Parameter[];
}

/** The parameter type that each literal default value stands for; no default value is `string`. */
const typeOfDefault: Partial<Record<DefaultKind, string>> = {
  number: "int",
  bigint: "long",
  boolean: "bool",
  string: "string",
};

/**
 * Refuses what no plan can serve: an argument list that is not known, and a default value that a minifier may turn into
 * another kind, as it does with a constant.
 */
export function checkParameters({ owner, parameters }: Routed): void {
  const rest = parameters.findIndex((each) => each.form === "rest");
  if (rest !== -1) {
    throw refusal(
      owner,
      `${describe(parameters, rest)} takes any number of values, as in a decorator's wrapper, which hides the ` +
        "signature; name it with mvc.Signature(wrapper, original)",
    );
  }
  const other = parameters.findIndex((each) => each.fallback?.kind === "other");
  if (other !== -1) {
    throw refusal(
      owner,
      `${
        describe(parameters, other)
      } has neither a literal nor a call there, which a minifier may turn into a literal; ` +
        "write the literal itself or mvc.Inject(...), or use the value in the body",
    );
  }
  const late = parameters.findIndex((each, i) => i > 0 && isContextName(each));
  if (late !== -1) throw refusal(owner, `${describe(parameters, late)} is not the first: the Context comes first`);
}

/** The first argument is the Context when it is named so. */
export function namedContext([first]: readonly Parameter[]): number | undefined {
  return first !== undefined && isContextName(first) ? 0 : undefined;
}

/** The only argument without a default value. */
export function onlyRequired(parameters: readonly Parameter[]): number | undefined {
  const required = parameters.flatMap((each, i) => each.fallback === undefined ? [i] : []);
  return required.length === 1 ? required[0] : undefined;
}

/** The arguments that are neither the Context nor left to their default value. */
export function openArguments(parameters: readonly Parameter[], context: number | undefined): number[] {
  return parameters.flatMap((each, i) => i !== context && isForPath(each) ? [i] : []);
}

/**
 * Reports whether a name may be a minifier's, so that it says nothing: one or two letters. `id` is a word of its own, and
 * too late in a minifier's order to appear in an argument list.
 */
export function isShortName(name: string): boolean {
  return name.length <= 2 && name !== "id";
}

/** Refuses a first argument that reads as a Context under another name: it would silently be a path parameter. */
export function checkFirst({ owner, parameters }: Routed): void {
  const [first] = parameters;
  if (first === undefined || first.fallback !== undefined || !/^_?(?:c|context|req|request)$/i.test(first.name)) return;
  throw refusal(
    owner,
    `${describe(parameters, 0)} may be meant as the Context or as a path parameter; ` +
      `name the Context "ctx", or give a path parameter a default value, as in ${first.name} = ""`,
  );
}

/** Leaves out the trailing arguments whose default runs: they need not be passed. */
export function trimmed(sources: readonly ArgumentSource[]): readonly ArgumentSource[] {
  return sources.slice(0, sources.findLastIndex((source) => source !== "default") + 1);
}

/** Names an argument in an error message. */
export function describe(parameters: readonly Parameter[], index: number): string {
  const { name = "", fallback } = parameters[index] ?? {};
  const label = name === "" ? "" : ` "${name}"`;
  return `argument ${index + 1}${label}${fallback === undefined ? "" : ` with default value "${fallback.source}"`}`;
}

/** The error about a method that cannot be routed. */
export function refusal(owner: string, reason: string): FrameworkError {
  return new FrameworkError("FW_CONTROLLER", `Cannot route "${owner}": ${reason}`);
}

function isContextName({ name, fallback, form }: Parameter): boolean {
  return form === "plain" && fallback === undefined && (name === "ctx" || name === "_ctx");
}

function isForPath({ fallback }: Parameter): boolean {
  return fallback === undefined || typeOfDefault[fallback.kind] !== undefined;
}
