/**
 * Finds the declaration of a controller's class: two modules may have classes of one name.
 *
 * @module
 */

import type { DocNodes, Found } from "./doc_nodes.ts";

/**
 * Finds the declaration of a class.
 *
 * @param nodes The modules of the program.
 * @param name The name of the class.
 * @param owner The class itself, by which it is told from others of its name.
 * @returns The declaration; `undefined` if it cannot be told.
 */
export async function locateClass(
  nodes: DocNodes,
  name: string,
  owner: object | undefined,
): Promise<Found | undefined> {
  const [first, ...others] = nodes.findClasses(name);
  if (first === undefined || others.length === 0 || owner === undefined) return first;
  for (const found of [first, ...others]) {
    if (Object.values(await exportsOf(found.module)).includes(owner)) return found;
  }
  // A class that is not exported is told by its methods.
  const methods = methodsOf(owner);
  const same = [first, ...others].filter(({ declaration }) => {
    const declared = (declaration.def?.methods ?? []).filter((method) => method.isStatic !== true);
    return declared.length === methods.size && declared.every((method) => methods.has(method.name));
  });
  return same.length === 1 ? same[0] : undefined;
}

/** The program has loaded the module already, so this runs nothing anew. */
async function exportsOf(module: string): Promise<object> {
  try {
    return await import(module);
  } catch {
    return {};
  }
}

function methodsOf(owner: object): Set<string> {
  const names = Object.getOwnPropertyNames(Object(owner)["prototype"]);
  return new Set(names.filter((name) => name !== "constructor"));
}
