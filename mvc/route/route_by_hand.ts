/**
 * Determines the value of each argument of a method with a custom route.
 *
 * Arguments are matched by name. If no name matches, they are matched in order, and there must be as many arguments as
 * parameters. Names of one or two letters may be minified and have no meaning, so they are accepted only if the types
 * allow a single assignment.
 *
 * @module
 */

import type { DefaultKind } from "../../src/base/signature/parameter_list.ts";
import type { RoutedMethod, Routing } from "./routed_method.ts";

/** A parameter of a custom route. */
export interface HandParameter {
  readonly name: string;
  /** The type name in the template. */
  readonly type: string;
  /** The kind of default value that matches the type, if known. */
  readonly kind: DefaultKind | undefined;
}

/** The path of a custom route. */
interface HandPath {
  /** The path, relative to the party. */
  readonly path: string;
  /** The parameters of the whole path. The party's own parameters come first. */
  readonly known: readonly HandParameter[];
  /** The index of the first parameter that does not belong to the party. */
  readonly own: number;
}

/**
 * A possible assignment. It consists of the context, if an argument receives it, and the path parameter of each
 * remaining argument.
 */
interface Reading {
  readonly context: number | undefined;
  readonly open: readonly number[];
  readonly targets: readonly number[];
}

/**
 * Creates the routing of a method with a custom route.
 *
 * @param method The method.
 * @param path The path.
 */
export function routeByHand(method: RoutedMethod, path: HandPath): Routing {
  const { context, open, targets } = read(method, path);
  for (const [i, index] of open.entries()) {
    const target = path.known[targets[i] ?? -1];
    const kind = method.parameters[index]?.fallback?.kind;
    if (target === undefined || fits(kind, target)) continue;
    throw method.refuse(`is a ${kind} but "{${target.name}}" is "${target.type}"`, index);
  }
  return method.routing(path.path, context, new Map(open.map((index, i) => [index, targets[i] ?? 0])));
}

function read(method: RoutedMethod, path: HandPath): Reading {
  const { context, parameters } = method;
  const open = method.open(context);
  const targets = open.map((index) => path.known.findIndex((each) => each.name === parameters[index]?.name));
  if (!targets.includes(-1)) return inOrderOrNamed(method, path, { context, open, targets });
  const count = path.known.length - path.own;
  const isContext = context === undefined && count === 0 && open.length === 1 && method.onlyRequired === open[0];
  if (isContext && path.own === 0) return { context: open[0], open: [], targets: [] };
  if (context === undefined) method.checkFirst();
  if (targets.some((target) => target !== -1)) {
    throw method.refuse(
      `is not named after a parameter of "${path.path}", although others are`,
      open[targets.indexOf(-1)],
    );
  }
  if (method.mayBeMinified(open)) return onlyReading(method, path, open);
  if (isContext) return { context: open[0], open: [], targets: [] };
  if (open.length === count) return { context, open, targets: open.map((_, i) => path.own + i) };
  throw method.refuse(
    `path "${path.path}" has ${count === 1 ? "1 parameter" : `${count} parameters`} of its own for ` +
      `${open.length === 1 ? "1 argument" : `${open.length} arguments`}; name the arguments after the parameters`,
  );
}

/** Accepts names in path order. Short names in another order may be minified names that only match by coincidence. */
function inOrderOrNamed(method: RoutedMethod, path: HandPath, reading: Reading): Reading {
  const { open, targets } = reading;
  const isSorted = targets.every((target, i) => i === 0 || target > (targets[i - 1] ?? 0));
  if (isSorted || !method.mayBeMinified(open)) return reading;
  throw unclear(method, path, open);
}

/**
 * Returns the only possible assignment of arguments with meaningless names, based on their types. Throws if there are
 * several.
 */
function onlyReading(method: RoutedMethod, path: HandPath, open: readonly number[]): Reading {
  const { context, parameters } = method;
  const readings = [...assignments(method, path, open).take(2)].map((targets): Reading => ({ context, open, targets }));
  const [first, ...others] = open;
  if (context === undefined && first === 0 && parameters[first]?.fallback === undefined) {
    const rest = assignments(method, path, others).take(2);
    readings.push(...rest.map((targets): Reading => ({ context: first, open: others, targets })));
  }
  const [reading, another] = readings;
  if (reading === undefined || another !== undefined) throw unclear(method, path, open);
  return reading;
}

/** Yields the possible assignments of parameters to arguments with matching types. */
function* assignments(
  method: RoutedMethod,
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

function unclear(method: RoutedMethod, path: HandPath, open: readonly number[]): Error {
  const names = open.map((index) => `"${method.parameters[index]?.name}"`).join(", ");
  return method.refuse(
    `cannot match the arguments ${names} to the parameters of "${path.path}": names this short ` +
      "may be minified; give them default values of different types, or declare them with mvc.Signature(method, text)",
  );
}
