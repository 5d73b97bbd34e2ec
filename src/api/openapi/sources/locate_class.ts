/**
 * Finds the declaration of a controller's class. The class name may not be unique across modules.
 *
 * @module
 */

import { loadModule } from "../../../base/async/lazy_module.ts";
import type { DocNodes, Found } from "./doc_nodes.ts";

/**
 * Finds the declaration of a class.
 *
 * @param nodes The program's modules.
 * @param name The class name.
 * @param owner The class itself, to distinguish it from others with the same name.
 * @returns The declaration, or `undefined` if it is ambiguous.
 */
export async function locateClass(
  nodes: DocNodes,
  name: string,
  owner: object | undefined,
): Promise<Found | undefined> {
  const [first, ...others] = nodes.findAll("class", name);
  if (first === undefined || others.length === 0 || owner === undefined) return first;
  for (const found of [first, ...others]) {
    if (Object.values(await exportsOf(found.module)).includes(owner)) return found;
  }
  // If the class is not exported, it is identified by its methods.
  const methods = methodsOf(owner);
  const same = [first, ...others].filter(({ declaration }) => {
    const declared = (declaration.def?.methods ?? []).filter((method) => method.isStatic !== true);
    return declared.length === methods.size && declared.every((method) => methods.has(method.name));
  });
  return same.length === 1 ? same[0] : undefined;
}

function methodsOf(owner: object): Set<string> {
  const names = Object.getOwnPropertyNames(Object(owner)["prototype"]);
  return new Set(names.filter((name) => name !== "constructor"));
}

/** Imports a module. The program has already loaded it, so no code runs again. */
export async function exportsOf(module: string): Promise<object> {
  try {
    return await loadModule(() => import(module));
  } catch {
    return {};
  }
}
