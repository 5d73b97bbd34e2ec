// The spies and stubs of the real package, implemented with the mocks of node:test.
// deno-lint-ignore-file no-explicit-any -- as in the real package
import { mock } from "node:test";
import { assertEquals, assertIsError } from "jsr:@std/assert@^1";

/** A call that a spy has recorded. */
export interface SpyCall<Self = any, Args extends unknown[] = any[], Return = any> {
  args: Args;
  returned?: Return;
  error?: Error;
  self?: Self;
}

/** A function that records its calls. */
export interface Spy<Self = any, Args extends unknown[] = any[], Return = any> {
  (this: Self, ...args: Args): Return;
  original: (this: Self, ...args: Args) => Return;
  calls: SpyCall<Self, Args, Return>[];
  restored: boolean;
  restore(): void;
}

/** A method that records its calls. At the end of a `using` block, the spy is removed. */
export interface MethodSpy<Self = any, Args extends unknown[] = any[], Return = any>
  extends Spy<Self, Args, Return>, Disposable {}

/** A replaced method. At the end of a `using` block, the original is restored. */
export interface Stub<Self = any, Args extends unknown[] = any[], Return = any> extends MethodSpy<Self, Args, Return> {
  fake: (this: Self, ...args: Args) => Return;
}

/** The expected properties of a call. Omitted properties are not compared. */
export interface ExpectedSpyCall<Self = any, Args extends unknown[] = any[], Return = any> {
  args?: [...Args, ...unknown[]];
  self?: Self;
  returned?: Return;
  error?: { Class?: new (...args: any[]) => Error; msgIncludes?: string };
}

/** The arguments of a method. */
export type GetParametersFromProp<Self, Prop extends keyof Self> = Self[Prop] extends (...args: infer Args) => unknown
  ? Args
  : unknown[];
/** The return type of a method. */
export type GetReturnFromProp<Self, Prop extends keyof Self> = Self[Prop] extends (...args: any[]) => infer Return
  ? Return
  : unknown;

type Method = (this: any, ...args: any[]) => any;

export function spy<Self = any, Args extends unknown[] = any[], Return = undefined>(): Spy<Self, Args, Return>;
export function spy<Self, Args extends unknown[], Return>(
  func: (this: Self, ...args: Args) => Return,
): Spy<Self, Args, Return>;
export function spy<Self, Prop extends keyof Self>(
  self: Self,
  property: Prop,
): MethodSpy<Self, GetParametersFromProp<Self, Prop>, GetReturnFromProp<Self, Prop>>;
export function spy(target: any = () => {}, property?: PropertyKey): Spy {
  if (property === undefined) return remembering(mock.fn(target), target);
  const original = target[property];
  return remembering(mock.method(target, property as never) as any, original);
}

export function stub<Self, Prop extends keyof Self>(
  self: Self,
  property: Prop,
  func?: (this: Self, ...args: GetParametersFromProp<Self, Prop>) => GetReturnFromProp<Self, Prop>,
): Stub<Self, GetParametersFromProp<Self, Prop>, GetReturnFromProp<Self, Prop>>;
export function stub(self: Record<PropertyKey, any>, property: PropertyKey, func: Method = () => {}): Stub {
  const original = self[property];
  return Object.assign(remembering(mock.method(self, property as never, func as never) as any, original), {
    fake: func,
  });
}

export function assertSpyCalls(spy: Pick<Spy, "calls">, expectedCalls: number): void {
  assertEquals(spy.calls.length, expectedCalls, "spy not called as often as expected");
}

export function assertSpyCall<Self, Args extends unknown[], Return>(
  spy: Spy<Self, Args, Return>,
  callIndex: number,
  expected: ExpectedSpyCall<Self, Args, Return> = {},
): void {
  const call = spy.calls[callIndex] ?? {} as SpyCall<Self, Args, Return>;
  assertEquals(callIndex < spy.calls.length, true, "spy not called as often as expected");
  if (expected.args) assertEquals<unknown>(call.args, expected.args);
  if ("self" in expected) assertEquals<unknown>(call.self, expected.self);
  if ("returned" in expected) assertEquals<unknown>(call.returned, expected.returned);
  if (expected.error) assertIsError(call.error, expected.error.Class, expected.error.msgIncludes);
}

export function returnsNext<Return, Self = any, Args extends unknown[] = any[]>(
  values: Iterable<Return | Error>,
): (this: Self, ...args: Args) => Return {
  const left = values[Symbol.iterator]();
  return () => {
    const { value } = left.next();
    if (value instanceof Error) throw value;
    return value as Return;
  };
}

function remembering(mocked: Method & { mock: any }, original: Method): MethodSpy {
  let restored = false;
  const restore = () => {
    mocked.mock.restore();
    restored = true;
  };
  return Object.defineProperties(mocked, {
    original: { value: original },
    calls: { get: () => mocked.mock.calls.map(toSpyCall) },
    restored: { get: () => restored },
    restore: { value: restore },
    [Symbol.dispose]: { value: restore },
  }) as unknown as MethodSpy;
}

function toSpyCall(call: { arguments: unknown[]; result: unknown; error?: Error; this: unknown }): SpyCall {
  const { arguments: args, result: returned, error, this: self } = call;
  return error === undefined ? { args, returned, self } : { args, error, self };
}
