/**
 * What a party means for a request that its path leads to: error handlers and views, nearest first.
 *
 * @module
 */

import type { RouteParty } from "../context/compiled_route.ts";
import type { Context } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";
import type { Fallback } from "../context/view_state.ts";
import type { Engine } from "../view/engine.ts";
import type { PartyRecord } from "./registry.ts";

/** A party, folded with the parties above it. */
export class FoldedParty implements RouteParty<Context> {
  readonly engine: Engine | undefined;
  readonly layout: string | undefined;
  readonly fallbacks: readonly Fallback<Context>[];
  /** The party and those above it, the outermost first. */
  readonly lineage: readonly FoldedParty[];
  /** What its own `UseRouter` added. */
  readonly routerUses: readonly Handler[];
  readonly #errorUses: readonly Handler[];
  readonly #own: ReadonlyMap<number, readonly Handler[]>;
  readonly #parent: FoldedParty | undefined;

  constructor(record: PartyRecord, parent: FoldedParty | undefined) {
    this.engine = record.engine ?? parent?.engine;
    this.layout = record.layout ?? parent?.layout;
    this.fallbacks = [...record.fallbacks, ...parent?.fallbacks ?? []];
    this.lineage = [...parent?.lineage ?? [], this];
    this.routerUses = record.routerUses;
    this.#errorUses = [...parent === undefined ? [] : parent.#errorUses, ...record.errorUses];
    this.#own = record.errorHandlers;
    this.#parent = parent;
  }

  errorChain(status: number): readonly Handler[] | undefined {
    const handlers = this.#find(status);
    if (handlers === undefined && this.#errorUses.length === 0) return undefined;
    return [...this.#errorUses, ...handlers ?? []];
  }

  handlesError(status: number): boolean {
    return this.#own.has(status) || (!this.#own.has(0) && this.#parent?.handlesError(status) === true);
  }

  #find(status: number): readonly Handler[] | undefined {
    const own = this.#own.get(status) ?? this.#own.get(0);
    return own !== undefined || this.#parent === undefined ? own : this.#parent.#find(status);
  }
}
