/**
 * Determines what each argument of a method that is routed by hand receives.
 *
 * Arguments are matched by name. If no name matches, they are matched in order, and the numbers must be equal. Names of
 * one or two letters may be minified and carry no meaning, so they are accepted only if the types allow a single
 * assignment.
 *
 * @module
 */

import type { DefaultKind } from "../../src/signature/parameter_list.ts";
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
} from "./routed_method.ts";

/** A parameter of a path that was given by hand. */
export interface HandParameter {
  readonly name: string;
  /** The name of the type in the template. */
  readonly type: string;
  /** The kind of default value that matches the type, if it is known. */
  readonly kind: DefaultKind | undefined;
}

/** A path that was given by hand. */
interface HandPath {
  /** The path, relative to the party. */
  readonly path: string;
  /** The parameters of the whole path, with the party's own first. */
  readonly known: readonly HandParameter[];
  /** The index of the first parameter that does not belong to the party. */
  readonly own: number;
}

/**
 * A possible assignment: the context, if an argument receives it, and the path parameter of each remaining argument.
 */
interface Reading {
  readonly context: number | undefined;
  readonly open: readonly number[];
  readonly targets: readonly number[];
}

/**
 * Plans a method that is routed by hand.
 *
 * @param method The method.
 * @param path The path.
 */
export function planForPath(method: Routed, path: HandPath): ArgumentPlan {
  const { owner, parameters } = method;
  checkParameters(method);
  const { context, open, targets } = read(method, path);
  const sources: ArgumentSource[] = parameters.map((_, i) => i === context ? "context" : "default");
  for (const [i, index] of open.entries()) {
    const target = path.known[targets[i] ?? -1];
    const kind = parameters[index]?.fallback?.kind;
    if (target === undefined) continue;
    if (!fits(kind, target)) {
      throw refusal(owner, `${describe(parameters, index)} is a ${kind} but "{${target.name}}" is "${target.type}"`);
    }
    sources[index] = targets[i] ?? 0;
  }
  return { path: path.path, sources: trimmed(sources) };
}

function read(method: Routed, path: HandPath): Reading {
  const { owner, parameters } = method;
  const context = namedContext(parameters);
  const open = openArguments(parameters, context);
  if (open.length === 0) return { context, open, targets: [] };
  const targets = open.map((index) => path.known.findIndex((each) => each.name === parameters[index]?.name));
  if (!targets.includes(-1)) return inOrderOrNamed(method, path, { context, open, targets });
  if (path.known.length === 0 && onlyRequired(parameters) === open[0] && open.length === 1) {
    return { context: open[0], open: [], targets: [] };
  }
  if (context === undefined) checkFirst(method);
  const stranger = open[targets.indexOf(-1)] ?? 0;
  if (targets.some((target) => target !== -1)) {
    throw refusal(
      owner,
      `${describe(parameters, stranger)} is not named after a parameter of "${path.path}", although others are`,
    );
  }
  if (hasShortNames(method, open)) {
    return onlyReading(method, path, open, context);
  }
  const count = path.known.length - path.own;
  if (count === 0 && context === undefined && onlyRequired(parameters) === open[0] && open.length === 1) {
    return { context: open[0], open: [], targets: [] };
  }
  if (open.length !== count) {
    throw refusal(
      owner,
      `path "${path.path}" has ${count === 1 ? "1 parameter" : `${count} parameters`} of its own for ` +
        `${open.length === 1 ? "1 argument" : `${open.length} arguments`}; name the arguments after the parameters`,
    );
  }
  return { context, open, targets: open.map((_, i) => path.own + i) };
}

/** Reports whether the argument names may be minified. */
function hasShortNames({ parameters, isAsWritten }: Routed, open: readonly number[]): boolean {
  return isAsWritten !== true && open.every((index) => isShortName(parameters[index]?.name ?? ""));
}

/** Accepts names in path order. Short names in another order may be minified names that match by chance. */
function inOrderOrNamed(method: Routed, path: HandPath, reading: Reading): Reading {
  const { open, targets } = reading;
  const isSorted = targets.every((target, i) => i === 0 || target > (targets[i - 1] ?? 0));
  if (isSorted || !hasShortNames(method, open)) return reading;
  throw unclear(method, path, open);
}

/** Returns the only possible assignment of arguments with meaningless names, by type. Throws if there are several. */
function onlyReading(
  method: Routed,
  path: HandPath,
  open: readonly number[],
  context: number | undefined,
): Reading {
  const readings = [...assignments(method, path, open).take(2)].map((targets): Reading => ({ context, open, targets }));
  const [first, ...others] = open;
  if (context === undefined && first === 0 && method.parameters[first]?.fallback === undefined) {
    const rest = assignments(method, path, others).take(2);
    readings.push(...rest.map((targets): Reading => ({ context: first, open: others, targets })));
  }
  const [reading, another] = readings;
  if (reading === undefined || another !== undefined) throw unclear(method, path, open);
  return reading;
}

/** Yields the possible assignments of distinct parameters of matching type to the arguments. */
function* assignments(
  method: Routed,
  path: HandPath,
  open: readonly number[],
  before: readonly number[] = [],
): Generator<readonly number[]> {
  const index = open[before.length];
  if (index === undefined) return yield before;
  const kind = method.parameters[index]?.fallback?.kind;
  for (const [i, target] of path.known.entries()) {
    if (!before.includes(i) && fits(kind, target)) yield* assignments(method, path, open, [...before, i]);
  }
}

function fits(kind: DefaultKind | undefined, target: HandParameter): boolean {
  return kind === undefined || target.kind === undefined || kind === target.kind;
}

function unclear(method: Routed, path: HandPath, open: readonly number[]): Error {
  const names = open.map((index) => `"${method.parameters[index]?.name}"`).join(", ");
  return refusal(
    method.owner,
    `cannot match the arguments ${names} to the parameters of "${path.path}": names this short ` +
      "may be minified; give them default values of different types, or declare them with mvc.Signature(method, text)",
  );
}
