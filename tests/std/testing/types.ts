// The types of the real package. There is nothing to re-export, so they are defined here and are at least as strict.

/** Compiles if `T` is `true`. */
export type AssertTrue<T extends true> = never & T;
/** Compiles if `T` is `false`. */
export type AssertFalse<T extends false> = never & T;
/** Compiles if `T` is `Expected`. */
export type Assert<T extends boolean, Expected extends T> = never & Expected;
/** Whether `T` and `U` are the same type. */
// Two such functions are assignable only if the compiler considers T and U identical, including `any` and `readonly`.
export type IsExact<T, U> = (<X>() => X extends T ? 1 : 2) extends (<X>() => X extends U ? 1 : 2) ? true : false;
/** Whether a member of `T` is `U`. */
export type Has<T, U> = IsAny<T> extends true ? true : IsAny<U> extends true ? false : not<IsNever<Extract<T, U>>>;
/** Whether no member of `T` is `U`. */
export type NotHas<T, U> = not<Has<T, U>>;
/** Whether `T` can be null or undefined. */
export type IsNullable<T> = not<IsNever<Extract<T, null | undefined>>>;
/** Whether `T` is `any`. */
export type IsAny<T> = 0 extends 1 & T ? true : false;
/** Whether `T` is `never`. */
export type IsNever<T> = [T] extends [never] ? true : false;
/** Whether `T` is `unknown`. */
export type IsUnknown<T> = IsAny<T> extends true ? false : unknown extends T ? true : false;

type not<T extends boolean> = T extends true ? false : true;

/** Compiles if the type argument is the given literal. */
export function assertType<T extends boolean>(_expectTrue: T): void {}
