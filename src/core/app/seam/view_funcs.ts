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
 * @throws {FrameworkError} If an engine does not support functions.
 */
export function addViewFuncs({ parties }: Registry): Promise<void> {
  for (const party of parties) {
    const engine = engineOf(party);
    if (engine !== undefined) addTo(engine, namesFor(party));
  }
  return loadCallScope();
}

/** The functions that engines have. Engines cannot take further ones after their templates were compiled. */
const added = new WeakMap<Engine, Set<string>>();

/** Adds functions to an engine. */
export function addTo(engine: Engine, names: readonly string[]): void {
  const known = added.get(engine) ?? new Set();
  added.set(engine, known);
  for (const name of names) {
    if (known.has(name)) continue;
    known.add(name);
    if (engine.AddFunc === undefined) {
      throw new FrameworkError("FW_VIEW", `Cannot add the function "${name}" to views: the engine has no AddFunc`);
    }
    engine.AddFunc(name, (...args: unknown[]) => callViewFunc(name, args));
  }
}

function engineOf(party: PartyRecord): Engine | undefined {
  return party.engine ?? (party.parent && engineOf(party.parent));
}

function namesFor(party: PartyRecord): string[] {
  return [...party.attached?.viewFuncs.keys() ?? [], ...party.parent === undefined ? [] : namesFor(party.parent)];
}
