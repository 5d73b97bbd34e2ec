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
    addTo(engine, namesFor(party));
    offerTo(engine, outerFuncs);
  }
  return loadCallScope();
}

/** The functions that engines have. Engines cannot take further ones after their templates were compiled. */
const added = new WeakMap<Engine, readonly string[]>();

function addTo(engine: Engine, names: readonly string[]): void {
  for (const name of names) {
    if (added.get(engine)?.includes(name)) continue;
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
  added.set(engine, [...added.get(engine) ?? [], name]);
}

function engineOf(party: PartyRecord): Engine | undefined {
  return party.engine ?? (party.parent && engineOf(party.parent));
}

function namesFor(party: PartyRecord): string[] {
  return [...party.attached?.viewFuncs.keys() ?? [], ...party.parent === undefined ? [] : namesFor(party.parent)];
}
