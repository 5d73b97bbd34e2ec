/**
 * The errors about dependencies that cannot be created where they are injected.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors.ts";

/**
 * The error about dependencies that need one another.
 *
 * @param way Their names, from the first to itself.
 */
export function circular(way: readonly string[]): FrameworkError {
  return new FrameworkError(
    "FW_DEPENDENCY",
    `Cannot create "${way.at(-1)}": it asks for itself in a circle (${way.join(" → ")})`,
  );
}

/**
 * The error about a singleton that needs a value of one request.
 *
 * @param singleton The name of the singleton.
 * @param dependency The name of the value that it injects.
 * @param way The names on the way to the singleton, itself included.
 */
export function captive(singleton: string, dependency: string, way: readonly string[]): FrameworkError {
  return new FrameworkError(
    "FW_DEPENDENCY",
    `Cannot create "${singleton}" for all requests: it asks for "${dependency}", of which each has its own ` +
      `(${[...way, dependency].join(" → ")}); register mvc.PerRequest(${singleton}), ` +
      `or pass "${dependency}" to its methods`,
  );
}

/**
 * The error about an asynchronous dependency that is injected where it cannot be awaited.
 *
 * @param asker The name of the constructor, method or provider.
 * @param dependency The name of the dependency.
 */
export function takesTime(asker: string, dependency: string): FrameworkError {
  return new FrameworkError(
    "FW_DEPENDENCY",
    `Cannot inject "${dependency}" here in "${asker}": it takes time, and could not be awaited before "${asker}" ran; ` +
      "ask for it unconditionally and before other dependencies are used, in a field, in a constructor or as a " +
      "default argument written as mvc.Inject(...)",
  );
}

/**
 * The error about a provider that needs the Context where there is none.
 *
 * @param provider The name of the provider.
 */
export function withoutContext(provider: string): FrameworkError {
  return new FrameworkError(
    "FW_DEPENDENCY",
    `Cannot create "${provider}": it takes the Context, and what runs here does not serve a request`,
  );
}
