/**
 * The session interface for handlers.
 *
 * @module
 */
import { checkText } from "../../base/config/option_table.ts";
import { assertFunction } from "../../base/config/returned.ts";
import type { Storable } from "../../base/codec/storable.ts";
import { FrameworkError, type Parsed } from "../../base/errors/errors.ts";
import { messageOf } from "../../base/errors/to_error.ts";
import { bool, type Conversion, convert, convertOr, float64, int, int64 } from "../../base/text/convert.ts";
import { toJSON } from "../../base/text/json.ts";
import type { Key } from "../../core/exchange/values.ts";
import { StoreGuard } from "../store/store_guard.ts";
import { settingsOf } from "./config.ts";
import { SessionState } from "./state.ts";
import { decode, encode } from "./value.ts";

// The first character of a slot name is its kind. An immutable value has its own slot, so that it takes precedence over
// a plain value with the same name even if two requests set them at the same time.
const plain = ".";
const immutable = "!";
const flash = "~";

/** Creates a session for a state. */
export let newSession: (state: SessionState) => Session;
/** Lets a session continue with another state, so that handlers which hold the session see the new one. */
export let moveSession: (session: Session, state: SessionState) => void;

/**
 * The data shared by a visitor's requests, as key-value pairs in the manager's store.
 *
 * The values are loaded when the session starts. Changes are visible to this request immediately and written before the
 * response is sent. Only changed keys are written, so concurrent requests do not overwrite each other's changes.
 * Reading a value returns a copy. To change the value, set it again. Values can be of all kinds that fw stores: JSON,
 * bigint, Date, URL, RegExp, bytes, Map, Set, errors and Temporal. `Set` throws if a part of a value cannot be
 * restored, such as a function or an instance of a class.
 *
 * Sessions are created by {@linkcode Sessions.Start}. A session created with `new` does not belong to a visitor and is
 * never written, which is useful for testing handlers.
 *
 * @example Read and write session values
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
   * Returns the session ID.
   *
   * @returns The value of the session cookie. It changes with `Regenerate`.
   *
   * @example `session.ID();`
   */
  ID(): string {
    return this.#own().id;
  }

  /**
   * Returns the remaining lifetime of the session at the time of loading.
   *
   * @returns The time in milliseconds.
   *
   * @example `session.Remaining(); // → 3600000, an hour`
   */
  Remaining(): number {
    return this.#own().remaining;
  }

  /**
   * Reports whether the session was created by this request.
   *
   * @returns `true` if the request sent no session ID that the store knows.
   *
   * @example `if (session.IsNew()) session.Set("first", "/teas");`
   */
  IsNew(): boolean {
    return this.#own().isNew;
  }

  /**
   * Returns a value.
   *
   * @param key The key.
   * @returns A copy of the value, or `undefined` if there is none.
   *
   * @example `const cart = session.Get("cart");`
   */
  Get<T>(key: Key<T>): T | undefined;
  /** Returns a value by its name. */
  Get(key: string): unknown;
  Get(key: AnyKey): unknown {
    return valueOf(this.#own(), nameOf(key));
  }

  /**
   * Returns a value, or a default value if there is none.
   *
   * @param key The key.
   * @param def The default value.
   * @returns A copy of the value, or the default value.
   *
   * @example `const cart = session.GetDefault("cart", []);`
   */
  GetDefault<T>(key: Key<T>, def: T): T;
  /** Returns a value by its name, or a default value if there is none. */
  GetDefault(key: string, def: unknown): unknown;
  GetDefault(key: AnyKey, def: unknown): unknown {
    return valueOf(this.#own(), nameOf(key)) ?? def;
  }

  /**
   * Returns a value as a string. Numbers are converted.
   *
   * @param key The key.
   * @returns The string, or an empty string if there is none.
   *
   * @example `const name = session.GetString("name");`
   */
  GetString(key: string): string {
    return this.GetStringDefault(key, "");
  }

  /**
   * Returns a value as a string, or a default value if there is none. Numbers are converted.
   *
   * @param key The key.
   * @param def The default value.
   * @returns The string, or the default value.
   *
   * @example `const theme = session.GetStringDefault("theme", "light");`
   */
  GetStringDefault(key: string, def: string): string {
    return textOf(this.Get(key)) ?? def;
  }

  /**
   * Returns a value as an integer. Strings of digits are converted.
   *
   * @param key The key.
   * @returns The integer and `null`, or `-1` and an error.
   *
   * @example `const [visits, error] = session.GetInt("visits");`
   */
  GetInt(key: string): Parsed<number> {
    return this.#read(int, key);
  }

  /**
   * Returns a value as an integer, or a default value if there is none. Strings of digits are converted.
   *
   * @param key The key.
   * @param def The default value.
   * @returns The integer, or the default value.
   *
   * @example `const visits = session.GetIntDefault("visits", 0);`
   */
  GetIntDefault(key: string, def: number): number {
    return convertOr(int, shownText(this.Get(key)), def);
  }

  /**
   * Returns a value as a 64-bit integer. Strings of digits are converted.
   *
   * @param key The key.
   * @returns The integer and `null`, or `-1n` and an error.
   *
   * @example `const [id, error] = session.GetInt64("id");`
   */
  GetInt64(key: string): Parsed<bigint> {
    return this.#read(int64, key);
  }

  /**
   * Returns a value as a 64-bit integer, or a default value if there is none. Strings of digits are converted.
   *
   * @param key The key.
   * @param def The default value.
   * @returns The integer, or the default value.
   *
   * @example `const id = session.GetInt64Default("id", 0n);`
   */
  GetInt64Default(key: string, def: bigint): bigint {
    return convertOr(int64, shownText(this.Get(key)), def);
  }

  /**
   * Returns a value as a number. Numeric strings are converted.
   *
   * @param key The key.
   * @returns The number and `null`, or `-1` and an error.
   *
   * @example `const [price, error] = session.GetFloat64("price");`
   */
  GetFloat64(key: string): Parsed<number> {
    return this.#read(float64, key);
  }

  /**
   * Returns a value as a number, or a default value if there is none. Numeric strings are converted.
   *
   * @param key The key.
   * @param def The default value.
   * @returns The number, or the default value.
   *
   * @example `const price = session.GetFloat64Default("price", 9.5);`
   */
  GetFloat64Default(key: string, def: number): number {
    return convertOr(float64, shownText(this.Get(key)), def);
  }

  /**
   * Returns a value as a boolean. 0, 1, `"true"` and `"false"` are converted.
   *
   * @param key The key.
   * @returns The boolean and `null`, or `false` and an error.
   *
   * @example `const [agreed, error] = session.GetBool("agreed");`
   */
  GetBool(key: string): Parsed<boolean> {
    return this.#read(bool, key);
  }

  /**
   * Returns a value as a boolean, or a default value if there is none. 0, 1, `"true"` and `"false"` are converted.
   *
   * @param key The key.
   * @param def The default value.
   * @returns The boolean, or the default value.
   *
   * @example `const agreed = session.GetBoolDefault("agreed", false);`
   */
  GetBoolDefault(key: string, def: boolean): boolean {
    return convertOr(bool, shownText(this.Get(key)), def);
  }

  /**
   * Stores a value.
   *
   * @param key The key.
   * @param value The value, of a kind that fw stores. An object with methods does not compile.
   * @returns `false` if the key holds an immutable value, which is not changed.
   * @throws {FrameworkError} If the value cannot be stored.
   *
   * @example `session.Set("name", "Ada");`
   */
  Set<T>(key: Key<T>, value: T & Storable<T>): boolean;
  /** Stores a value under a name. */
  Set<T>(key: string, value: T & Storable<T>): boolean;
  Set(key: AnyKey, value: unknown): boolean {
    return setValue(this.#own(), nameOf(key), value);
  }

  /**
   * Stores a value that `Set` and `Increment` cannot change. `SetImmutable`, `Delete` and `Clear` still can.
   *
   * @param key The key.
   * @param value The value, as for `Set`.
   *
   * @example `session.SetImmutable("tenant", "berlin");`
   */
  SetImmutable<T>(key: Key<T>, value: T & Storable<T>): void;
  /** Stores an immutable value under a name. */
  SetImmutable<T>(key: string, value: T & Storable<T>): void;
  SetImmutable(key: AnyKey, value: unknown): void {
    this.#own().changes.write(immutable + nameOf(key), encode(nameOf(key), value));
  }

  /**
   * Deletes a value.
   *
   * @param key The key.
   * @returns Whether the value existed.
   *
   * @example `session.Delete("cart");`
   */
  Delete(key: AnyKey): boolean {
    return removeValue(this.#own(), nameOf(key));
  }

  /**
   * Deletes all values. Flash messages are kept.
   *
   * @example `session.Clear();`
   */
  Clear(): void {
    for (const key of keysOf(this.#own())) removeValue(this.#own(), key);
  }

  /**
   * Returns the number of values.
   *
   * @returns The number of keys with a value, not including flash messages.
   *
   * @example `session.Len(); // → 2`
   */
  Len(): number {
    return keysOf(this.#own()).length;
  }

  /**
   * Returns all values.
   *
   * @returns A copy of the values by key, as an object without a prototype.
   *
   * @example `Object.keys(session.GetAll()); // → ["name", "cart"]`
   */
  GetAll(): Record<string, unknown> {
    const all: Record<string, unknown> = Object.create(null);
    this.Visit((key, value) => all[key] = value);
    return all;
  }

  /**
   * Calls a function for each value.
   *
   * @param visitor The callback, which receives each key and a copy of its value.
   *
   * @example `session.Visit((key, value) => console.log(key, value));`
   */
  Visit(visitor: (key: string, value: unknown) => void): void {
    assertFunction(visitor, "the visitor of Visit");
    for (const key of keysOf(this.#own())) visitor(key, valueOf(this.#own(), key));
  }

  /**
   * Increments a number. The store applies the increments of concurrent requests, so none of them are lost. The result
   * contains only the loaded number and this request's increments, so concurrent requests may get the same result.
   *
   * @param key The key. A missing value or a value that is not a number is treated as 0.
   * @param n The integer to add.
   * @returns The sum, or the unchanged number if it is immutable.
   * @throws {FrameworkError} If `n` is not an integer.
   *
   * @example `session.Increment("visits"); // → 1`
   */
  Increment(key: string, n = 1): number {
    return addTo(this.#own(), nameOf(key), n, 1);
  }

  /**
   * Decrements a number. See {@linkcode Increment}.
   *
   * @param key The key.
   * @param n The integer to subtract.
   * @returns The difference.
   *
   * @example `session.Decrement("credits", 5);`
   */
  Decrement(key: string, n = 1): number {
    return addTo(this.#own(), nameOf(key), n, -1);
  }

  /**
   * Gives the session a new ID. Call it after every login, so that a client that knew the old ID cannot use the
   * session. The data is kept and the lifetime restarts. The new ID is written together with the request's other
   * changes.
   *
   * @returns The new ID.
   *
   * @example `session.Regenerate(); // after a login`
   */
  Regenerate(): string {
    return this.#own().rename();
  }

  /**
   * Destroys the session. Its data and its cookie are removed when the response is sent.
   *
   * @example `session.Destroy(); // at a logout`
   */
  Destroy(): void {
    this.#own().destroy();
  }

  /**
   * Stores a flash message, which can be read only once.
   *
   * @param key The key. Flash messages and values have separate keys.
   * @param value The message, as for `Set`.
   *
   * @example `session.SetFlash("notice", "The note was saved");`
   */
  SetFlash<T>(key: string, value: T & Storable<T>): void {
    this.#own().changes.write(flash + nameOf(key), encode(key, value));
  }

  /**
   * Removes and returns a flash message. If several requests are concurrent, only one of them gets the message.
   *
   * @param key The key.
   * @returns The message, or `undefined` if there is none.
   *
   * @example `const notice = await session.GetFlash("notice");`
   */
  async GetFlash(key: string): Promise<unknown> {
    const text = await this.#own().take(flash + nameOf(key));
    return text === undefined ? undefined : parsed(key, text);
  }

  /**
   * Returns a flash message without removing it.
   *
   * @param key The key.
   * @returns The message, or `undefined` if there is none.
   *
   * @example `const notice = session.PeekFlash("notice");`
   */
  PeekFlash(key: string): unknown {
    const text = this.#own().changes.read(flash + nameOf(key));
    return text === undefined ? undefined : parsed(key, text);
  }

  /**
   * Returns all flash messages without removing them.
   *
   * @returns The messages by key.
   *
   * @example `Object.keys(session.PeekFlashes());`
   */
  PeekFlashes(): Record<string, unknown> {
    const found: Record<string, unknown> = Object.create(null);
    for (const slot of this.#own().changes.names(flash)) {
      const key = slot.slice(flash.length);
      found[key] = this.PeekFlash(key);
    }
    return found;
  }

  /**
   * Removes and returns all flash messages.
   *
   * @returns The messages by key.
   *
   * @example `const all = await session.GetFlashes();`
   */
  async GetFlashes(): Promise<Record<string, unknown>> {
    const found: Record<string, unknown> = Object.create(null);
    for (const slot of [...this.#own().changes.names(flash)]) {
      const key = slot.slice(flash.length);
      const value = await this.GetFlash(key);
      if (value !== undefined) found[key] = value;
    }
    return found;
  }

  /**
   * Removes all flash messages.
   *
   * @example `session.ClearFlashes();`
   */
  ClearFlashes(): void {
    const { changes } = this.#own();
    for (const slot of [...changes.names(flash)]) changes.remove(slot);
  }

  /**
   * Reports whether there is a flash message.
   *
   * @param key The key. If omitted, any message matches.
   * @returns Whether there is a message.
   *
   * @example `if (session.HasFlash("notice")) session.PeekFlash("notice");`
   */
  HasFlash(key?: string): boolean {
    const { changes } = this.#own();
    return key === undefined ? !changes.names(flash).next().done : changes.has(flash + nameOf(key));
  }

  #read<T>(conversion: Conversion<T>, key: string): Parsed<T> {
    return convert(conversion, shownText(this.Get(key)), { kind: "session value", name: key });
  }

  #own(): SessionState {
    const state = this.#state ??= new SessionState(
      { settings: settingsOf({}), guard: new StoreGuard("session store", "FW_SESSION") },
      undefined,
      "",
      null,
    );
    state.isUsed = true;
    return state;
  }

  static {
    newSession = (state) => {
      const session = new Session();
      session.#state = state;
      return session;
    };
    moveSession = (session, state) => session.#state = state;
  }
}

/** The key of a session value. This is a name or a typed key, whose name is stored. */
export type AnyKey = string | Key<unknown>;

function nameOf(key: AnyKey): string {
  // Databases store UTF-8, so values whose names contain a lone surrogate would not be found again.
  if (typeof key === "string") return key.toWellFormed();
  const name = key?.Name;
  checkText(name, "key", "the session");
  return name.toWellFormed();
}

function valueOf(state: SessionState, key: string): unknown {
  const text = state.changes.read(immutable + key) ?? state.changes.read(plain + key);
  return text === undefined ? undefined : parsed(key, text);
}

/** Parses a stored value. Its text may have been damaged, or written by a newer version of fw. */
function parsed(key: string, text: string): unknown {
  try {
    return decode(text);
  } catch (cause) {
    throw new FrameworkError("FW_SESSION", `Cannot read "${key}" from the session: ${messageOf(cause)}`, { cause });
  }
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

function addTo(state: SessionState, key: string, n: number, sign: 1 | -1): number {
  if (!Number.isSafeInteger(n)) {
    throw new FrameworkError("FW_SESSION", `Cannot increment "${key}" by "${String(n)}": it must be an integer`);
  }
  const fixed = state.changes.read(immutable + key);
  return fixed === undefined
    ? state.changes.add(plain + key, n * sign)
    : convertOr(float64, shownText(parsed(key, fixed)), 0);
}

function keysOf(state: SessionState): string[] {
  const keys = new Set<string>();
  for (const prefix of [immutable, plain]) {
    for (const slot of state.changes.names(prefix)) keys.add(slot.slice(1));
  }
  return [...keys];
}

/** Returns a string, or a number as a string. */
function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "bigint" ? String(value) : undefined;
}

/**
 * Returns the string to convert or to show in a message. Values other than strings and numbers are formatted as JSON.
 */
function shownText(value: unknown): string | undefined {
  return value === undefined ? undefined : textOf(value) ?? toJSON(value);
}
