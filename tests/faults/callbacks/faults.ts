/**
 * The ways in which a callback of an application can fail.
 *
 * @module
 */

/** The names of all faults. Those after `never` are values that no callback can mean. */
export const faultNames = [
  "throws",
  "rejects",
  "never",
  "NaN",
  "Infinity",
  "1e20",
  "-1",
  "null",
  "object",
  "symbol",
] as const;

/** The name of a fault. */
export type FaultName = typeof faultNames[number];

/** A string that must not reach a client. */
export const secret = "the-secret-of-the-callback";

const values: Readonly<Partial<Record<FaultName, unknown>>> = {
  NaN: NaN,
  Infinity: Infinity,
  "1e20": 1e20,
  "-1": -1,
  null: null,
  object: Object.freeze({ nonsense: secret }),
  symbol: Symbol(secret),
};

/** A callback that fails in one way. */
export class Fault {
  readonly name: FaultName;
  /** The number of calls. */
  calls = 0;
  readonly #called: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(name: FaultName) {
    this.name = name;
  }

  /** Resolves when the callback is called for the first time. */
  get called(): Promise<void> {
    return this.#called.promise;
  }

  /** The callback, of any type. */
  // deno-lint-ignore no-explicit-any -- the callback returns values that its type does not allow
  readonly fn = (..._args: any[]): any => {
    this.calls++;
    this.#called.resolve();
    if (this.name === "throws") throw new Error(secret);
    if (this.name === "rejects") return Promise.reject(new Error(secret));
    if (this.name === "never") return new Promise(() => {});
    return values[this.name];
  };
}
