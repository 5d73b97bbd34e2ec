/**
 * Determines which arguments of a method can receive path parameters or the context, and which are rejected.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors/errors.ts";
import type { DefaultKind, Parameter } from "../../src/base/signature/parameter_list.ts";

/** The source of an argument: the context, the path parameter with that index, or its default value. */
export type ArgumentSource = "context" | "default" | number;

/** The path of a method with a route, and the sources of its arguments. */
export interface Routing {
  /** The path, relative to the party, such as `/user/{id:long}/followers`. */
  readonly path: string;
  /** The source of each argument. Trailing arguments that use their default values are omitted. */
  readonly sources: readonly ArgumentSource[];
}

/** The parameter type for each kind of literal default value. Arguments without a default value are strings. */
export const typeOfDefault: Partial<Record<DefaultKind, string>> = {
  number: "int",
  bigint: "long",
  boolean: "bool",
  string: "string",
};

/** Parameters that are not allowed in a method with a route. */
const rejected: readonly { readonly fits: (parameter: Parameter, index: number) => boolean; readonly why: string }[] = [
  {
    fits: ({ form }) => form === "rest",
    why: "is a rest parameter, as in a decorator's wrapper, which hides the signature; " +
      "declare it with mvc.Signature(wrapper, original)",
  },
  {
    // A minifier replaces constants with literals.
    fits: ({ fallback }) => fallback?.kind === "other",
    why: "has neither a literal nor a call there, which a minifier may turn into a literal; " +
      "write the literal itself or mvc.Inject(...), or use the value in the body",
  },
  { fits: (each, index) => index > 0 && isContextName(each), why: "is not the first: the Context comes first" },
];

/** A method with a route. */
export class RoutedMethod {
  readonly parameters: readonly Parameter[];
  readonly #owner: string;
  readonly #text: string;

  /**
   * Checks the parameters of a method.
   *
   * @param owner The controller and method for error messages, such as `UserController.GetBy`.
   * @param parameters The parameters.
   * @param text The source text of the method, if it is known.
   */
  constructor(owner: string, parameters: readonly Parameter[], text = "") {
    this.#owner = owner;
    this.parameters = parameters;
    this.#text = text;
    for (const { fits, why } of rejected) {
      const index = parameters.findIndex(fits);
      if (index !== -1) throw this.refuse(why, index);
    }
  }

  /** Returns the index of the context if the first argument is named like one. */
  get context(): number | undefined {
    const [first] = this.parameters;
    return first !== undefined && isContextName(first) ? 0 : undefined;
  }

  /** Returns the index of the only argument without a default value. */
  get onlyRequired(): number | undefined {
    const required = this.parameters.flatMap((each, i) => each.fallback === undefined ? [i] : []);
    return required.length === 1 ? required[0] : undefined;
  }

  /** Returns the indices of the arguments that are neither the context nor use their default values. */
  open(context: number | undefined): number[] {
    return this.parameters.flatMap((each, i) => i !== context && isForPath(each) ? [i] : []);
  }

  /**
   * Reports whether arguments may have minified names without a meaning. These are names of one or two letters in
   * source text that may be minified. A minifier leaves no space before a body or an arrow. `id` is treated as a word,
   * because a minifier would only use it after many other names.
   */
  mayBeMinified(indices: readonly number[]): boolean {
    return !/\)\s+(?:\{|=>)/.test(this.#text) && indices.every((index) => {
      const { name = "" } = this.parameters[index] ?? {};
      return name.length <= 2 && name !== "id";
    });
  }

  /**
   * Rejects a first argument that looks like a context with another name. Otherwise, it would silently become a path
   * parameter.
   */
  checkFirst(): void {
    const [first] = this.parameters;
    if (first?.fallback !== undefined || !/^_?(?:c|context|req|request)$/i.test(first?.name ?? "")) return;
    throw this.refuse(
      `may be meant as the Context or as a path parameter; name the Context "ctx", or give a path parameter ` +
        `a default value, as in ${first?.name} = ""`,
      0,
    );
  }

  /**
   * Creates a routing.
   *
   * @param path The path.
   * @param context The index of the argument that receives the context.
   * @param targets The path parameters, by index of the argument that receives them.
   */
  routing(path: string, context: number | undefined, targets: ReadonlyMap<number, number>): Routing {
    const sources = this.parameters.map((_, i): ArgumentSource =>
      i === context ? "context" : targets.get(i) ?? "default"
    );
    return { path, sources: sources.slice(0, sources.findLastIndex((source) => source !== "default") + 1) };
  }

  /**
   * Creates the error for a method that cannot be routed.
   *
   * @param reason The reason.
   * @param index The index of the argument that causes the error, if any.
   */
  refuse(reason: string, index?: number): FrameworkError {
    const subject = index === undefined ? "" : `${this.#describe(index)} `;
    return new FrameworkError("FW_CONTROLLER", `Cannot route "${this.#owner}": ${subject}${reason}`);
  }

  #describe(index: number): string {
    const { name = "", fallback } = this.parameters[index] ?? {};
    const label = name === "" ? "" : ` "${name}"`;
    return `argument ${index + 1}${label}${fallback === undefined ? "" : ` with default value "${fallback.source}"`}`;
  }
}

function isContextName({ name, fallback, form }: Parameter): boolean {
  return form === "plain" && fallback === undefined && (name === "ctx" || name === "_ctx");
}

function isForPath({ fallback }: Parameter): boolean {
  return fallback === undefined || typeOfDefault[fallback.kind] !== undefined;
}
