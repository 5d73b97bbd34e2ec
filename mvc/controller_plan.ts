/**
 * How instances of one controller are created, and what all its methods share.
 *
 * @module
 */

import type { RouteInput } from "../src/app/route_description.ts";
import { FrameworkError } from "../src/base/errors.ts";
import type { Context } from "../src/context/context.ts";
import { Binding, type Needs, noNeeds } from "./inject/binding.ts";
import { checkBinding, constructorNeeds } from "./inject/check_dependencies.ts";
import type { Container } from "./inject/container.ts";
import { Call, inputsOf, takesTime } from "./inject/injected_call.ts";
import { type ConstructorProbe, probeConstructor } from "./inject/probe.ts";
import { Singleton, termsOf } from "./inject/provision.ts";
import type { Creator } from "./inject/resolve_in_order.ts";
import { checkFields, type Controller } from "./reflect/controller.ts";
import type { ErrorHandler } from "./result/returned_error.ts";

/** What a controller is planned from. */
export interface ControllerParts {
  readonly controller: Controller;
  /** Its dependencies. */
  readonly container: Container;
  /** True when fw constructs one instance for all requests. */
  readonly isSingleton: boolean;
  /** Returns what responds to the errors of all controllers of the application. */
  readonly applicationHandler: () => ErrorHandler | undefined;
}

/** A controller, ready to create or give its instance. */
export class ControllerPlan implements Creator {
  readonly name: string;
  readonly home: Container;
  readonly isRepeatable = true;
  needs: Needs = noNeeds;
  /** Called before each method, if the controller has it. */
  readonly begin: Call | undefined;
  /** Called after each method, if the controller has it. */
  readonly end: Call | undefined;
  /** Responds to the errors of the methods, if the controller has it. */
  readonly handleError: Call | undefined;
  /** True where a class has neither `BeginRequest` nor `EndRequest`. */
  readonly isBare: boolean;
  /** True when the constructor asks for what each request has of its own. */
  hasOwnNeeds = false;
  /** True when the constructor is known to ask for something that takes time, at least for the first request. */
  isLate = false;
  /** What is constructed once, for a singleton that fw constructs. */
  readonly singleton: Binding | undefined;
  readonly #controller: Controller;
  readonly #type: (new () => { Ctx?: Context }) | undefined;
  readonly #applicationHandler: () => ErrorHandler | undefined;
  readonly #probe: ConstructorProbe | undefined;
  #inputs: readonly RouteInput[] | undefined = undefined;
  #setsContext = true;
  /** The names of hand-routed methods, as long as no instance was there to look at: stand-ins did not do for it. */
  #unseen: ReadonlySet<string> | undefined = undefined;

  constructor({ controller, container, applicationHandler, isSingleton }: ControllerParts) {
    const call = (name: string): Call | undefined => {
      const method = controller.methods.get(name);
      return method === undefined ? undefined : new Call(method, { container, owner: controller.name, name });
    };
    this.name = controller.name;
    this.home = container;
    this.begin = call("BeginRequest");
    this.end = call("EndRequest");
    this.handleError = call("HandleError");
    this.isBare = controller.type !== undefined && !isSingleton && this.begin === undefined && this.end === undefined;
    this.#controller = controller;
    this.#type = controller.type as (new () => object) | undefined;
    this.#applicationHandler = applicationHandler;
    this.singleton = isSingleton && this.#type !== undefined
      ? new Binding(container, termsOf(Singleton(this.#type)))
      : undefined;
    this.#probe = controller.type === undefined ? undefined : probeConstructor(controller.type);
    this.#checkSingleton();
  }

  label(): string {
    return this.name;
  }

  /**
   * Refuses fields that look like routes or hooks.
   *
   * @param routed The names of the methods that are routed by hand.
   */
  checkFields(routed: ReadonlySet<string>): void {
    if (this.#probe === undefined) return;
    if (this.#probe.instance === undefined) this.#unseen = routed;
    else checkFields(this.#controller, this.#probe.instance, routed);
  }

  /** Makes sure, when the application is built, that everything the controller needs is there. */
  check(): void {
    for (const call of [this.begin, this.end, this.handleError]) call?.check();
    const probe = this.#probe;
    if (probe === undefined) return;
    if (probe.failure !== undefined) {
      throw new FrameworkError("FW_CONTROLLER", `Cannot create an instance of "${this.name}": its constructor throws`, {
        cause: probe.failure.thrown,
      });
    }
    this.needs = constructorNeeds({ owner: this.name, container: this.home }, probe);
    this.isLate = takesTime(this.needs);
    this.hasOwnNeeds = this.needs.ahead.some(({ binding }) => binding?.isPerRequest ?? true);
    this.#setsContext = probe.instance === undefined || "Ctx" in probe.instance || Object.isExtensible(probe.instance);
    this.#checkShared();
    if (this.singleton !== undefined) checkBinding({ owner: this.name, container: this.home }, this.singleton);
  }

  /** Creates an instance, where an injector is in force. */
  create(ctx: Context): object {
    if (this.#type === undefined) return this.#controller.instance ?? {};
    const instance = new this.#type();
    if (this.#unseen !== undefined) this.#checkFirst(instance, this.#unseen);
    if (this.#setsContext) instance.Ctx = ctx;
    return instance;
  }

  /**
   * The methods of the controller without an instance: what `HandleError` runs on when no instance could be created.
   */
  bare(ctx: Context): object {
    return Object.assign(Object.create(this.#controller.type?.prototype ?? null), { Ctx: ctx });
  }

  /** The checked inputs among the fields. */
  inputs(): readonly RouteInput[] {
    return this.#inputs ??= inputsOf(this.#probe?.asked ?? []);
  }

  /** Reports whether the controller or the application responds to errors by itself. */
  handlesErrors(): boolean {
    return this.handleError !== undefined || this.#applicationHandler() !== undefined;
  }

  /** What responds to errors where the controller does not. */
  applicationHandler(): ErrorHandler | undefined {
    return this.#applicationHandler();
  }

  /** Refuses, already at `Handle`, what a singleton cannot have. */
  #checkSingleton(): void {
    if (this.singleton === undefined) return;
    const instance = this.#probe?.instance;
    if (instance !== undefined && "Ctx" in instance) {
      throw new FrameworkError(
        "FW_CONTROLLER",
        `Cannot serve a singleton of "${this.name}": all requests share it, so it cannot have a field "Ctx"`,
      );
    }
    this.#checkShared();
  }

  /** A guard in an arrow function must not be passed over because the constructor could not be tried. */
  #checkFirst(instance: object, routed: ReadonlySet<string>): void {
    checkFields(this.#controller, instance, routed);
    this.#unseen = undefined;
  }

  #checkShared(): void {
    if (this.singleton === undefined) return;
    for (const { token, where } of this.#probe?.asked ?? []) {
      const binding = this.home.find(token);
      if (binding === undefined || !binding.isPerRequest) continue;
      throw new FrameworkError(
        "FW_DEPENDENCY",
        `Cannot serve a singleton of "${this.name}": all requests share it, but ${where} needs ` +
          `"${binding.label()}", of which each has its own`,
      );
    }
  }
}

/** Creates an instance, where an injector is in force. */
export function construct(plan: ControllerPlan, ctx: Context): object {
  return plan.create(ctx);
}
