/**
 * The dependencies of one controller, as its activation hooks see them.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors.ts";
import type { ClosedClass } from "../reflect/class.ts";
import type { AnyToken } from "../reflect/token.ts";
import type { Container } from "./container.ts";

/** What `AfterActivation` sees of a controller's dependencies: they cannot be changed any more. */
export interface ReadonlyDependencies {
  /**
   * Reports whether a dependency is registered, for this controller or for its application.
   *
   * @param token What it is asked for by.
   * @returns True when it is.
   */
  Has(token: AnyToken<unknown> | ClosedClass<object>): boolean;
}

/** Ends the time when a controller's dependencies can be changed. */
export let closeDependencies: (dependencies: Dependencies) => void;

/** The dependencies of one controller; what is changed here is seen by no other. */
export class Dependencies implements ReadonlyDependencies {
  readonly #container: Container;
  #isOpen = true;

  /**
   * Created by an activation.
   *
   * @param container The controller's dependencies.
   * @ignore
   */
  constructor(container: Container) {
    this.#container = container;
  }

  /**
   * Adds dependencies for this controller only; they come before those of the application.
   *
   * @param dependencies Whatever `Register` takes.
   * @returns These dependencies.
   */
  Add(...dependencies: unknown[]): this {
    this.#check("add a dependency");
    this.#container.add(...dependencies);
    return this;
  }

  /**
   * Takes a dependency away from this controller only.
   *
   * @param token What it is asked for by.
   * @returns True when there was one.
   */
  Remove(token: AnyToken<unknown> | ClosedClass<object>): boolean {
    this.#check("remove a dependency");
    return this.#container.remove(token);
  }

  /**
   * Reports whether a dependency is registered, for this controller or for its application.
   *
   * @param token What it is asked for by.
   * @returns True when it is.
   */
  Has(token: AnyToken<unknown> | ClosedClass<object>): boolean {
    return this.#container.find(token) !== undefined;
  }

  #check(act: string): void {
    if (this.#isOpen) return;
    throw new FrameworkError("FW_STATE", `Cannot ${act} of "${this.#container.owner}": the controller is activated`);
  }

  static {
    closeDependencies = (dependencies) => dependencies.#isOpen = false;
  }
}
