/**
 * The error handlers and views of a party, merged with those of its ancestors. The nearest party takes precedence.
 *
 * @module
 */

import type { Context } from "../../context/context.ts";
import type { Handler } from "../../context/handler.ts";
import type { Attachments } from "../../exchange/attachments.ts";
import type { Fallback, RouteParty } from "../../exchange/compiled_route.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import type { Engine } from "../../../pages/engine/engine.ts";
import type { PartyRecord } from "../record/registry.ts";
import { type RouteSelector, selectedOnly, selectorsOf, servesRequest } from "../record/route_selector.ts";
import type { Alternative } from "./alternatives.ts";

/** The handlers for an error status. Each list runs if the one before it stopped. */
type ErrorLists = readonly (readonly Handler[])[];

/** Merges lists of handlers, of which each runs if the one before it stopped. */
type JoinHandlers = (alternatives: readonly Alternative[]) => readonly Handler[];

/** A party, merged with its ancestors. */
export class FoldedParty implements RouteParty<Context> {
  readonly prefix: string;
  readonly engine: Engine | undefined;
  readonly layout: string | undefined;
  readonly fallbacks: readonly Fallback<Context>[];
  readonly attached: Attachments | undefined;
  /** The ancestors and the party itself, with the outermost one first. */
  readonly lineage: readonly FoldedParty[];
  /** The middleware added by its own `UseRouter`. It passes on requests that the party does not serve. */
  readonly routerUses: readonly Handler[];
  /** Whether the party serves only some requests, such as those of one version. */
  readonly isSelective: boolean;
  readonly #errorUses: readonly Handler[];
  readonly #own: ReadonlyMap<number, ErrorLists>;
  readonly #selectors: readonly RouteSelector[];
  readonly #parent: FoldedParty | undefined;
  readonly #before: FoldedParty | undefined;
  readonly #join: JoinHandlers | undefined;

  /**
   * Merges a party with its ancestors.
   *
   * @param record The party.
   * @param parent The parent party.
   * @param before The party with the same prefix whose error handlers run first, if they apply to the request.
   * @param join Merges lists of error handlers. `undefined` if the application has no such lists.
   */
  constructor(record: PartyRecord, parent: FoldedParty | undefined, before?: FoldedParty, join?: JoinHandlers) {
    this.prefix = record.prefix;
    this.engine = record.engine ?? parent?.engine;
    this.layout = record.layout ?? parent?.layout;
    this.fallbacks = [...record.fallbacks, ...parent?.fallbacks ?? []];
    this.attached = joined(record.attached, parent?.attached);
    this.lineage = [...parent?.lineage ?? [], this];
    this.#selectors = selectorsOf(record);
    this.isSelective = this.#selectors.length > 0;
    this.routerUses = record.routerUses.map((handler) => selectedOnly(this.#selectors, handler));
    this.#errorUses = [...parent === undefined ? [] : parent.#errorUses, ...record.errorUses];
    this.#own = record.errorHandlers;
    this.#parent = parent;
    this.#before = before;
    this.#join = join;
  }

  errorChain(status: number): readonly Handler[] | undefined {
    const alternatives = this.#alternatives(status);
    const [first] = alternatives;
    if (first === undefined) return undefined;
    return alternatives.length === 1 && first.isForAll ? first.handlers : this.#join?.(alternatives);
  }

  /** Returns the lists of handlers for a status, in order. */
  #alternatives(status: number): readonly ErrorAlternative[] {
    const before: ErrorAlternative[] = [];
    for (let party = this.#before; party !== undefined; party = party.#before) {
      before.unshift(...party.#list(party.#own.get(status) ?? party.#own.get(0) ?? []));
    }
    const own = this.#list(this.#find(status) ?? (this.#errorUses.length === 0 ? [] : [[]]));
    // If the party does not accept a request, its parent handles the error.
    const above = !this.isSelective || this.#parent === undefined ? [] : this.#parent.#alternatives(status);
    return [...before, ...own, ...above];
  }

  #list(lists: ErrorLists): ErrorAlternative[] {
    return lists.map((list) => new ErrorAlternative(this, [...this.#errorUses, ...list], this.#selectors));
  }

  #find(status: number): ErrorLists | undefined {
    const own = this.#own.get(status) ?? this.#own.get(0);
    return own !== undefined || this.#parent === undefined ? own : this.#parent.#find(status);
  }
}

/** Merges the contributions of extensions to a party with those to its ancestors. Its own take precedence. */
function joined(own: Attachments | undefined, above: Attachments | undefined): Attachments | undefined {
  if (own === undefined || above === undefined) return own ?? above;
  const names = new Set(own.labels.map(({ name }) => name));
  return {
    providers: new Map([...above.providers, ...own.providers]),
    labels: [...above.labels.filter(({ name }) => !names.has(name)), ...own.labels],
    viewFuncs: new Map([...above.viewFuncs, ...own.viewFuncs]),
  };
}

/** The error handlers of a party for one status. */
class ErrorAlternative implements Alternative {
  readonly handlers: readonly Handler[];
  readonly guards = 0;
  readonly isSelected = false;
  readonly #party: FoldedParty;
  readonly #selectors: readonly RouteSelector[];

  constructor(party: FoldedParty, handlers: readonly Handler[], selectors: readonly RouteSelector[]) {
    this.handlers = handlers;
    this.#party = party;
    this.#selectors = selectors;
  }

  /** Reports whether the handlers accept every request. */
  get isForAll(): boolean {
    return this.#selectors.length === 0;
  }

  matches(ctx: Context): boolean {
    return servesRequest(this.#selectors, ctx);
  }

  enter(exchange: Exchange<Context>): void {
    // An error page uses the views of the party whose handlers write the page.
    if (exchange.route.party !== this.#party) exchange.route = { ...exchange.route, party: this.#party };
  }
}
