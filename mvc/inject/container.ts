/**
 * The dependencies of an application or of one controller, in the order of their registration.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors.ts";
import { Context } from "../../src/context/context.ts";
import { isClass } from "../reflect/class.ts";
import { Binding, type Home, toBinding } from "./binding.ts";
import { Lifetimes } from "./lifetimes.ts";
import { Provide, termsOf } from "./provision.ts";
import { labelOf } from "./token.ts";

/** What every request has. */
const nowhere: Home = { lifetimes: new Lifetimes(), lookup: () => undefined, undecided: () => [] };
const builtins: ReadonlyMap<unknown, Binding> = new Map<unknown, Binding>([
  [Context, new Binding(nowhere, termsOf(Provide(Context, (ctx: Context) => ctx)), true)],
  [Request, new Binding(nowhere, termsOf(Provide(Request, (ctx: Context) => ctx.Request())), true)],
]);

/** Registered dependencies: the last registered is found first, then those of the container below. */
export class Container implements Home {
  /** Whose they are, for error messages. */
  readonly owner: string;
  readonly lifetimes: Lifetimes;
  readonly #base: Container | undefined;
  readonly #entries: Binding[] = [];
  readonly #removed = new Set<unknown>();
  /** What was looked up while serving, when nothing can be registered any more. */
  readonly #known = new Map<unknown, Binding>();

  /**
   * Creates a container.
   *
   * @param owner Whose it is.
   * @param below The container below, or the lifetimes that the first one of an application begins with.
   */
  constructor(owner: string, below: Container | Lifetimes) {
    this.owner = owner;
    this.lifetimes = below instanceof Container ? below.lifetimes : below;
    this.#base = below instanceof Container ? below : undefined;
  }

  /** Registers dependencies. */
  add(...dependencies: readonly unknown[]): void {
    for (const dependency of dependencies) this.#entries.push(toBinding(this, dependency));
  }

  /** Hides what a token asks for, here and below; reports whether there was anything. */
  remove(token: unknown): boolean {
    const had = this.find(token) !== undefined;
    for (let i = this.#entries.length - 1; i >= 0; i--) {
      if (this.#entries[i]?.answers(token)) this.#entries.splice(i, 1);
    }
    this.#removed.add(token);
    return had;
  }

  /** Finds what a token asks for, if it is registered. */
  find(token: unknown): Binding | undefined {
    const own = this.#entries.findLast((entry) => entry.answers(token));
    if (own !== undefined || this.#removed.has(token)) return own;
    return this.#base === undefined ? builtins.get(token) : this.#base.find(token);
  }

  lookup(token: unknown): Binding | undefined {
    const known = this.#known.get(token);
    if (known !== undefined) return known;
    const found = this.find(token);
    if (found !== undefined) this.#known.set(token, found);
    else if (!isClass(token) || this.undecided().length === 0) throw this.missing(token);
    return found;
  }

  undecided(): Binding[] {
    const own = this.#entries.filter((entry) => entry.token === undefined && !entry.isPerRequest && !entry.isReady);
    return [...own, ...this.#base?.undecided() ?? []];
  }

  /** The error about a token that nothing is registered for. */
  missing(token: unknown): FrameworkError {
    return new FrameworkError(
      "FW_DEPENDENCY",
      `Cannot find the dependency "${labelOf(token)}" of "${this.owner}": ${this.describe()}`,
    );
  }

  /** Lists what is registered. */
  describe(): string {
    const labels = [...new Set(this.#labels())].map((label) => `"${label}"`);
    return labels.length === 0 ? "nothing is registered" : `registered are ${labels.join(", ")}`;
  }

  /** Creates a container with the same dependencies, to which others are added independently. */
  copy(owner: string): Container {
    const copy = new Container(owner, this.#base ?? this.lifetimes);
    copy.#entries.push(...this.#entries);
    for (const token of this.#removed) copy.#removed.add(token);
    return copy;
  }

  #labels(): string[] {
    return [...this.#entries.map((entry) => entry.label()), ...this.#base === undefined ? [] : this.#base.#labels()];
  }
}
