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
 * @throws {FrameworkError} If an engine does not support functions, or already has one with the name.
 */
export function addViewFuncs({ parties, outerFuncs }: Registry): Promise<void> {
  for (const party of parties) {
    const engine = engineOf(party);
    if (engine === undefined) continue;
    // A party with the engine of the party around it only adds its own functions.
    addTo(engine, party.engine === undefined ? ownNames(party) : namesFor(party));
    if (party.engine !== undefined) offerTo(engine, outerFuncs);
  }
  return loadCallScope();
}

/** The functions that engines have. Engines cannot take further ones after their templates were compiled. */
const added = new WeakMap<Engine, Set<string>>();

function addTo(engine: Engine, names: readonly string[]): void {
  for (const name of names) {
    if (added.get(engine)?.has(name)) continue;
    if (engine.AddFunc === undefined || engine.HasFunc?.(name)) {
      const fault = engine.AddFunc === undefined ? "has no AddFunc" : "already has it";
      throw new FrameworkError("FW_VIEW", `Cannot add the function "${name}" to views: the engine ${fault}`);
    }
    add(engine, name);
  }
}

/** Adds functions of other applications, or functions for mails. Those that the engine has take precedence. */
export function offerTo(engine: Engine, names: Iterable<string>): void {
  for (const name of names) {
    if (engine.HasFunc?.(name) !== false) continue;
    try {
      add(engine, name);
    } catch {
      // The templates have been compiled before, or the name is not valid in them. Templates that call it fail.
    }
  }
}

function add(engine: Engine, name: string): void {
  engine.AddFunc?.(name, (...args: unknown[]) => callViewFunc(name, args));
  added.set(engine, (added.get(engine) ?? new Set()).add(name));
}

function engineOf(party: PartyRecord): Engine | undefined {
  return party.engine ?? (party.parent && engineOf(party.parent));
}

function ownNames(party: PartyRecord): readonly string[] {
  return [...party.attached?.viewFuncs.keys() ?? []];
}

function namesFor(party: PartyRecord): readonly string[] {
  return [...ownNames(party), ...party.parent === undefined ? [] : namesFor(party.parent)];
}
