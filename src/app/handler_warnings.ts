/**
 * Warnings that handlers raise when the application is built.
 *
 * @module
 */

import { warningOf } from "../exchange/handler_facts.ts";
import type { Registry } from "./record/registry.ts";

/** Logs the warnings of all registered handlers. Each warning is logged once. */
export function logWarnings({ routes, parties, globals, logger }: Registry): void {
  const warnings = new Set<string>();
  const collect = (handlers: readonly object[]) => {
    for (let i = 0; i < handlers.length; i++) {
      const warning = warningOf(handlers[i] as object);
      if (warning !== undefined) warnings.add(warning);
    }
  };
  collect(globals);
  for (const { routerUses } of parties) collect(routerUses);
  for (const { uses, handlers, dones } of routes) {
    collect(uses);
    collect(handlers);
    collect(dones);
  }
  for (const warning of warnings) logger.Warn(warning);
}
