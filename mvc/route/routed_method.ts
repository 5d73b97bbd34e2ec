/**
 * A method to be routed: which of its arguments the path can fill, which may be the Context, and what is refused.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors.ts";
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

/** A method whose arguments are planned. */
export interface Routed {
  /** The controller and method, for errors: `UserController.GetBy`. */
  readonly owner: string;
  readonly parameters: readonly Parameter[];
  /** True if its source is known not to come from a minifier, so that short names are names. */
  readonly isAsWritten?: boolean;
}

/** The parameter type that each literal default value stands for; no default value is `string`. */
export const typeOfDefault: Partial<Record<DefaultKind, string>> = {
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
 * Reports whether a name may be a minifier's, so that it says nothing: one or two letters. `id` is a word of its own,
 * and too late in a minifier's order to appear in an argument list.
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
