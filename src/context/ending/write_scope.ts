/**
 * Branches of asynchronous work, so that a handler that goes on after its time is up can be told from the middleware
 * around it: both hold the same context.
 *
 * @module
 */

/** One branch: what a function does and starts, also after it was waited for in vain. */
export class WriteScope {
  readonly parent: WriteScope | undefined;

  constructor(parent: WriteScope | undefined) {
    this.parent = parent;
  }
}

let find: () => WriteScope | undefined = () => undefined;

/** Sets how the current branch is found; until then there is none. */
export function findScopesBy(finder: () => WriteScope | undefined): void {
  find = finder;
}

/** The branch that the code that runs now belongs to. */
export function currentScope(): WriteScope | undefined {
  return find();
}
