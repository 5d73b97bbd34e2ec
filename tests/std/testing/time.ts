// The members of the real FakeTime, implemented with the npm library that fakes the clock.
import { type Clock, install } from "npm:@sinonjs/fake-timers@^15.4.0";

const realSetTimeout = globalThis.setTimeout;

/** A clock that stands still until it is advanced. At the end of a `using` block, the real clock is restored. */
export class FakeTime {
  #clock: Clock;
  #start: number;

  constructor(start?: number | string | Date | null) {
    this.#start = start === undefined || start === null ? Date.now() : new Date(start).valueOf();
    this.#clock = install({
      now: this.#start,
      toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"],
    });
  }

  get now(): number {
    return this.#clock.now;
  }

  set now(value: number) {
    this.#clock.tick(value - this.#clock.now);
  }

  get start(): number {
    return this.#start;
  }

  async delay(ms: number): Promise<void> {
    await new Promise<void>((done) => realSetTimeout(done, ms));
  }

  async runMicrotasks(): Promise<void> {
    await this.delay(0);
  }

  tick(ms = 0): void {
    this.#clock.tick(ms);
  }

  async tickAsync(ms = 0): Promise<void> {
    await this.#clock.tickAsync(ms);
  }

  next(): boolean {
    return this.#clock.countTimers() > 0 && this.#clock.next() >= 0;
  }

  async nextAsync(): Promise<boolean> {
    await this.runMicrotasks();
    return this.next();
  }

  runAll(): void {
    this.#clock.runAll();
  }

  async runAllAsync(): Promise<void> {
    await this.#clock.runAllAsync();
  }

  restore(): void {
    this.#clock.uninstall();
  }

  [Symbol.dispose](): void {
    this.restore();
  }
}
