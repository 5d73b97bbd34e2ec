/**
 * Adds the view functions of extensions to the template engines of their parties.
 *
 * @module
 */

import { FrameworkError } from "../../../base/errors/errors.ts";
import type { Engine } from "../../../pages/engine/engine.ts";
import { callViewFunc, loadCallScope } from "../../context/call_scope.ts";
import type { PartyRecord, Registry } from "../record/registry.ts";

/**
 * Adds the functions, before the engines compile their templates.
 *
 * @returns A promise if there are any.
 * @throws {FrameworkError} If an engine does not support functions.
 */
export function addViewFuncs({ parties }: Registry): Promise<void> | undefined {
  const added = new Map<Engine, Set<string>>();
  for (const party of parties) {
    const engine = engineOf(party);
    if (engine === undefined) continue;
    for (const name of namesFor(party)) {
      const names = added.get(engine) ?? new Set();
      if (names.has(name)) continue;
      added.set(engine, names.add(name));
      if (engine.AddFunc === undefined) {
        throw new FrameworkError("FW_VIEW", `Cannot add the function "${name}" to views: the engine has no AddFunc`);
      }
      engine.AddFunc(name, (...args: unknown[]) => callViewFunc(name, args));
    }
  }
  return added.size === 0 ? undefined : loadCallScope();
}

function engineOf(party: PartyRecord): Engine | undefined {
  return party.engine ?? (party.parent && engineOf(party.parent));
}

function namesFor(party: PartyRecord): string[] {
  return [...party.attached?.viewFuncs.keys() ?? [], ...party.parent === undefined ? [] : namesFor(party.parent)];
}
