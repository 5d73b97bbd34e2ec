/**
 * The session that handlers see.
 *
 * @module
 */
import { bool, type Conversion, convert, convertOr, float64, int, int64 } from "../base/convert.ts";
import { FrameworkError, type Parsed } from "../base/errors.ts";
import { toJSON } from "../base/json.ts";
import type { Key } from "../context/values.ts";
import { StoreGuard } from "../store/store_guard.ts";
import { settingsOf } from "./config.ts";
import { SessionState } from "./state.ts";
import { decode, encode } from "./value.ts";

// What a slot holds is told by its first character. An immutable value has a slot of its own, so that it wins against
// a plain one of its name also when two requests set them at the same time.
const plain = ".";
const immutable = "!";
const flash = "~";

/** Creates the session that shows a state. */
export let newSession: (state: SessionState) => Session;

/**
 * What a visitor's requests share: values by key, kept by the manager's store.
 *
 * The values are loaded when the session is started. Changes are seen at once by this request and written before its
 * response is sent, only the changed keys, so that parallel requests lose nothing. A value that was read is a copy: set
 * it again to change it. Values are JSON, and also bigint and Date; what cannot be kept is refused by `Set`.
 *
 * Sessions are created by {@linkcode Sessions.Start}; one created with `new` belongs to no visitor and is never
 * written, which is what tests of handlers want.
 *
 * @example Values of a session
 * ```ts
 * import * as sessions from "@fw/web/sessions";
 *
 * const session = new sessions.Session();
 * session.Set("cart", ["tea", "milk"]);
 * session.Get("cart"); // → ["tea", "milk"]
 * session.Increment("visits"); // → 1
 * ```
 */
export class Session {
  #state: SessionState | undefined = undefined;

  /**
   * The id.
   *
   * @returns What the cookie holds; it changes with `Regenerate`.
   */
  ID(): string {
    return this.#own().id;
  }

  /**
   * Returns how long the session lasted when it was loaded, if no further request renews it.
   *
   * @returns The time in milliseconds.
   */
  Remaining(): number {
    return this.#own().remaining;
  }

  /**
   * Reports whether the session begins with this request.
   *
   * @returns True when the request brought no id that the store knows.
   */
  IsNew(): boolean {
    return this.#own().isNew;
  }

  /**
   * Reads a value.
   *
   * @param key Its key.
   * @returns A copy of the value, or `undefined` when there is none.
   */
  Get<T>(key: Key<T>): T | undefined;
  /** Reads a value by its name. */
  Get(key: string): unknown;
  Get(key: AnyKey): unknown {
    return valueOf(this.#own(), nameOf(key));
  }

  /**
   * Reads a value, with another in its place when there is none.
   *
   * @param key Its key.
   * @param def What is returned when there is no value.
   * @returns A copy of the value, or the default.
   */
  GetDefault<T>(key: Key<T>, def: T): T;
  /** Reads a value by its name, with another in its place when there is none. */
  GetDefault(key: string, def: unknown): unknown;
  GetDefault(key: AnyKey, def: unknown): unknown {
    return valueOf(this.#own(), nameOf(key)) ?? def;
  }

  /**
   * Reads a text, or a number as text.
   *
   * @param key Its key.
   * @returns The text, or the empty one when there is none.
   */
  GetString(key: string): string {
    return this.GetStringDefault(key, "");
  }

  /**
   * Reads a text, or a number as text.
   *
   * @param key Its key.
   * @param def What is returned when there is no text.
   * @returns The text, or the default.
   */
  GetStringDefault(key: string, def: string): string {
    return textOf(this.Get(key)) ?? def;
  }

  /**
   * Reads an integer, or the digits of one.
   *
   * @param key Its key.
   * @returns The integer and no error, or `-1` and an error.
   */
  GetInt(key: string): Parsed<number> {
    return this.#read(int, key);
  }

  /**
   * Reads an integer, or the digits of one.
   *
   * @param key Its key.
   * @param def What is returned when there is no integer.
   * @returns The integer, or the default.
   */
  GetIntDefault(key: string, def: number): number {
    return convertOr(int, shownText(this.Get(key)), def);
  }

  /**
   * Reads an integer of 64 bits, or the digits of one.
   *
   * @param key Its key.
   * @returns The integer and no error, or `-1n` and an error.
   */
  GetInt64(key: string): Parsed<bigint> {
    return this.#read(int64, key);
  }

  /**
   * Reads an integer of 64 bits, or the digits of one.
   *
   * @param key Its key.
   * @param def What is returned when there is no integer.
   * @returns The integer, or the default.
   */
  GetInt64Default(key: string, def: bigint): bigint {
    return convertOr(int64, shownText(this.Get(key)), def);
  }

  /**
   * Reads a number, or the digits of one.
   *
   * @param key Its key.
   * @returns The number and no error, or `-1` and an error.
   */
  GetFloat64(key: string): Parsed<number> {
    return this.#read(float64, key);
  }

  /**
   * Reads a number, or the digits of one.
   *
   * @param key Its key.
   * @param def What is returned when there is no number.
   * @returns The number, or the default.
   */
  GetFloat64Default(key: string, def: number): number {
    return convertOr(float64, shownText(this.Get(key)), def);
  }

  /**
   * Reads a boolean; 0, 1, `"true"` and `"false"` count as such.
   *
   * @param key Its key.
   * @returns The boolean and no error, or false and an error.
   */
  GetBool(key: string): Parsed<boolean> {
    return this.#read(bool, key);
  }

  /**
   * Reads a boolean; 0, 1, `"true"` and `"false"` count as such.
   *
   * @param key Its key.
   * @param def What is returned when there is no boolean.
   * @returns The boolean, or the default.
   */
  GetBoolDefault(key: string, def: boolean): boolean {
    return convertOr(bool, shownText(this.Get(key)), def);
  }

  /**
   * Keeps a value.
   *
   * @param key Its key.
   * @param value The value: what JSON can write, a bigint, a Date, and lists and objects of these.
   * @returns False, with nothing done, when the key holds an immutable value.
   */
  Set<T>(key: Key<T>, value: T): boolean;
  /** Keeps a value under a name. */
  Set(key: string, value: unknown): boolean;
  Set(key: AnyKey, value: unknown): boolean {
    return setValue(this.#own(), nameOf(key), value);
  }

  /**
   * Keeps a value that `Set` and `Increment` cannot change; `SetImmutable`, `Delete` and `Clear` can.
   *
   * @param key Its key.
   * @param value The value, as for `Set`.
   */
  SetImmutable<T>(key: Key<T>, value: T): void;
  /** Keeps a value that does not change under a name. */
  SetImmutable(key: string, value: unknown): void;
  SetImmutable(key: AnyKey, value: unknown): void {
    this.#own().changes.write(immutable + nameOf(key), encode(nameOf(key), value));
  }

  /**
   * Removes a value.
   *
   * @param key Its key.
   * @returns True when there was one.
   */
  Delete(key: AnyKey): boolean {
    return removeValue(this.#own(), nameOf(key));
  }

  /**
   * Removes all values that this request sees; flash messages stay.
   */
  Clear(): void {
    for (const key of keysOf(this.#own())) removeValue(this.#own(), key);
  }

  /**
   * Counts the values.
   *
   * @returns How many keys have one; flash messages do not count.
   */
  Len(): number {
    return keysOf(this.#own()).length;
  }

  /**
   * Reads all values.
   *
   * @returns An object without prototype, key to value, that is a copy.
   */
  GetAll(): Record<string, unknown> {
    const all: Record<string, unknown> = Object.create(null);
    this.Visit((key, value) => all[key] = value);
    return all;
  }

  /**
   * Shows all values, one by one.
   *
   * @param visitor What is called with each key and a copy of its value.
   */
  Visit(visitor: (key: string, value: unknown) => void): void {
    for (const key of keysOf(this.#own())) visitor(key, valueOf(this.#own(), key));
  }

  /**
   * Adds to a number. The store adds all that parallel requests add: none is lost. The result is what this request
   * sees, the number loaded and its own additions, so that parallel requests may get the same.
   *
   * @param key The key; no value, or one that is not a number, counts as zero.
   * @param n What to add, a whole number.
   * @returns The sum, or the number as it was if it is immutable.
   */
  Increment(key: string, n = 1): number {
    return addTo(this.#own(), key, n);
  }

  /**
   * Subtracts from a number, as `Increment` adds.
   *
   * @param key The key.
   * @param n What to subtract, a whole number.
   * @returns The difference.
   */
  Decrement(key: string, n = 1): number {
    return addTo(this.#own(), key, -n);
  }

  /**
   * Gives the session a new id, at every login: a client that knew the old one is left with nothing. The data stays,
   * the lifetime starts anew, and all of it is written together with the request's other changes.
   *
   * @returns The new id.
   */
  Regenerate(): string {
    return this.#own().rename();
  }

  /**
   * Ends the session: its data and its cookie are gone when the response is sent.
   */
  Destroy(): void {
    this.#own().destroy();
  }

  /**
   * Leaves a message for the next request that takes it.
   *
   * @param key Its key, apart from the keys of values.
   * @param value The message, as for `Set`.
   */
  SetFlash(key: string, value: unknown): void {
    this.#own().changes.write(flash + key, encode(key, value));
  }

  /**
   * Takes a message: of all requests that try, also at the same time, one gets it.
   *
   * @param key Its key.
   * @returns The message, or `undefined`.
   */
  async GetFlash(key: string): Promise<unknown> {
    const text = await this.#own().take(flash + key);
    return text === undefined ? undefined : decode(text);
  }

  /**
   * Reads a message and leaves it there.
   *
   * @param key Its key.
   * @returns The message, or `undefined`.
   */
  PeekFlash(key: string): unknown {
    const text = this.#own().changes.read(flash + key);
    return text === undefined ? undefined : decode(text);
  }

  /**
   * Reports whether there is a message.
   *
   * @param key Its key; left out, any message counts.
   * @returns True when there is.
   */
  HasFlash(key?: string): boolean {
    const { changes } = this.#own();
    return key === undefined ? !changes.names(flash).next().done : changes.has(flash + key);
  }

  #read<T>(conversion: Conversion<T>, key: string): Parsed<T> {
    return convert(conversion, shownText(this.Get(key)), { kind: "session value", name: key });
  }

  #own(): SessionState {
    return this.#state ??= new SessionState(
      { settings: settingsOf({}), guard: new StoreGuard("session store", "FW_SESSION"), log: undefined },
      "",
      null,
    );
  }

  static {
    newSession = (state) => {
      const session = new Session();
      session.#state = state;
      return session;
    };
  }
}

/** A key of a session's value: a name, or a typed key, of which only the name is kept. */
export type AnyKey = string | Key<unknown>;

function nameOf(key: AnyKey): string {
  return typeof key === "string" ? key : key.Name;
}

function valueOf(state: SessionState, key: string): unknown {
  const text = state.changes.read(immutable + key) ?? state.changes.read(plain + key);
  return text === undefined ? undefined : decode(text);
}

function setValue(state: SessionState, key: string, value: unknown): boolean {
  const text = encode(key, value);
  if (state.changes.has(immutable + key)) return false;
  state.changes.write(plain + key, text);
  return true;
}

function removeValue(state: SessionState, key: string): boolean {
  const had = state.changes.remove(immutable + key);
  return state.changes.remove(plain + key) || had;
}

function addTo(state: SessionState, key: string, n: number): number {
  if (!Number.isSafeInteger(n)) {
    throw new FrameworkError("FW_SESSION", `Cannot increment "${key}" by "${n}": it is not a whole number`);
  }
  const fixed = state.changes.read(immutable + key);
  return fixed === undefined ? state.changes.add(plain + key, n) : convertOr(float64, shownText(decode(fixed)), 0);
}

function keysOf(state: SessionState): string[] {
  const keys = new Set<string>();
  for (const prefix of [immutable, plain]) {
    for (const slot of state.changes.names(prefix)) keys.add(slot.slice(1));
  }
  return [...keys];
}

/** A text, or a number as text. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "bigint" ? String(value) : undefined;
}

/** A value as the text that is converted, and that a message shows: what is neither text nor number is JSON. */
function shownText(value: unknown): string | undefined {
  return value === undefined ? undefined : textOf(value) ?? toJSON(value);
}
