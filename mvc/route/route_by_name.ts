/**
 * Derives the path of a method from its name and determines the value of each argument.
 *
 * An argument that is bound to the path declares its type with a literal default value, because declared types do not
 * exist at run time. Every other default value is evaluated by JavaScript when the argument is omitted. A method is
 * called inside its request's injection scope, so `mvc.Inject(Users)` works there without being recognized, even if a
 * minifier writes it as `a(b)`.
 *
 * @module
 */

import type { ParsedName } from "../reflect/method_parser.ts";
import { type RoutedMethod, type Routing, typeOfDefault } from "./routed_method.ts";

/**
 * Creates the routing of a method from its name.
 *
 * @param method The method.
 * @param name The parsed name.
 * @param taken The names of the party's own path parameters. They come first.
 */
export function routeByName(method: RoutedMethod, { parts }: ParsedName, taken: readonly string[] = []): Routing {
  const binds = parts.filter((part) => part.kind !== "word").length;
  if (parts.slice(0, -1).some((part) => part.kind === "wildcard")) {
    throw method.refuse(`nothing can follow "ByWildcard", which matches the rest of the path`);
  }
  const context = method.context ?? (binds === 0 ? method.onlyRequired : undefined);
  const open = method.open(context);
  if (context === undefined && binds > 0) checkFirst(method, open.length > binds);
  const names = [...taken];
  const targets = new Map<number, number>();
  let path = "";
  let bound = 0;
  for (const part of parts) {
    if (part.kind === "word") {
      path += `/${checkedWord(method, part.text)}`;
      continue;
    }
    bound++;
    const isWildcard = part.kind === "wildcard";
    const count = bound === binds && !isWildcard ? Math.max(open.length, 1) : 1;
    for (const index of open.splice(0, count)) {
      const type = typeOf(method, index, isWildcard);
      const name = uniqueName(method.parameters[index]?.name ?? "", names);
      targets.set(index, names.push(name) - 1);
      path += `/{${name}:${type}}`;
    }
    if (targets.size < bound) throw nothingToBind(method, bound);
  }
  const left = open[0];
  if (left !== undefined) {
    const reason = binds > 0 ? 'no "By" is left for it' : 'the name has no "By" for it and it is not the Context';
    throw method.refuse(`receives nothing: ${reason}`, left);
  }
  return method.routing(path === "" ? "/" : path, context, targets);
}

/** Rejects a first argument that may be the context. A minifier may also shorten `ctx`, and fw does not guess. */
function checkFirst(method: RoutedMethod, hasSpare: boolean): void {
  method.checkFirst();
  const [first] = method.parameters;
  const isRequired = first?.form === "plain" && first.fallback === undefined;
  if (!hasSpare || !isRequired || !method.mayBeMinified([0])) return;
  throw method.refuse(
    "may be the Context or a path parameter, since a minifier may have shortened its name; use this.Ctx or " +
      `mvc.Inject(fw.Context) for the Context, and a default value of "" for a path parameter`,
    0,
  );
}

/** Returns the type of the path parameter for an argument. */
function typeOf(method: RoutedMethod, index: number, isWildcard: boolean): string {
  const { form, fallback } = method.parameters[index] ?? {};
  const type = typeOfDefault[fallback?.kind ?? "string"] ?? "string";
  if (form !== "plain") throw method.refuse("has no name for the path", index);
  if (isWildcard && type !== "string") throw method.refuse('is not a string, as "ByWildcard" needs', index);
  if (type === "int" && !Number.isInteger(Number(fallback?.source.replace(/[_()]|Number/g, "")))) {
    throw method.refuse('has a fraction, but path parameters of type "int" are integers', index);
  }
  return isWildcard ? "path" : type;
}

/**
 * Returns a unique name for a path parameter. Minified names may collide with the party's, and templates do not allow
 * dollar signs.
 */
function uniqueName(wanted: string, taken: readonly string[]): string {
  const base = /^\w+$/.test(wanted) ? wanted : wanted.replace(/[^\p{L}\p{N}_]/gu, "") || "param";
  let name = base;
  for (let i = 2; taken.includes(name); i++) name = `${base}${i}`;
  return name;
}

/** Validates a word of the path. A method name may be any string (`["Get/x"]() {}`), but a path segment may not. */
function checkedWord(method: RoutedMethod, word: string): string {
  const odd = /^\w+$/.test(word) ? null : /[^\p{L}\p{N}_$.~-]/u.exec(word);
  if (odd !== null) throw method.refuse(`a path word cannot contain "${odd[0]}"`);
  return word;
}

function nothingToBind(method: RoutedMethod, bound: number): Error {
  const which = bound === 1 ? '"By"' : `the ${bound}. "By"`;
  return method.refuse(
    `${which} needs an argument without a default value or with a literal default value, and none is left; ` +
      "add one or route the method with b.Handle in BeforeActivation",
  );
}
