/**
 * Resolves the dependencies of one request, in the order in which they are written.
 *
 * @module
 */

import { type Context, exchangeOf } from "../../src/context/context.ts";
import { type Asker, type Binding, type Need, Slot } from "./binding.ts";
import { assertNoCircle } from "./circle.ts";
import { enter, stopped, suspended } from "./inject.ts";
import { type Call, invoke } from "./injected_call.ts";
import { InputToken } from "./input_token.ts";
import { checkNow } from "./read_checked.ts";
import { type Order, RequestValues } from "./request_values.ts";
import { decide } from "./shared_values.ts";
import { inBody, isExpected, isExpectedInput } from "./waiting.ts";

/** Returned in place of a result where the method has not been called: it has to wait, or the request is stopped. */
export const uncalled: unique symbol = Symbol("uncalled");

/** What creates the instance that a method is called on. */
export interface Creator extends Asker {
  /** Creates the instance, where an injector is in force. */
  create(ctx: Context): object;
}

/** What goes on when everything that a call asks for is there. */
export interface Continuation {
  /** Goes on. */
  proceed(values: RequestValues): unknown;
  /** Goes on where something failed, or the request is stopped. */
  fail(thrown: unknown): unknown;
}

/** The dependencies of a request; the same for all controllers and functions that serve it. */
export function valuesOf(ctx: Context): RequestValues {
  const exchange = exchangeOf(ctx);
  const known = exchange.injector as RequestValues | undefined;
  if (known === undefined) return exchange.injector = new RequestValues(exchange, inOrder);
  known.open();
  return known;
}

/** Each in its turn: what goes on although it was suspended gets nothing more. */
const inOrder: Order = {
  resolve,
  take,
  gather: (values, binding, args) => gather(values, binding, args, 0),
};

function resolve(values: RequestValues, token: unknown, known: Binding | undefined): unknown {
  const { asker } = values;
  if (asker === undefined) throw stopped;
  // Looking it up takes three times as long as seeing that it is the next.
  const binding = known ?? asker.home.lookup(token);
  if (binding === undefined) return resolveUndecided(values, asker, token);
  if (values.isHalted) values.assertNotStopped();
  if (values.suspendedFor !== undefined) throw suspended;
  if (binding.isReady && !binding.isAsync) return binding.value;
  if (token instanceof InputToken && binding.token !== token) return checkNow(token, rawInput(values, binding));
  const got = values.obtain(binding);
  if (got instanceof Slot) return take(values, got);
  if (binding.isReady) checkBody(values, binding);
  return got;
}

/**
 * Creates an instance and calls a method on it in one go, as far as nothing has to be waited for.
 *
 * @param values The dependencies of the request.
 * @param creator Creates the instance, which is then in {@linkcode RequestValues.instance}.
 * @param call The method.
 * @returns What the method returns, or {@linkcode uncalled}; if something has to be waited for, that is in
 * {@linkcode RequestValues.waitsFor}.
 */
export function createAndCall(values: RequestValues, creator: Creator, call: Call): unknown {
  const outerAsker = values.asker;
  const outerPatience = values.patience;
  const outerSuspendedFor = values.suspendedFor;
  const outerCursor = values.cursor;
  values.asker = creator;
  values.cursor = 0;
  values.suspendedFor = undefined;
  values.instance = undefined;
  const outer = enter(values);
  try {
    const { ctx } = values;
    const instance = creator.create(ctx);
    if (values.suspendedFor !== undefined || values.isStopped) return uncalled;
    values.instance = instance;
    const { ahead, patience } = call.needs;
    if (ahead.length === 0) {
      values.asker = call;
      values.patience = patience;
      return call.callBare(instance, ctx);
    }
    const args = call.argumentsOf(ctx);
    values.suspendedFor = gather(values, call, args, 0);
    if (values.suspendedFor !== undefined) {
      values.args = args;
      return uncalled;
    }
    values.asker = call;
    values.patience = patience === 0 ? 0 : patience + values.undefinedArguments;
    return invoke(call, instance, args);
  } finally {
    enter(outer);
    values.waitsFor = values.suspendedFor;
    values.asker = outerAsker;
    values.patience = outerPatience;
    values.suspendedFor = outerSuspendedFor;
    values.cursor = outerCursor;
  }
}

/**
 * Gathers what is known to be asked for, in order.
 *
 * @param values The dependencies of the request.
 * @param asker Who asks.
 * @param args Receives what is an argument.
 * @returns What has to be waited for, if anything.
 */
export function collect(values: RequestValues, asker: Asker, args?: unknown[]): Slot | undefined {
  if (asker.needs.ahead.length === 0) return undefined;
  const outer = enter(values);
  try {
    return gather(values, asker, args, 0);
  } finally {
    enter(outer);
  }
}

/** A call whose dependencies are being gathered. */
export interface Gathering {
  /** Who asks. */
  readonly asker: Asker;
  /** Receives what is an argument; it has received what was gathered before. */
  readonly args: unknown[] | undefined;
}

/**
 * Goes on with gathering when what has to be waited for is there.
 *
 * @param values The dependencies of the request.
 * @param gathering What they are gathered for.
 * @param first What has to be waited for.
 * @param then What follows, within the same promise.
 */
export async function collectLater(
  values: RequestValues,
  { asker, args }: Gathering,
  first: Slot,
  then: Continuation,
): Promise<unknown> {
  // Of a slot that gathering returned just now, the place is known.
  let at = asker.needs.ahead[values.gathered]?.binding === first.owner ? values.gathered : 0;
  let slot: Slot | undefined = first;
  do {
    try {
      values.arrive(slot, await slot.promise);
    } catch (thrown) {
      values.fail(slot, thrown);
    }
    const outer = enter(values);
    try {
      if (values.isHalted) values.assertNotStopped();
      slot = gather(values, asker, args, at + accept(asker.needs.ahead[at], slot, args));
      at = values.gathered;
    } catch (thrown) {
      // A constructor meets a failure where it asks: it may be prepared for it.
      if (!asker.isRepeatable || thrown === stopped) return then.fail(thrown);
      slot = undefined;
    } finally {
      enter(outer);
    }
  } while (slot !== undefined);
  return then.proceed(values);
}

/** Takes what was waited for as it came, if it is just what is asked for; returns how much that is. */
function accept(need: Need | undefined, slot: Slot, args: unknown[] | undefined): number {
  if (slot.state !== "ready" || need === undefined || need.binding !== slot.owner) return 0;
  if (args !== undefined && need.argument >= 0) args[need.argument] = slot.value;
  return 1;
}

function gather(values: RequestValues, asker: Asker, args: unknown[] | undefined, from: number): Slot | undefined {
  const { ahead } = asker.needs;
  let undefinedArguments = args === undefined ? 0 : countUndefined(ahead, args, from);
  for (let i = from; i < ahead.length; i++) {
    const need = ahead[i] as Need;
    need.binding ??= asker.home.lookup(need.token);
    let value = need.binding === undefined ? obtainUndecided(values, asker, need.token) : values.obtain(need.binding);
    if (value instanceof Slot) {
      if (value.state === "failed") throw value.value;
      if (value.state === "pending") {
        if (need.binding?.isParallel === true) startNeighbours(values, ahead, i + 1);
        values.gathered = i;
        return value;
      }
      value = value.value;
    }
    if (args === undefined || need.argument < 0) continue;
    args[need.argument] = value;
    if (value === undefined) undefinedArguments++;
  }
  values.undefinedArguments = undefinedArguments;
  return undefined;
}

/** Begins to create the neighbours of a dependency that need not wait for it. */
function startNeighbours(values: RequestValues, ahead: readonly Need[], from: number): void {
  for (let i = from; ahead[i]?.binding?.isParallel === true; i++) {
    const got = values.obtain((ahead[i] as Need).binding as Binding);
    // Waited for later, in its turn; what it rejects with by then must not count as unhandled.
    if (got instanceof Slot && got.state === "pending") void values.settle(got);
  }
}

/** A class that only a dependency still to be created can be of. */
function obtainUndecided(values: RequestValues, asker: Asker, token: unknown): unknown {
  const binding = asker.home.lookup(token);
  if (binding !== undefined) return values.obtain(binding);
  const slot = decide(asker.home);
  if (slot === undefined) return values.obtain(asker.home.lookup(token) as Binding);
  values.assertNotFailed(slot.owner);
  return slot;
}

function resolveUndecided(values: RequestValues, asker: Asker, token: unknown): unknown {
  const got = obtainUndecided(values, asker, token);
  return got instanceof Slot ? take(values, got) : got;
}

function take(values: RequestValues, slot: Slot): unknown {
  // Most of what took time was gathered before the constructor that asks for it runs.
  if (slot.state === "ready" && (!slot.isLate || values.asker?.isRepeatable === true)) return slot.value;
  if (slot.state === "failed") throw slot.value;
  if (slot.state === "pending") assertNoCircle(slot);
  checkBody(values, slot.owner, slot);
  if (slot.state === "ready") return slot.value;
  values.suspendedFor = slot;
  throw suspended;
}

/** A part of the request, for a schema that was not known before: one that is written in an argument, say. */
function rawInput(values: RequestValues, binding: Binding): unknown {
  // An argument that is known to be such an input, and is undefined, asks again with a new schema.
  const { asker } = values;
  if (asker !== undefined && isExpectedInput(asker, binding)) values.patience = Math.max(values.patience, 0);
  const got = values.obtain(binding);
  return got instanceof Slot ? take(values, got) : got;
}

/** Refuses what takes time where it is asked for in a body, which would have to run twice. */
function checkBody(values: RequestValues, owner: Binding, slot?: Slot): void {
  const { asker } = values;
  if (asker === undefined || asker.isRepeatable || values.patience >= 0 || isExpected(asker, owner)) return;
  // It has begun, so it is waited for all the same: it may have to be disposed of.
  if (slot?.state === "pending") void values.settle(slot);
  throw inBody(asker, owner);
}

/** Counts the arguments that are gathered already, and undefined. */
function countUndefined(ahead: readonly Need[], args: readonly unknown[], to: number): number {
  let count = 0;
  for (let i = 0; i < to; i++) {
    const { argument } = ahead[i] as Need;
    if (argument >= 0 && args[argument] === undefined) count++;
  }
  return count;
}
