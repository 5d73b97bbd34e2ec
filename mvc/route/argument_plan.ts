/**
 * Determines what each argument of a method that is routed by name receives, and the resulting path.
 *
 * An argument bound to the path declares its type with a literal default value, because declared types do not exist at
 * run time. Every other default value is evaluated by the engine when the argument is omitted. A method is called
 * inside its request's injection scope, so `mvc.Inject(Users)` just works there and need not be recognized, even if a
 * minifier writes it as `a(b)`.
 *
 * @module
 */

import type { FrameworkError } from "../../src/errors/errors.ts";
import type { NamePart, ParsedName } from "../reflect/method_parser.ts";
import type { Parameter } from "../../src/signature/parameter_list.ts";
import {
  type ArgumentPlan,
  type ArgumentSource,
  checkFirst,
  checkParameters,
  describe,
  isShortName,
  namedContext,
  onlyRequired,
  openArguments,
  refusal,
  type Routed,
  trimmed,
  typeOfDefault,
} from "./routed_method.ts";

/** A path parameter defined by a name, with the name of its type. */
interface SpelledParameter {
  readonly name: string;
  readonly type: string;
}

/** The call plan for a method whose route is derived from its name. */
export interface NamedPlan extends ArgumentPlan {
  /** The path parameters, relative to the party, in order. */
  readonly spelled: readonly SpelledParameter[];
}

/**
 * Plans a method that is routed by name.
 *
 * @param method The method.
 * @param name The parsed name.
 * @param taken The names of the party's own path parameters, which come first.
 */
export function planArguments(method: Routed, name: ParsedName, taken: readonly string[] = []): NamedPlan {
  const { owner, parameters } = method;
  checkParameters(method);
  const binds = name.parts.filter((part) => part.kind !== "word").length;
  if (name.parts.slice(0, -1).some((part) => part.kind === "wildcard")) {
    throw refusal(owner, `nothing can follow "ByWildcard", which matches the rest of the path`);
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

/** Rejects a first argument that may be the context. A minifier also shortens `ctx`, and fw does not guess. */
function checkFirstOf(method: Routed, hasSpare: boolean): void {
  checkFirst(method);
  const [first] = method.parameters;
  if (
    method.isAsWritten || !hasSpare || first?.form !== "plain" || first.fallback !== undefined ||
    !isShortName(first.name)
  ) return;
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
    throw refusal(
      owner,
      `${describe(parameters, index)} has a fraction, but path parameters of type "int" are integers`,
    );
  }
  return { name: uniqueName(parameter.name, isTaken), type: part.kind === "wildcard" ? "path" : type };
}

/**
 * Returns a unique name for a path parameter. Minified names may collide with the party's, and templates allow no
 * dollar sign.
 */
function uniqueName(wanted: string, isTaken: (name: string) => boolean): string {
  const base = /^\w+$/.test(wanted) ? wanted : wanted.replace(/[^\p{L}\p{N}_]/gu, "") || "param";
  let name = base;
  for (let i = 2; isTaken(name); i++) name = `${base}${i}`;
  return name;
}

function isTaken(name: string, taken: readonly string[], spelled: readonly SpelledParameter[]): boolean {
  return taken.includes(name) || spelled.some((each) => each.name === name);
}

/** Checks a path word. A method name may be any string (`["Get/x"]() {}`), but a segment may not. */
function checkedWord(owner: string, word: string): string {
  const odd = /^\w+$/.test(word) ? null : /[^\p{L}\p{N}_$.~-]/u.exec(word);
  if (odd !== null) throw refusal(owner, `a path word cannot contain "${odd[0]}"`);
  return word;
}

function nothingToBind(owner: string, bound: number): FrameworkError {
  const which = bound === 1 ? '"By"' : `the ${bound}. "By"`;
  return refusal(
    owner,
    `${which} needs an argument without a default value or with a literal default value, and none is left; ` +
      "add one or route the method with b.Handle in BeforeActivation",
  );
}

function leftOver(owner: string, parameters: readonly Parameter[], index: number, hasBy: boolean): FrameworkError {
  const reason = hasBy ? 'no "By" is left for it' : 'the name has no "By" for it and it is not the Context';
  return refusal(owner, `${describe(parameters, index)} receives nothing: ${reason}`);
}
