/**
 * The dependencies of a controller in its activation hooks.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors/errors.ts";
import type { AnyToken, ClosedClass } from "../reflect/token.ts";
import type { Container } from "./container.ts";

/** The read-only dependencies of a controller in `AfterActivation`. */
export interface ReadonlyDependencies {
  /**
   * Reports whether a dependency is registered for this controller or its application.
   *
   * @param token The token of the dependency.
   * @returns `true` if the dependency is registered.
   */
  Has(token: AnyToken<unknown> | ClosedClass<object>): boolean;
}

/** Makes a controller's dependencies read-only. */
export let closeDependencies: (dependencies: Dependencies) => void;

/** The dependencies of a controller. Changes do not affect other controllers. */
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
   * Adds dependencies for this controller only. They take precedence over those of the application.
   *
   * @param dependencies The dependencies, as for `Register`.
   * @returns This object, for chaining.
   */
  Add(...dependencies: unknown[]): this {
    this.#check("add a dependency");
    this.#container.add(...dependencies);
    return this;
  }

  /**
   * Removes a dependency for this controller only.
   *
   * @param token The token of the dependency.
   * @returns `true` if the dependency was registered.
   */
  Remove(token: AnyToken<unknown> | ClosedClass<object>): boolean {
    this.#check("remove a dependency");
    return this.#container.remove(token);
  }

  /**
   * Reports whether a dependency is registered for this controller or its application.
   *
   * @param token The token of the dependency.
   * @returns `true` if the dependency is registered.
   */
  Has(token: AnyToken<unknown> | ClosedClass<object>): boolean {
    return this.#container.find(token) !== undefined;
  }

  #check(act: string): void {
    if (this.#isOpen) return;
    throw new FrameworkError(
      "FW_STATE",
      `Cannot ${act} of "${this.#container.owner}": the controller is activated`,
    );
  }

  static {
    closeDependencies = (dependencies) => dependencies.#isOpen = false;
  }
}
