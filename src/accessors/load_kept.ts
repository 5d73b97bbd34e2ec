/**
 * Loads the code that selects the values of a form to show again. Most requests have no form.
 *
 * @module
 */

import { LazyModule } from "../async/lazy_module.ts";

const module = new LazyModule(() => import("./kept_values.ts"));

/** Returns the module, which is loaded on first use. */
export function loadKept(): typeof import("./kept_values.ts") | Promise<typeof import("./kept_values.ts")> {
  return module.get();
}
