/**
 * Imports the modules of a program.
 *
 * @module
 */

/** Imports a module. The program has already loaded it, so no code runs again. */
export async function exportsOf(module: string): Promise<object> {
  try {
    return await import(module);
  } catch {
    return {};
  }
}
