/**
 * Imports the modules of a program.
 *
 * @module
 */

import { loadModule } from "../../async/lazy_module.ts";

/** Imports a module. The program has already loaded it, so no code runs again. */
export async function exportsOf(module: string): Promise<object> {
  try {
    return await loadModule(() => import(module));
  } catch {
    return {};
  }
}
