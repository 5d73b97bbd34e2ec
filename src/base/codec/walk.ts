/**
 * Converts values to plain JSON values, and refuses values that would change.
 *
 * @module
 */

import { type Entrance, kindOf, refusal } from "./refusal.ts";

/** The maximum depth of a value. Deeper values could overflow the stack of the process that reads them. */
const deepest = 500;

/** The rules of a JSON notation. Each method returns the converted value, or the walker's refusal. */
export interface Notation {
  /** Converts infinite numbers, NaN and -0. */
  number(value: number, walk: Walk): unknown;
  bigint(value: bigint): unknown;
  /** Converts `undefined` as a whole value or as an item. As a property, it is left out. */
  missing(walk: Walk): unknown;
  /** Converts an object that is neither an array nor an object literal. */
  instance(value: object, walk: Walk): unknown;
  /** Converts an object whose members have been converted, given its only member, if it has exactly one. */
  members(value: object, only: string | undefined): unknown;
  /** Checks an array or an object literal before its items or members are converted. */
  inspect?(value: object, walk: Walk): void;
  /** Whether an object's own `toJSON` method decides what is written. */
  readonly usesToJSON: boolean;
}

/** A walk through one value. */
export class Walk {
  readonly #notation: Notation;
  readonly #entrance: Entrance;
  readonly #path: PropertyKey[] = [];
  readonly #ancestors: object[] = [];

  constructor(notation: Notation, entrance: Entrance) {
    this.#notation = notation;
    this.#entrance = entrance;
  }

  /** Converts a value. Values that need no conversion are returned as they are, without being copied. */
  value(value: unknown): unknown {
    switch (typeof value) {
      case "string":
      case "boolean":
        return value;
      case "number":
        return Number.isFinite(value) && !Object.is(value, -0) ? value : this.#notation.number(value, this);
      case "bigint":
        return this.#notation.bigint(value);
      case "undefined":
        return this.#notation.missing(this);
      case "object":
        return value === null ? null : this.#object(value);
      default:
        return this.refuse(value);
    }
  }

  /** Throws the error for the current value. */
  refuse(value: unknown, reason = `is ${kindOf(value)}`): never {
    throw refusal(this.#entrance, this.#path, reason);
  }

  /** Converts the enumerable properties of an object. */
  members(value: object): object {
    let copy: Record<string, unknown> | undefined;
    let only: string | undefined;
    let count = 0;
    for (const name of Object.keys(value)) {
      const member = (value as Record<string, unknown>)[name];
      if (member === undefined) continue;
      only = count++ === 0 ? name : undefined;
      this.#path.push(name);
      const converted = this.value(member);
      this.#path.pop();
      if (converted === member) continue;
      // The copy has no prototype, so that a member named __proto__ gets no special treatment.
      copy ??= Object.assign(Object.create(null), value) as Record<string, unknown>;
      copy[name] = converted;
    }
    return this.#notation.members(copy ?? value, only) as object;
  }

  /** Converts the items of an array. */
  items(value: readonly unknown[]): readonly unknown[] {
    let copy: unknown[] | undefined;
    for (let at = 0; at < value.length; at++) {
      const item = value[at];
      if (item === undefined && !(at in value)) this.refuse(value, "is an array with holes");
      this.#path.push(at);
      const converted = this.value(item);
      this.#path.pop();
      if (converted !== item) (copy ??= value.slice())[at] = converted;
    }
    return copy ?? value;
  }

  #object(value: object): unknown {
    if (this.#ancestors.includes(value)) this.refuse(value, "is a circular reference");
    if (this.#ancestors.length === deepest) this.refuse(value, `is nested more than ${deepest} levels deep`);
    this.#ancestors.push(value);
    const converted = this.#converted(value);
    this.#ancestors.pop();
    return converted;
  }

  #converted(value: object): unknown {
    const prototype: unknown = Object.getPrototypeOf(value);
    const isArray = prototype === Array.prototype;
    const isPlain = isArray || prototype === Object.prototype || prototype === null;
    if (!isPlain || (this.#notation.usesToJSON && hasToJSON(value))) return this.#notation.instance(value, this);
    this.#notation.inspect?.(value, this);
    return isArray ? this.items(value as unknown[]) : this.members(value);
  }
}

/** Reports whether an object decides itself how it is written as JSON. */
export function hasToJSON(value: object): value is { toJSON(): unknown } {
  return "toJSON" in value && typeof value.toJSON === "function";
}
