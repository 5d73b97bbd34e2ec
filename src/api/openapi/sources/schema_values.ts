/**
 * Finds the schemas behind types such as `z.infer<typeof tea>`.
 *
 * @module
 */

import { readCall } from "../../../base/signature/call_expression.ts";
import { readSignature } from "../../../base/signature/parameter_list.ts";
import type { RouteRecord } from "../../../core/app/record/registry.ts";
import type { DocNodes } from "./doc_nodes.ts";
import { exportsOf } from "./locate_class.ts";

/** The members of a schema that have its types, as in ArkType's `typeof tea.infer`. */
const typeMembers = /^(?:infer|inferOut|inferIn|t|_output|_input|Type)$/;

/** The schemas that the types of a program refer to. */
export class SchemaValues {
  readonly #nodes: DocNodes;
  readonly #exports = new Map<string, object>();
  /** Schemas that are not exported, by module and name. */
  readonly #private = new Map<string, unknown>();

  constructor(nodes: DocNodes) {
    this.#nodes = nodes;
  }

  /** Imports the modules whose values are used in types. */
  async load(): Promise<this> {
    for (const { module, path } of this.#nodes.queries()) {
      const place = this.#nodes.findValue(module, path);
      if (place !== undefined && !this.#exports.has(place.module)) {
        this.#exports.set(place.module, await exportsOf(place.module));
      }
    }
    return this;
  }

  /**
   * Adds the schemas that a controller's method reads, as in `Post(input = mvc.Body(tea))`, because they may not be
   * exported.
   *
   * @param module The module of the controller.
   * @param record The route of the method.
   */
  learn(module: string, { route, owner }: RouteRecord): void {
    const method: unknown = Object(Object(owner)["prototype"])[route.Action ?? ""];
    if (typeof method !== "function") return;
    const parameters = readSignature(Function.prototype.toString.call(method)) ?? [];
    const calls = parameters.flatMap(({ fallback }) => readCall(fallback?.source ?? "") ?? []);
    const inputs = calls.filter(({ callee }) => /(?:^|\.)(?:Body|Query|Form|FormResult|Header|Params)$/.test(callee));
    if (inputs.length !== route.Inputs.length) return;
    for (const [at, { argument, isPath }] of inputs.entries()) {
      if (isPath) this.#private.set(`${module} ${argument.trim()}`, route.Inputs[at]?.Schema);
    }
  }

  /**
   * Finds a schema.
   *
   * @param module The module that contains the type.
   * @param path The schema's name, or the path of names that leads to it.
   * @returns The schema, or `undefined` if the value is not a schema or cannot be reached.
   */
  find(module: string, path: string): object | undefined {
    const known = this.#private.get(`${module} ${path}`);
    if (isSchema(known)) return known;
    const place = this.#nodes.findValue(module, path);
    const exported = place === undefined ? undefined : this.#exports.get(place.module);
    const steps = place?.steps ?? [];
    const found = steps.reduce<unknown>((value, step) => Object(value)[step], exported);
    if (isSchema(found)) return found;
    const [, above = "", last = ""] = /^(.+)\.([^.]+)$/.exec(path) ?? [];
    return typeMembers.test(last) ? this.find(module, above) : undefined;
  }
}

function isSchema(value: unknown): value is object {
  return (typeof value === "object" || typeof value === "function") && value !== null && "~standard" in value;
}
