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

import type { FrameworkError } from "../../src/base/errors.ts";
import type { NamePart, ParsedName } from "../reflect/method_parser.ts";
import type { Parameter } from "../reflect/signature.ts";
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
