/**
 * Stand-ins for dependencies during the trial run of a constructor. They can be stored but not used.
 *
 * @module
 */

import { FrameworkError } from "../../src/errors/errors.ts";
import { labelOf } from "../reflect/token.ts";

/** Thrown when a stand-in is used. The rest of the constructor is then unknown until a request arrives. */
export class StandInUsed extends FrameworkError {
  constructor(token: unknown) {
    super(
      "FW_DEPENDENCY",
      `Cannot use "${labelOf(token)}" yet: this is a trial run of the constructor while the application is built`,
    );
  }
}

/** Creates a stand-in for a dependency, which can be stored but not used. */
export function newStandIn(token: unknown): object {
  watchRejections();
  const refuse = (): never => {
    throw new StandInUsed(token);
  };
  // Every operation on the outer proxy looks for its trap in the inner one, which throws.
  return new Proxy({}, new Proxy({}, { get: refuse }));
}

let isWatching = false;

/**
 * Ignores the rejections of asynchronous work that a constructor starts with a stand-in, so that they do not end the
 * process.
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
