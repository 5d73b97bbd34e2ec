/**
 * Creates controller instances.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors/errors.ts";
import type { Context } from "../../src/core/context/context.ts";
import { type Ask, Binding, newAsk, noAsks, noSteps, type Step } from "../inject/binding.ts";
import { Call } from "../inject/call.ts";
import { checkAsks, checkBinding } from "../inject/check.ts";
import type { Container } from "../inject/container.ts";
import { planOf } from "../inject/plan.ts";
import { type ConstructorProbe, probeConstructor } from "../inject/probe.ts";
import { Singleton, termsOf } from "../inject/provision.ts";
import type { Scope } from "../inject/scope.ts";
import { checkFields, type Controller, hookOf } from "../reflect/controller.ts";
import type { HookName } from "../reflect/hooks.ts";
import type { ErrorHandler } from "../result/result_handlers.ts";
import type { Target } from "./action.ts";

/** The properties of a controller. */
export interface ControllerParts {
  readonly controller: Controller;
  /** The dependencies of the controller. */
  readonly container: Container;
  /** Whether fw constructs one instance for all requests. */
  readonly isSingleton: boolean;
  /** Returns the error handler of the application. */
  readonly errorHandler: () => ErrorHandler | undefined;
}

/** A controller that can create or return its instance. */
export class ControllerTarget implements Target {
  readonly controller: Controller;
  readonly home: Container;
  readonly asks: readonly Ask[];
  plan: readonly Step[] = noSteps;
  readonly begin: Call | undefined;
  readonly end: Call | undefined;
  readonly handleError: Call | undefined;
  readonly errorHandler: () => ErrorHandler | undefined;
  readonly #probe: ConstructorProbe | undefined;
  readonly #construct: () => unknown;
  /** The shared instance, if fw constructs one for all requests. */
  readonly #singleton: Binding | undefined;
  #setsContext = false;
  /** The methods with custom routes, until an instance can be inspected. */
  #unseen: ReadonlySet<string> | undefined = undefined;

  constructor({ controller, container, errorHandler, isSingleton }: ControllerParts) {
    const { type, name: owner } = controller;
    const hook = (name: HookName): Call | undefined => {
      const method = hookOf(controller, name);
      return method === undefined ? undefined : new Call(method, { container, owner, name });
    };
    this.controller = controller;
    this.home = container;
    this.begin = hook("BeginRequest");
    this.end = hook("EndRequest");
    this.handleError = hook("HandleError");
    this.errorHandler = errorHandler;
    this.#probe = type === undefined ? undefined : probeConstructor(type);
    const Type = (type ?? Object) as new () => object;
    this.#construct = () => new Type();
    this.asks = this.#probe?.asks ?? noAsks;
    this.#singleton = isSingleton ? new Binding(container, termsOf(Singleton(Type))) : undefined;
    if (isSingleton) this.#checkSingleton();
  }

  /** Reports whether all requests share one instance. */
  get isShared(): boolean {
    return this.#singleton !== undefined || this.controller.instance !== undefined;
  }

  label(): string {
    return this.controller.name;
  }

  /**
   * Rejects fields that look like routes or hooks.
   *
   * @param routed The names of the methods with custom routes.
   */
  checkFields(routed: ReadonlySet<string>): void {
    if (this.#probe === undefined) return;
    if (this.#probe.instance === undefined) this.#unseen = routed;
    else checkFields(this.controller, this.#probe.instance, routed);
  }

  /** Checks that every dependency is registered and creates the plan. Called when the application is built. */
  check(): void {
    for (const call of [this.begin, this.end, this.handleError]) call?.check();
    if (this.#probe === undefined) return;
    const { failure, instance } = this.#probe;
    if (failure !== undefined) {
      throw new FrameworkError(
        "FW_CONTROLLER",
        `Cannot create an instance of "${this.label()}": its constructor throws`,
        {
          cause: failure.thrown,
        },
      );
    }
    checkAsks(this.label(), this);
    if (this.#singleton === undefined) {
      this.plan = planOf(this);
      this.#setsContext = instance === undefined || "Ctx" in instance || Object.isExtensible(instance);
    } else {
      checkBinding(this.label(), this.#singleton);
      this.plan = planOf({ asks: [newAsk(this.#singleton.token, this.#singleton)], home: this.home });
    }
  }

  /** Reports whether instances declare a field. */
  declares(name: string): boolean {
    return this.#probe?.instance !== undefined && name in this.#probe.instance;
  }

  create(scope: Scope, ctx: Context): object {
    const { instance } = this.controller;
    if (instance !== undefined) return instance;
    if (this.#singleton !== undefined) return scope.take(this.#singleton) as object;
    const made = scope.run(this, this.#construct, undefined, undefined) as { Ctx?: Context };
    if (this.#unseen !== undefined) {
      // Detects a guard written as an arrow function even if the trial construction failed.
      checkFields(this.controller, made, this.#unseen);
      this.#unseen = undefined;
    }
    if (this.#setsContext) made.Ctx = ctx;
    return made;
  }

  bare(ctx: Context): object {
    return Object.assign(Object.create(this.controller.type?.prototype ?? null), { Ctx: ctx });
  }

  /** Rejects fields and dependencies that a singleton cannot have. Called by `Handle`. */
  #checkSingleton(): void {
    if (this.declares("Ctx")) throw this.#cannotShare("FW_CONTROLLER", 'so it cannot have a field "Ctx"');
    for (const { token, where } of this.asks) {
      const binding = this.home.find(token);
      if (binding === undefined || binding.lifetime === "singleton") continue;
      throw this.#cannotShare("FW_DEPENDENCY", `but ${where} needs "${binding.label()}", which is created per request`);
    }
  }

  #cannotShare(code: "FW_CONTROLLER" | "FW_DEPENDENCY", reason: string): FrameworkError {
    return new FrameworkError(code, `Cannot serve "${this.label()}" as a singleton: all requests share it, ${reason}`);
  }
}
