/**
 * Makes the values of dependencies: once for all, or once for a request.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors.ts";
import { isThenable } from "../../src/base/thenable.ts";
import { type Context, exchangeOf } from "../../src/context/context.ts";
import { afterResponse } from "../../src/context/end_tasks.ts";
import type { Binding, Home, Slot } from "./binding.ts";
import { enter, type Injector, Suspension } from "./inject.ts";
import { labelOf } from "./token.ts";

/** What a constructor, a method or a per-request provider sees of the dependencies. */
export class RequestInjector implements Injector {
  readonly #container: Home;
  readonly #ctx: Context;

  constructor(container: Home, ctx: Context) {
    this.#container = container;
    this.#ctx = ctx;
  }

  resolve(token: unknown): unknown {
    const binding = this.#container.lookup(token);
    if (binding === undefined) throw decide(this.#container);
    if (binding.isReady) return binding.value;
    if (binding.isTransient) return binding.provide?.(this.#ctx);
    const slot = requestSlot(binding, this.#ctx);
    if (slot.pending !== undefined) throw new Suspension(binding, slot.pending);
    return slot.value;
  }
}

/** What a provider sees of the dependencies whose value all requests share: nothing that belongs to one request. */
export class SharedInjector implements Injector {
  readonly #container: Home;
  readonly #asker: string;

  constructor(container: Home, asker: string) {
    this.#container = container;
    this.#asker = asker;
  }

  resolve(token: unknown): unknown {
    const binding = this.#container.lookup(token);
    if (binding === undefined) throw decide(this.#container);
    if (binding.isPerRequest) {
      throw new FrameworkError(
        "FW_DEPENDENCY",
        `Cannot make "${this.#asker}" for all requests: it asks for "${labelOf(token)}", of which each has its own`,
      );
    }
    const slot = onceSlot(binding);
    if (slot.pending !== undefined) throw new Suspension(binding, slot.pending);
    return slot.value;
  }
}

const valuesOfRequest = new WeakMap<Context, Map<Binding, Slot>>();

/**
 * The value of a dependency in a request, made now if it was not before.
 *
 * @param binding The dependency.
 * @param ctx The request.
 * @returns The value, or what to wait for.
 */
export function requestSlot(binding: Binding, ctx: Context): Slot {
  if (!binding.isPerRequest) return onceSlot(binding);
  let slots = valuesOfRequest.get(ctx);
  if (slots === undefined) valuesOfRequest.set(ctx, slots = new Map());
  let slot = slots.get(binding);
  if (slot === undefined) {
    slots.set(binding, slot = { value: undefined, isReady: false, pending: undefined, isRunning: false });
  }
  if (!slot.isReady && slot.pending === undefined) fill(slot, binding, ctx);
  return slot;
}

/**
 * The value of a dependency that all requests share, made now if it was not before.
 *
 * @param binding The dependency.
 * @returns The value, or what to wait for.
 */
export function onceSlot(binding: Binding): Slot {
  if (!binding.isReady && binding.pending === undefined) fill(binding, binding, undefined);
  return binding;
}

function fill(slot: Slot, binding: Binding, ctx: Context | undefined): void {
  const made = provide(slot, binding, ctx);
  if (!isThenable(made)) return keep(slot, made, ctx);
  binding.isAsync = true;
  slot.pending = settle(slot, binding, ctx, made);
  // Whoever waits sees the failure; where nobody does, it must not end the process.
  slot.pending.catch(ignore);
}

function provide(slot: Slot, binding: Binding, ctx: Context | undefined): unknown {
  const { home, provide } = binding;
  if (home === undefined || provide === undefined) return binding.value;
  if (slot.isRunning) {
    throw new FrameworkError("FW_DEPENDENCY", `Cannot make "${binding.label()}": it asks for itself in a circle`);
  }
  slot.isRunning = true;
  const scope = ctx === undefined ? new SharedInjector(home, binding.label()) : new RequestInjector(home, ctx);
  const outer = enter(scope);
  try {
    return ctx === undefined ? (provide as () => unknown)() : provide(ctx);
  } finally {
    enter(outer);
    slot.isRunning = false;
  }
}

/** Waits for a value. One that asked for another that had to be waited for is made anew when that one is there. */
async function settle(slot: Slot, binding: Binding, ctx: Context | undefined, first: unknown): Promise<void> {
  try {
    let value = first;
    for (;;) {
      try {
        keep(slot, await value, ctx);
        return;
      } catch (thrown) {
        if (!(thrown instanceof Suspension)) throw thrown;
        await thrown.until;
        value = provideLater(slot, binding, ctx);
      }
    }
  } finally {
    slot.pending = undefined;
  }
}

/** Async, so that what it throws is met where its value is awaited. */
// deno-lint-ignore require-await
async function provideLater(slot: Slot, binding: Binding, ctx: Context | undefined): Promise<unknown> {
  return provide(slot, binding, ctx);
}

function keep(slot: Slot, value: unknown, ctx: Context | undefined): void {
  slot.value = value;
  slot.isReady = true;
  if (ctx !== undefined && isDisposable(value)) afterResponse(exchangeOf(ctx), () => dispose(value));
}

/** A class was asked for that only a dependency still in the making may be of: waits for one of these. */
function decide(container: Home): unknown {
  for (const binding of container.undecided()) {
    const { pending } = onceSlot(binding);
    if (pending !== undefined) return new Suspension(binding, pending);
  }
  return new Suspension(container, Promise.resolve());
}

function isDisposable(value: unknown): value is Partial<AsyncDisposable & Disposable> {
  return typeof value === "object" && value !== null && (Symbol.asyncDispose in value || Symbol.dispose in value);
}

async function dispose(value: Partial<AsyncDisposable & Disposable>): Promise<void> {
  if (value[Symbol.asyncDispose] !== undefined) await value[Symbol.asyncDispose]?.();
  else value[Symbol.dispose]?.();
}

function ignore(): void {}
