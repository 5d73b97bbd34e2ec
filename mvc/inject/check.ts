/**
 * Checks that every dependency, including transitive ones, is registered and can be created. The checks run when the
 * application is built.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors/errors.ts";
import { labelOf } from "../reflect/token.ts";
import type { Ask, Asker, Binding, Home } from "./binding.ts";
import { assurePlan, bindingOf } from "./plan.ts";
import { discover } from "./probe.ts";
import { captive, circular } from "./runner.ts";
import { createSingleton } from "./scope.ts";

/** The path from the checked code to a dependency. */
type Way = readonly Binding[];

/**
 * Checks the dependencies of a constructor, method or provider.
 *
 * @param owner The controller or function, for error messages.
 * @param asker The constructor, method or provider.
 * @param way The path to the code, if it is a dependency itself.
 */
export function checkAsks(owner: string, { asks, home }: Pick<Asker, "asks" | "home">, way: Way = []): void {
  for (const ask of asks) {
    const binding = find(owner, ask, home, way);
    const asker = way.at(-1);
    if (binding === undefined) continue;
    if (asker?.lifetime === "singleton" && binding.lifetime !== "singleton") {
      throw captive(asker.label(), labelOf(ask.token), [owner, ...labels(way)]);
    }
    const at = way.indexOf(binding);
    if (at !== -1) throw circular(labels([...way.slice(at), binding]));
    checkBinding(owner, binding, way);
  }
}

/**
 * Checks the dependencies of a dependency. If it is a synchronous singleton, it is created.
 *
 * @param owner The controller or function that needs the dependency.
 * @param binding The dependency.
 * @param above The path to the dependency.
 */
export function checkBinding(owner: string, binding: Binding, above: Way = []): void {
  if (binding.isPlanned) return;
  const way = [...above, binding];
  const failure = discover(binding);
  if (failure !== undefined) throw creationError(owner, way, failure.thrown);
  checkAsks(owner, binding, way);
  assurePlan(binding);
  // A dependency that must wait for an asynchronous one is asynchronous as well.
  if (binding.asks.some((ask) => ask.isPlanned && isLate(ask, binding.home))) binding.isAsync = true;
  if (binding.lifetime !== "singleton" || binding.isAsync) return;
  try {
    createSingleton(binding);
  } catch (thrown) {
    throw thrown instanceof FrameworkError ? thrown : creationError(owner, way, thrown);
  }
}

function isLate(ask: Ask, home: Home): boolean {
  const binding = bindingOf(ask, home);
  return binding === undefined ? home.undecided(ask.token).length > 0 : binding.isAsync;
}

/** Finds a dependency. Returns `undefined` if it is optional or can only be provided by an asynchronous singleton. */
function find(owner: string, ask: Ask, home: Home, way: Way): Binding | undefined {
  const found = bindingOf(ask, home);
  if (found !== undefined) return found;
  for (const binding of home.undecided(ask.token)) {
    if (!way.includes(binding)) checkBinding(owner, binding, way);
  }
  const decided = bindingOf(ask, home);
  if (decided !== undefined || ask.isOptional || home.undecided(ask.token).length > 0) return decided;
  throw new FrameworkError(
    "FW_DEPENDENCY",
    `Cannot serve "${owner}": ${ask.where} needs the dependency "${labelOf(ask.token)}", which is not registered ` +
      `(${[owner, ...labels(way), labelOf(ask.token)].join(" → ")}); ${home.describe()}`,
  );
}

function creationError(owner: string, way: Way, cause: unknown): FrameworkError {
  const names = [owner, ...labels(way)];
  const message = `Cannot create "${names.at(-1)}": it throws (${names.join(" → ")})`;
  return new FrameworkError("FW_DEPENDENCY", message, { cause });
}

function labels(way: Way): string[] {
  return way.map((binding) => binding.label());
}

/**
 * Lists dependencies as a tree.
 *
 * @param asks The dependencies.
 * @param indent The indentation of each line.
 * @returns The lines, such as `UserService (singleton, field "users")`.
 */
export function treeOf(asks: readonly Ask[], indent = ""): string[] {
  return asks.flatMap(({ token, binding, where }) => {
    const lifetime = binding?.lifetime === "request" ? "per request" : binding?.lifetime;
    const why = [lifetime, where].filter((each) => each).join(", ");
    return [`${indent}${labelOf(token)} (${why})`, ...treeOf(binding?.asks ?? [], `${indent}  `)];
  });
}
