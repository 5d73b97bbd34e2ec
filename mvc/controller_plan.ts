/**
 * How instances of one controller are made, and what all its methods share.
 *
 * @module
 */

import { FrameworkError } from "../src/base/errors.ts";
import type { Context } from "../src/context/context.ts";
import { Binding } from "./inject/binding.ts";
import type { Container } from "./inject/container.ts";
import type { Controller, Method } from "./reflect/controller.ts";
import type { ErrorHandler } from "./result/returned_error.ts";
import { probeConstructor } from "./inject/probe.ts";
import { callIn, deferredToken, enter, type Injector } from "./inject/inject.ts";
import { labelOf } from "./inject/token.ts";

/** A field of a singleton that waits for its dependency. */
interface Unfilled {
  readonly field: string;
  readonly token: unknown;
}

/** A controller, ready to make or give its instance. */
export class ControllerPlan {
  readonly name: string;
  readonly container: Container;
  /** Called before each method, if the controller has it. */
  readonly begin: Method | undefined;
  /** Called after each method, if the controller has it. */
  readonly end: Method | undefined;
  /** True where a class has neither `BeginRequest` nor `EndRequest`. */
  readonly isBare: boolean;
  /** Dependencies of the constructor that are known to take time: they are waited for before it runs. */
  readonly ahead: Binding[] = [];
  readonly #controller: Controller;
  readonly #create: (new () => { Ctx?: Context }) | undefined;
  readonly #handleError: Method | undefined;
  readonly #applicationHandler: () => ErrorHandler | undefined;
  #unfilled: Unfilled[] = [];
  #setsContext = true;

  /**
   * Plans a controller.
   *
   * @param controller The controller.
   * @param container Its dependencies.
   * @param applicationHandler Tells what answers the errors of all controllers of the application.
   */
  constructor(controller: Controller, container: Container, applicationHandler: () => ErrorHandler | undefined) {
    this.name = controller.name;
    this.container = container;
    this.begin = controller.methods.get("BeginRequest");
    this.end = controller.methods.get("EndRequest");
    this.isBare = controller.type !== undefined && this.begin === undefined && this.end === undefined;
    this.#controller = controller;
    this.#create = controller.type as (new () => object) | undefined;
    this.#handleError = controller.methods.get("HandleError");
    this.#applicationHandler = applicationHandler;
    if (controller.instance !== undefined) this.#unfilled = this.#unfilledOf(controller.instance);
  }

  /** Makes sure, when the application is built, that everything the controller needs is there. */
  check(): void {
    const { type, instance } = this.#controller;
    if (type !== undefined) {
      const probed = probeConstructor(type, this.container);
      this.ahead.push(...new Set(probed.waitedFor));
      this.#setsContext = probed.takesContext;
    }
    if (instance !== undefined) {
      for (const { token } of this.#unfilled) this.container.lookup(token);
      // What another registration has made per-request since `Handle` is noticed now.
      this.#unfilled = this.#unfilledOf(instance);
    }
  }

  /**
   * Makes an instance, or gives the one that all requests share.
   *
   * @param ctx The request.
   * @param scope Where the constructor finds its dependencies.
   */
  create(ctx: Context, scope: Injector): object {
    if (this.#create === undefined) return this.#shared(scope);
    const outer = enter(scope);
    try {
      return this.make(ctx);
    } finally {
      enter(outer);
    }
  }

  /**
   * Makes an instance in the scope that is in force; only where {@linkcode isBare} says so.
   *
   * @param ctx The request.
   */
  make(ctx: Context): object {
    const instance = this.#create === undefined ? {} as { Ctx?: Context } : new this.#create();
    if (this.#setsContext) instance.Ctx = ctx;
    return instance;
  }

  /**
   * What answers an error: the controller's own `HandleError`, else the application's.
   *
   * @param instance The instance, if there is one yet.
   */
  errorHandler(instance: object | undefined, scope: Injector | undefined): ErrorHandler | undefined {
    const own = this.#handleError;
    if (own === undefined || instance === undefined) return this.#applicationHandler();
    return (ctx, error) => callIn(scope, own, instance, [ctx, error]) as Promise<void> | undefined;
  }

  /** Keeps in mind that a dependency has to be waited for before the constructor runs. */
  learn(waitedFor: object): void {
    if (waitedFor instanceof Binding && !this.ahead.includes(waitedFor)) this.ahead.push(waitedFor);
  }

  #shared(scope: Injector): object {
    const { instance = {} } = this.#controller;
    if (this.#unfilled.length > 0) {
      // All first: the first of them that has to be waited for leaves the instance as it is.
      const values = this.#unfilled.map(({ token }) => scope.resolve(token));
      for (const [i, { field }] of this.#unfilled.entries()) Object.assign(instance, { [field]: values[i] });
      this.#unfilled = [];
    }
    return instance;
  }

  /** The fields of a singleton that `Inject` was called for; one that differs by request is refused. */
  #unfilledOf(instance: object): Unfilled[] {
    const unfilled: Unfilled[] = [];
    for (const [field, { value }] of Object.entries(Object.getOwnPropertyDescriptors(instance))) {
      const asked = deferredToken(value);
      if (asked === undefined) continue;
      if (this.container.find(asked.token)?.isPerRequest ?? false) {
        throw new FrameworkError(
          "FW_DEPENDENCY",
          `Cannot serve an instance of "${this.name}": all requests share it, but field "${field}" needs ` +
            `"${labelOf(asked.token)}", of which each has its own`,
        );
      }
      unfilled.push({ field, token: asked.token });
    }
    return unfilled;
  }
}
