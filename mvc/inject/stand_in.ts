/**
 * Stand-ins for dependencies while a constructor is tried: they can be stored, and nothing else.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors.ts";
import { labelOf } from "../reflect/token.ts";

/** Thrown when a stand-in is used: what a constructor does after that is not known before a request comes. */
export class StandInUsed extends FrameworkError {
  constructor(token: unknown) {
    super(
      "FW_DEPENDENCY",
      `Cannot use "${labelOf(token)}" yet: the constructor is only tried, when the application is built`,
    );
  }
}

/** Creates a stand-in for a dependency, which can be stored and nothing else. */
export function newStandIn(token: unknown): object {
  watchRejections();
  const refuse = (): never => {
    throw new StandInUsed(token);
  };
  // Whatever is done with the outer one looks for its trap in the inner one, which refuses to be asked.
  return new Proxy({}, new Proxy({}, { get: refuse }));
}

let isWatching = false;

/**
 * A constructor may start something asynchronous and pass it a stand-in. What then rejects is of no interest, and must
 * not end the process.
 */
function watchRejections(): void {
  if (isWatching) return;
  isWatching = true;
  globalThis.addEventListener("unhandledrejection", (event) => {
    if (!isFromStandIn(event.reason)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, { capture: true });
}

function isFromStandIn(reason: unknown): boolean {
  for (let error = reason; error instanceof Error; error = error.cause) {
    if (error instanceof StandInUsed) return true;
  }
  return false;
}
