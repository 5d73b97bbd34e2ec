/**
 * Stand-ins for dependencies while a constructor is tried: they can be stored, and nothing else.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors.ts";
import { labelOf } from "./token.ts";

/** Thrown when a stand-in is used: what a constructor does after that is not known before a request comes. */
export class StandInUsed extends FrameworkError {
  constructor(token: unknown) {
    super(
      "FW_DEPENDENCY",
      `Cannot use "${labelOf(token)}" yet: the constructor is only tried, when the application is built`,
    );
  }
}

let isWatching = false;

/** Refuses everything that can be done with a stand-in. */
class Refusing implements ProxyHandler<object> {
  readonly #token: unknown;

  constructor(token: unknown) {
    this.#token = token;
  }

  apply(): never {
    throw new StandInUsed(this.#token);
  }

  construct(): never {
    throw new StandInUsed(this.#token);
  }

  defineProperty(): never {
    throw new StandInUsed(this.#token);
  }

  deleteProperty(): never {
    throw new StandInUsed(this.#token);
  }

  get(): never {
    throw new StandInUsed(this.#token);
  }

  getOwnPropertyDescriptor(): never {
    throw new StandInUsed(this.#token);
  }

  getPrototypeOf(): never {
    throw new StandInUsed(this.#token);
  }

  has(): never {
    throw new StandInUsed(this.#token);
  }

  isExtensible(): never {
    throw new StandInUsed(this.#token);
  }

  ownKeys(): never {
    throw new StandInUsed(this.#token);
  }

  preventExtensions(): never {
    throw new StandInUsed(this.#token);
  }

  set(): never {
    throw new StandInUsed(this.#token);
  }

  setPrototypeOf(): never {
    throw new StandInUsed(this.#token);
  }
}

/**
 * Creates a stand-in.
 *
 * @param token What it stands in for.
 */
export function newStandIn(token: unknown): object {
  watchRejections();
  return new Proxy({}, new Refusing(token));
}

/**
 * A constructor may start something asynchronous and hand it a stand-in. What then rejects is of no interest, and must
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
