/**
 * Warnings that handlers raise when the application is built.
 *
 * @module
 */

import { warningOf } from "../exchange/handler_facts.ts";
import type { Registry } from "./record/registry.ts";

/** Logs the warnings of all registered handlers. Each warning is logged once. */
export function logWarnings({ routes, parties, globals, logger }: Registry): void {
  const handlers = [
    ...globals,
    ...parties.flatMap((party) => party.routerUses),
    ...routes.flatMap(({ uses, handlers, dones }) => [...uses, ...handlers, ...dones]),
  ];
  const warnings = new Set(handlers.map(warningOf));
  warnings.delete(undefined);
  for (const warning of warnings) logger.Warn(warning);
}
