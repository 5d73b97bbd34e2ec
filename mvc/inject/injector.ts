/**
 * What is asked for dependencies while a constructor, a method or a provider runs.
 *
 * An injector is in force only while something of the program runs synchronously; none is in force across an await, so
 * two requests never see each other's.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors.ts";
import { labelOf } from "./token.ts";

/** Where dependencies are found. */
export interface Injector {
  /** Finds the value for a token, or throws {@linkcode suspended} if it has to be waited for. */
  resolve(token: unknown): unknown;
}

/** Thrown in place of a value that has to be waited for; the injector knows what for. */
export const suspended: FrameworkError = new FrameworkError(
  "FW_DEPENDENCY",
  "Cannot go on yet: a dependency takes time, and what asks for it is repeated when it is there",
);

/** Thrown in place of a value when a dependency has stopped the request. */
export const stopped: FrameworkError = new FrameworkError(
  "FW_DEPENDENCY",
  "Cannot go on: a dependency has stopped the request",
);

let current: Injector | undefined = undefined;

/**
 * Puts an injector in force.
 *
 * @param injector The injector.
 * @returns The injector that was in force before, to be put back in a `finally`.
 */
export function enter(injector: Injector | undefined): Injector | undefined {
  const outer = current;
  current = injector;
  return outer;
}

/**
 * Asks the injector in force.
 *
 * @param token What is asked for.
 * @returns The value.
 */
export function ask(token: unknown): unknown {
  if (current === undefined) throw outside(token);
  return current.resolve(token);
}

function outside(token: unknown): FrameworkError {
  return new FrameworkError(
    "FW_DEPENDENCY",
    `Cannot inject "${
      labelOf(token)
    }": this is after an await, in a callback, at module level or in the constructor of ` +
      "a class that the program constructs itself; ask in a field, a constructor or a default argument, and let fw " +
      "construct the class, with Register(Class) or Handle(mvc.Singleton(Class))",
  );
}
