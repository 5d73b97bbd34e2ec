/**
 * The errors for dependencies that cannot be created in the place where they are injected.
 *
 * @module
 */

import { FrameworkError } from "../../src/errors/errors.ts";

/**
 * Creates the error for circular dependencies.
 *
 * @param way The names on the path from the dependency back to itself.
 */
export function circular(way: readonly string[]): FrameworkError {
  return new FrameworkError(
    "FW_DEPENDENCY",
    `Cannot create "${way.at(-1)}": circular dependency (${way.join(" → ")})`,
  );
}

/**
 * Creates the error for a singleton that depends on a per-request value.
 *
 * @param singleton The name of the singleton.
 * @param dependency The name of the per-request value.
 * @param way The names on the path to the singleton, including its own.
 */
export function captive(singleton: string, dependency: string, way: readonly string[]): FrameworkError {
  return new FrameworkError(
    "FW_DEPENDENCY",
    `Cannot create the singleton "${singleton}": it depends on "${dependency}", which is created per request ` +
      `(${[...way, dependency].join(" → ")}); register mvc.PerRequest(${singleton}), ` +
      `or pass "${dependency}" to its methods`,
  );
}

/**
 * Creates the error for an asynchronous dependency that cannot be awaited where it is injected.
 *
 * @param asker The name of the constructor, method or provider.
 * @param dependency The name of the dependency.
 */
export function takesTime(asker: string, dependency: string): FrameworkError {
  return new FrameworkError(
    "FW_DEPENDENCY",
    `Cannot inject "${dependency}" here in "${asker}": it is asynchronous and could not be awaited before "${asker}" ran; ` +
      "inject it unconditionally and before other dependencies are used, in a field, in a constructor or as a " +
      "default argument written as mvc.Inject(...)",
  );
}

/**
 * Creates the error for a provider that needs the context outside a request.
 *
 * @param provider The name of the provider.
 */
export function withoutContext(provider: string): FrameworkError {
  return new FrameworkError(
    "FW_DEPENDENCY",
    `Cannot create "${provider}": it takes the Context, but this code does not serve a request`,
  );
}
