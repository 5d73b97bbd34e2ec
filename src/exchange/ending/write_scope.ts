/**
 * Branches of asynchronous work. They distinguish a handler that continues after its timeout from the middleware around
 * it, although both use the same context.
 *
 * @module
 */

/** A branch: a function call and everything it starts, even if it continues after its timeout. */
export class WriteScope {
  readonly parent: WriteScope | undefined;

  constructor(parent: WriteScope | undefined) {
    this.parent = parent;
  }
}

let find: () => WriteScope | undefined = () => undefined;

/** Sets the function that finds the current branch. Until then, there is no current branch. */
export function findScopesBy(finder: () => WriteScope | undefined): void {
  find = finder;
}

/** Returns the branch that the running code belongs to. */
export function currentScope(): WriteScope | undefined {
  return find();
}
