/**
 * What there is to know of a controller before it serves: its name, its methods, and how to get an instance.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors.ts";
import { type Class, isClass } from "./class.ts";

/** A method of a controller, to be called on its instance. */
export type Method = (this: object, ...args: unknown[]) => unknown;

/** A controller as it was passed to `Handle`. */
export interface Controller {
  readonly name: string;
  /** Its methods by name, inherited ones too; those of a subclass hide those of its superclass. */
  readonly methods: ReadonlyMap<string, Method>;
  /** The class, when every request has an instance of its own. */
  readonly type: Class<object> | undefined;
  /** The instance, when all requests share it. */
  readonly instance: object | undefined;
}

/**
 * Looks at what was passed to `Handle`.
 *
 * @param controller A class or an instance.
 */
export function readController(controller: unknown): Controller {
  if (isClass(controller)) {
    if (controller.length > 0) {
      throw new FrameworkError(
        "FW_CONTROLLER",
        `Cannot serve "${controller.name}": its constructor gets no arguments, so give them default values`,
      );
    }
    return {
      name: controller.name,
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
  const name = controller.constructor?.name ?? "Object";
  if ("Ctx" in controller) {
    throw new FrameworkError(
      "FW_CONTROLLER",
      `Cannot serve an instance of "${name}": all requests share it, so it cannot have a field "Ctx"`,
    );
  }
  return { name, methods: methodsOf(controller), type: undefined, instance: controller };
}

/** Getters are not run and not routed. */
function methodsOf(first: object): Map<string, Method> {
  const methods = new Map<string, Method>();
  const seen = new Set<string>(["constructor"]);
  for (let owner = first; owner !== null && owner !== Object.prototype; owner = Object.getPrototypeOf(owner)) {
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(owner))) {
      if (seen.has(name)) continue;
      seen.add(name);
      if (typeof property.value === "function" && !isClass(property.value)) methods.set(name, property.value as Method);
    }
  }
  return methods;
}
