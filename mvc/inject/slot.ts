/**
 * The place of a value that takes time, has failed, or is `undefined`.
 *
 * @module
 */

/** What a value belongs to: a registered dependency. */
export interface SlotOwner {
  /** True when every request has a value of its own. */
  readonly isPerRequest: boolean;
  /** What it is called in error messages. */
  label(): string;
}

/** A value on its way, there, or never to come. */
export class Slot {
  readonly owner: SlotOwner;
  state: "pending" | "ready" | "failed" = "pending";
  /** The value, or what was thrown. */
  value: unknown = undefined;
  /** Settles with the value. */
  promise: PromiseLike<unknown> | undefined = undefined;
  /** True when the value came as a promise. */
  isLate = false;
  /** What has to be there first: by this a circle is found. */
  waitsFor: Slot | undefined = undefined;
  /** True while what creates the value runs. */
  isRunning = false;

  constructor(owner: SlotOwner) {
    this.owner = owner;
  }

  /** Keeps the value. */
  fulfil(value: unknown): void {
    this.state = "ready";
    this.value = value;
  }

  /** Keeps what was thrown. */
  fail(thrown: unknown): void {
    this.state = "failed";
    this.value = thrown;
  }
}
