/**
 * The compile-time check of controllers.
 *
 * Declared argument types do not exist at run time, so `Handle` uses these types to check that a method declares the
 * values it will receive. A path argument without a default value is a string, and a single required argument is the
 * context.
 *
 * @module
 */

import type { Context } from "../../src/core/context/context.ts";
import type { HookArguments } from "./hooks.ts";
import type { SourceOf } from "./input_type.ts";
import type { HasBy, RouteName } from "./method_parser.ts";

/**
 * `unknown` for a valid controller, or an error message about its first fault.
 *
 * `Handle` takes `C & ControllerGuard<C>`, and so can a generic function that calls `m.Handle<C>(controller)`. The
 * message is not a controller, so the compiler prints it. A class with `BeforeActivation` may register custom routes
 * for its methods, with types from the path. `Handle` checks those at run time.
 */
export type ControllerGuard<C> = [C] extends [Registration<infer T>] ? ClassGuard<T> : ClassGuard<C>;

/**
 * A registered controller, such as `mvc.Singleton(Class)`.
 *
 * @internal
 */
interface Registration<T> {
  readonly "~type"?: T;
  readonly IsProvision: true;
}

/**
 * The guard of a class or an instance.
 *
 * @internal
 */
type ClassGuard<C> = IsUnion<C> extends true ? "A union of controllers cannot be checked: pass one class or instance"
  : C extends new (...args: infer A) => infer I ? [] extends A ? Sentence<FaultsOf<I>>
    : "A controller's constructor is called without arguments: give them default values"
  : C extends abstract new (...args: never[]) => unknown
    ? "An abstract class has no instances: pass a class that extends it"
  : Sentence<FaultsOf<C>>;

/**
 * Reports whether a type is a union.
 *
 * @internal
 */
type IsUnion<C, All = C> = C extends unknown ? [All] extends [C] ? false : true : false;

/**
 * Maps the absence of faults to `unknown`.
 *
 * @internal
 */
type Sentence<F> = [F] extends [never] ? unknown : F;

/**
 * An error message for each method that would receive a value it does not declare.
 *
 * @internal
 */
type FaultsOf<T> =
  | { [K in keyof HookArguments]: HookFault<T, K, HookArguments[K]> }[keyof HookArguments]
  | ContextFault<T>
  | MethodFaults<T>;

/** An error message about a hook that cannot be called with its arguments. */
type HookFault<T, K extends string, Given extends HookArguments[keyof HookArguments]> = T extends
  { [P in K]: (...args: infer A) => unknown }
  ? ((...args: A) => void) extends ((...args: Given["args"]) => void) ? never : `${K} is called with ${Given["words"]}`
  : never;

/** An error message about a field `Ctx` that cannot hold the context. */
type ContextFault<T> = T extends { Ctx?: infer F }
  ? Context extends F ? never : "The field Ctx is filled with the Context: declare it as Ctx!: fw.Context"
  : never;

/** Error messages about methods. Methods of a class with custom routes are checked at run time. */
type MethodFaults<T> = T extends { BeforeActivation: unknown } ? never
  : { [K in keyof T & string]: K extends RouteName<K> ? FaultOf<K, T[K]> : never }[keyof T & string];

type FaultOf<K extends string, M> = M extends (...args: infer A) => unknown
  ? HasBy<K> extends true ? AreStrings<WithoutContext<RequiredOf<A>>> extends true ? NarrowFault<K, A>
    : `Method ${K} has a required argument that is not a string: give it a default value, 0 for an int, 0n for a long, false for a bool`
  : IsContext<RequiredOf<A>> extends true ? never
  : `Method ${K} has no By in its name, so its only required argument can be the Context`
  : never;

type NarrowFault<K extends string, A extends readonly unknown[]> = HasNarrow<Required<A>> extends true
  ? `Method ${K} has an argument of a literal type, which nothing checks in a path: declare it as string, number, bigint or boolean`
  : never;

type HasNarrow<A extends readonly unknown[]> = A extends readonly [infer First, ...infer Rest]
  ? [SourceOf<First>] extends [never] ? IsNarrow<Exclude<First, undefined>> extends true ? true : HasNarrow<Rest>
  : HasNarrow<Rest>
  : false;

/**
 * Reports whether a path could contain values that the type does not allow, such as `"a" | "b"`, an enum or a branded
 * string. Typed inputs are validated.
 */
type IsNarrow<P> = [P] extends [string | number | bigint | boolean] ? string extends P ? false
  : number extends P ? false
  : bigint extends P ? false
  : boolean extends P ? false
  : true
  : false;

/** The arguments before the first optional one. */
type RequiredOf<A extends readonly unknown[]> = A extends readonly [infer First, ...infer Rest]
  ? [First, ...RequiredOf<Rest>]
  : [];

/** The arguments after the context, if that is the first one. */
type WithoutContext<A extends readonly unknown[]> = A extends readonly [infer First, ...infer Rest]
  ? Context extends First ? string extends First ? A : Rest : A
  : A;

type AreStrings<A extends readonly unknown[]> = A extends readonly [infer First, ...infer Rest]
  ? string extends First ? AreStrings<Rest> : false
  : true;

type IsContext<A extends readonly unknown[]> = A extends readonly [] ? true
  : A extends readonly [infer Only] ? Context extends Only ? true : false
  : false;
