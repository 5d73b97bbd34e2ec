/**
 * Inspects controllers. Determines their names, their methods, and how to get an instance.
 *
 * @module
 */

import { isPlainObject } from "../../src/base/data/plain_object.ts";
import { FrameworkError } from "../../src/base/errors/errors.ts";
import { type HookName, isHook } from "./hooks.ts";
import { parseMethodName } from "./method_parser.ts";
import { type Class, isClass } from "./token.ts";

/** A controller method. It is called on its instance. */
export type Method = (this: object, ...args: unknown[]) => unknown;

/** A controller that was passed to `Handle`. */
export interface Controller {
  readonly name: string;
  /** The methods by name, including inherited ones. The methods of a subclass override those of its superclass. */
  readonly methods: ReadonlyMap<string, Method>;
  /** The class, if it is constructed once per request. */
  readonly type: Class<object> | undefined;
  /** The instance, if all requests share it. */
  readonly instance: object | undefined;
}

/** The reason why a class cannot be used, for messages. */
export const takesArguments = "its constructor is called without arguments; give them default values";

/**
 * Inspects the argument of `Handle`.
 *
 * @param controller A class or an instance.
 */
export function readController(controller: unknown): Controller {
  if (isClass(controller)) {
    if (controller.length > 0) {
      throw new FrameworkError(
        "FW_CONTROLLER",
        `Cannot serve "${controller.name}": ${takesArguments}`,
      );
    }
    return {
      name: controller.name || "an anonymous controller",
      methods: methodsOf(controller.prototype as object),
      type: controller,
      instance: undefined,
    };
  }
  if (typeof controller !== "object" || controller === null) {
    throw new FrameworkError(
      "FW_CONTROLLER",
      `Cannot serve "${String(controller)}": it is neither a class nor an instance`,
    );
  }
  const name = controller.constructor?.name || "an anonymous controller";
  if ("Ctx" in controller) {
    throw new FrameworkError(
      "FW_CONTROLLER",
      `Cannot serve an instance of "${name}": all requests share it, so it cannot have a field "Ctx"`,
    );
  }
  if (isPlainObject(controller)) return { name, methods: methodsOf(controller), type: undefined, instance: controller };
  const methods = methodsOf(Object.getPrototypeOf(controller));
  const read: Controller = { name, methods, type: undefined, instance: controller };
  checkFields(read, controller);
  return read;
}

/** Returns a hook, or `undefined` if the controller does not have it. */
export function hookOf({ methods }: Controller, name: HookName): Method | undefined {
  return methods.get(name);
}

/**
 * Rejects fields that look like routes or hooks. Requests are served by the methods of the class, so a guard written as
 * an arrow function, such as `BeginRequest = () => …`, would never run, and a method that is replaced in the
 * constructor would still run.
 *
 * @param controller The controller.
 * @param instance An instance of its class.
 * @param routed The names of methods with custom routes.
 */
export function checkFields(controller: Controller, instance: object, routed?: ReadonlySet<string>): void {
  for (const name of Object.getOwnPropertyNames(instance)) {
    const isRoute = isHook(name) || routed?.has(name) === true || parseMethodName(name) !== undefined;
    if (!isRoute) continue;
    const replaces = controller.methods.has(name);
    const value: unknown = Object.getOwnPropertyDescriptor(instance, name)?.value;
    if (!replaces && typeof value !== "function") continue;
    throw new FrameworkError(
      "FW_CONTROLLER",
      `Cannot serve "${controller.name}": its field "${name}" ` +
        (replaces
          ? "replaces the method of the same name, but the method is served"
          : "is a function and would never be called; write it as a method"),
    );
  }
}

/** Returns the methods. Getters are not called and do not become routes. */
function methodsOf(first: object): Map<string, Method> {
  const methods = new Map<string, Method>();
  const hidden = new Set<string>(["constructor"]);
  for (let owner = first; owner !== null && owner !== Object.prototype; owner = Object.getPrototypeOf(owner)) {
    for (const name of Object.getOwnPropertyNames(owner)) {
      if (hidden.has(name) || methods.has(name)) continue;
      const value: unknown = Object.getOwnPropertyDescriptor(owner, name)?.value;
      if (typeof value === "function" && !isClass(value)) methods.set(name, value as Method);
      else hidden.add(name);
    }
  }
  return methods;
}
