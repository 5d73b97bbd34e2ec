/**
 * Routed methods: which arguments can receive path parameters or the context, and which are rejected.
 *
 * @module
 */

import { FrameworkError } from "../../src/errors/errors.ts";
import type { DefaultKind, Parameter } from "../../src/signature/parameter_list.ts";

/** The source of an argument: the context, the path parameter with that index, or its default value. */
export type ArgumentSource = "context" | "default" | number;

/** The arguments and the path of a routed method. */
export interface ArgumentPlan {
  /** The path, relative to the party, such as `/user/{id:long}/followers`. */
  readonly path: string;
  /** The source of each argument. Trailing arguments that use their default values are omitted. */
  readonly sources: readonly ArgumentSource[];
}

/** A method whose arguments are planned. */
export interface Routed {
  /** The controller and method for error messages, such as `UserController.GetBy`. */
  readonly owner: string;
  readonly parameters: readonly Parameter[];
  /** Whether the source is known not to be minified, so that short names are meaningful. */
  readonly isAsWritten?: boolean;
}

/** The parameter type for each kind of literal default value. Arguments without a default value are strings. */
export const typeOfDefault: Partial<Record<DefaultKind, string>> = {
  number: "int",
  bigint: "long",
  boolean: "bool",
  string: "string",
};

/**
 * Rejects methods that cannot be planned: unknown argument lists, and default values that a minifier may turn into
 * another kind, as it does with constants.
 */
export function checkParameters({ owner, parameters }: Routed): void {
  const rest = parameters.findIndex((each) => each.form === "rest");
  if (rest !== -1) {
    throw refusal(
      owner,
      `${describe(parameters, rest)} is a rest parameter, as in a decorator's wrapper, which hides the ` +
        "signature; declare it with mvc.Signature(wrapper, original)",
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

/** Returns the index of the context if the first argument has its name. */
export function namedContext([first]: readonly Parameter[]): number | undefined {
  return first !== undefined && isContextName(first) ? 0 : undefined;
}

/** Returns the index of the only argument without a default value. */
export function onlyRequired(parameters: readonly Parameter[]): number | undefined {
  const required = parameters.flatMap((each, i) => each.fallback === undefined ? [i] : []);
  return required.length === 1 ? required[0] : undefined;
}

/** Returns the indices of the arguments that are neither the context nor use their default values. */
export function openArguments(parameters: readonly Parameter[], context: number | undefined): number[] {
  return parameters.flatMap((each, i) => i !== context && isForPath(each) ? [i] : []);
}

/**
 * Reports whether a name may be minified, and so carries no meaning: it has one or two letters. `id` is a word, and
 * comes too late in a minifier's order to appear in an argument list.
 */
export function isShortName(name: string): boolean {
  return name.length <= 2 && name !== "id";
}

/** Rejects a first argument that looks like a context under another name. It would silently be a path parameter. */
export function checkFirst({ owner, parameters }: Routed): void {
  const [first] = parameters;
  if (first === undefined || first.fallback !== undefined || !/^_?(?:c|context|req|request)$/i.test(first.name)) return;
  throw refusal(
    owner,
    `${describe(parameters, 0)} may be meant as the Context or as a path parameter; ` +
      `name the Context "ctx", or give a path parameter a default value, as in ${first.name} = ""`,
  );
}

/** Omits the trailing arguments that use their default values, because they need not be passed. */
export function trimmed(sources: readonly ArgumentSource[]): readonly ArgumentSource[] {
  return sources.slice(0, sources.findLastIndex((source) => source !== "default") + 1);
}

/** Describes an argument for an error message. */
export function describe(parameters: readonly Parameter[], index: number): string {
  const { name = "", fallback } = parameters[index] ?? {};
  const label = name === "" ? "" : ` "${name}"`;
  return `argument ${index + 1}${label}${fallback === undefined ? "" : ` with default value "${fallback.source}"`}`;
}

/** Creates the error for a method that cannot be routed. */
export function refusal(owner: string, reason: string): FrameworkError {
  return new FrameworkError("FW_CONTROLLER", `Cannot route "${owner}": ${reason}`);
}

function isContextName({ name, fallback, form }: Parameter): boolean {
  return form === "plain" && fallback === undefined && (name === "ctx" || name === "_ctx");
}

function isForPath({ fallback }: Parameter): boolean {
  return fallback === undefined || typeOfDefault[fallback.kind] !== undefined;
}
