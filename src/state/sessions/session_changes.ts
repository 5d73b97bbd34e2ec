/**
 * Collects the changes that a request makes to a session before they are written.
 *
 * @module
 */
import { FrameworkError } from "../../base/errors/errors.ts";
import { type Changes, numberIn } from "./store.ts";

const none: ReadonlyMap<string, never> = new Map<string, never>();
const nothing: ReadonlySet<string> = new Set<string>();

/** The loaded slots and the changes since then. A slot is in at most one of the three collections. */
export class SessionChanges {
  readonly #slots: ReadonlyMap<string, string>;
  #set: Map<string, string> | undefined = undefined;
  #add: Map<string, number> | undefined = undefined;
  #deleted: Set<string> | undefined = undefined;
  #hidden: Set<string> | undefined = undefined;
  #seal = "";

  constructor(slots: ReadonlyMap<string, string>) {
    this.#slots = slots;
  }

  read(slot: string): string | undefined {
    const set = this.#set?.get(slot);
    if (set !== undefined) return set;
    if (this.#deleted?.has(slot) || this.#hidden?.has(slot)) return undefined;
    const text = this.#slots.get(slot);
    const added = this.#add?.get(slot);
    return added === undefined ? text : String(numberIn(text) + added);
  }

  has(slot: string): boolean {
    return this.read(slot) !== undefined;
  }

  /** Reports whether this request has set the slot. */
  owns(slot: string): boolean {
    return this.#set?.has(slot) ?? false;
  }

  write(slot: string, text: string): void {
    this.assertOpen();
    this.#add?.delete(slot);
    this.#deleted?.delete(slot);
    (this.#set ??= new Map()).set(slot, text);
  }

  /** Adds to a slot. If this request has set or deleted the slot, the sum is set instead. */
  add(slot: string, n: number): number {
    this.assertOpen();
    const sum = numberIn(this.read(slot)) + n;
    if (this.#set?.has(slot) || this.#deleted?.has(slot)) {
      this.write(slot, String(sum));
    } else {
      this.#add ??= new Map();
      this.#add.set(slot, (this.#add.get(slot) ?? 0) + n);
    }
    return sum;
  }

  /** Deletes a slot. Returns whether it existed. */
  remove(slot: string): boolean {
    this.assertOpen();
    const had = this.has(slot);
    this.#set?.delete(slot);
    this.#add?.delete(slot);
    if (this.#slots.has(slot)) (this.#deleted ??= new Set()).add(slot);
    return had;
  }

  /**
   * Hides a slot that the store has already removed. Deleting it again could remove a value that another request has
   * set in the meantime.
   */
  hide(slot: string): void {
    (this.#hidden ??= new Set()).add(slot);
  }

  /** Returns the names of all slots that have a value and start with a prefix. */
  *names(prefix: string): Generator<string> {
    for (const slot of this.#slots.keys()) {
      if (slot.startsWith(prefix) && this.has(slot)) yield slot;
    }
    for (const slot of [...this.#set?.keys() ?? [], ...this.#add?.keys() ?? []]) {
      if (slot.startsWith(prefix) && !this.#slots.has(slot)) yield slot;
    }
  }

  get isChanged(): boolean {
    return (this.#set?.size ?? 0) + (this.#add?.size ?? 0) + (this.#deleted?.size ?? 0) > 0;
  }

  collect(): Changes {
    return { Set: this.#set ?? none, Add: this.#add ?? none, Delete: this.#deleted ?? nothing };
  }

  /** Returns the slots set by this request, as the initial content of a new session. */
  ownSlots(): Map<string, string> {
    const own = new Map(this.#set);
    for (const [slot, n] of this.#add ?? none) own.set(slot, String(n));
    return own;
  }

  /** Makes every later change throw an error with the given reason. Otherwise, the change would be lost silently. */
  seal(state: string): void {
    this.#seal = state;
  }

  /** Reports whether the changes can still be extended. */
  get isOpen(): boolean {
    return this.#seal === "";
  }

  /** Throws if the changes are sealed. */
  assertOpen(): void {
    if (this.#seal !== "") throw new FrameworkError("FW_STATE", `Cannot change the session: ${this.#seal}`);
  }
}
