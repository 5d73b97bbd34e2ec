/**
 * Plans. A plan is a flat list of the dependencies of a constructor, method or provider, in the order of their
 * creation.
 *
 * @module
 */

import type { Ask, Asker, Binding, Home, Step } from "./binding.ts";
import { noSteps } from "./binding.ts";
import { discover } from "./probe.ts";

/**
 * Returns the dependency for an injection, if it is already known.
 *
 * @param ask The injection.
 * @param home The container to look it up in.
 */
export function bindingOf(ask: Ask, home: Home): Binding | undefined {
  if (ask.binding === undefined) {
    home.declare(ask.token);
    ask.binding = home.lookup(ask.token);
  }
  return ask.binding;
}

/**
 * Creates the plan of a constructor, method or provider. The dependencies of a dependency come directly before it.
 * Singletons that already have their value are omitted.
 *
 * @param asker The constructor, method or provider.
 * @returns The steps.
 */
export function planOf(asker: Pick<Asker, "asks" | "home">): readonly Step[] {
  if (asker.asks.length === 0) return noSteps;
  const planner = new Planner(asker);
  planner.addAll(asker.asks, asker.home);
  for (const step of planner.steps) if (step.failsTo === -1) step.failsTo = planner.steps.length;
  return planner.steps;
}

/** Creates the plan of a dependency, unless it already has one. */
export function assurePlan(binding: Binding): void {
  if (binding.isPlanned) return;
  binding.isPlanned = true;
  discover(binding);
  binding.plan = planOf(binding);
}

class Planner {
  readonly steps: Step[] = [];
  readonly #indices = new Map<Binding, number>();
  /** The code whose dependencies are currently being added. */
  readonly #open: Set<unknown>;

  constructor(asker: unknown) {
    this.#open = new Set([asker]);
  }

  /** Adds dependencies and returns the indices of their steps. */
  addAll(asks: readonly Ask[], home: Home): number[] {
    const planned = asks.filter((ask) => ask.isPlanned);
    return planned.flatMap((ask, i) => {
      // Adjacent parallel dependencies must start together, so everything they need is created before the first of
      // them.
      for (let j = i + 1; isParallel(ask, home) && isParallel(planned[j], home); j++) {
        this.#addAhead(planned[j]?.binding as Binding);
      }
      // The class of a singleton may only be known after it has been created. It may be the one that is injected.
      const binding = bindingOf(ask, home);
      const bindings = binding === undefined ? home.undecided(ask.token) : [binding];
      return bindings.flatMap((each) => this.#add(each) ?? []);
    });
  }

  /**
   * Adds the dependencies of an adjacent parallel dependency. If they fail, the parallel dependencies before it are
   * still created.
   */
  #addAhead(neighbor: Binding): void {
    for (const index of this.#addNeeds(neighbor)) {
      const step = this.steps[index];
      if (step?.failsTo === -1) step.failsTo = index + 1;
    }
  }

  #add(binding: Binding): number | undefined {
    // If the check during the build could not detect a circular dependency, the recursion ends here, and creating the
    // dependency fails.
    // An asynchronous singleton may have to be created again if the application is run again.
    const isReady = binding.isReady && !binding.isAsync;
    if (isReady || binding.lifetime === "transient" || this.#open.has(binding)) return undefined;
    const known = this.#indices.get(binding);
    if (known !== undefined) return known;
    const needs = this.#addNeeds(binding);
    const index = this.steps.push({ binding, needs, failsTo: -1 }) - 1;
    this.#indices.set(binding, index);
    for (const need of needs) {
      const step = this.steps[need];
      if (step?.failsTo === -1) step.failsTo = index;
    }
    return index;
  }

  /**
   * Adds the dependencies of a dependency. A singleton creates its own dependencies once, and per-request dependencies
   * are part of the plan.
   */
  #addNeeds(binding: Binding): number[] {
    if (binding.lifetime !== "request") return [];
    discover(binding);
    this.#open.add(binding);
    const needs = this.addAll(binding.asks, binding.home);
    this.#open.delete(binding);
    return needs;
  }
}

function isParallel(ask: Ask | undefined, home: Home): boolean {
  return ask !== undefined && bindingOf(ask, home)?.isParallel === true;
}
