/**
 * The dependencies of an application or a controller, in order of registration.
 *
 * @module
 */

import type { ResultMiddleware } from "../../src/app/api_container.ts";
import { FrameworkError } from "../../src/errors/errors.ts";
import { Context } from "../../src/context/context.ts";
import { InputToken, isClass, labelOf, type Token } from "../reflect/token.ts";
import { Binding, type Home, toBinding } from "./binding.ts";
import { Lifetimes } from "./lifetimes.ts";
import { Provide, termsOf } from "./provision.ts";

/** Registered dependencies. The last one registered takes precedence, then those of the parent container. */
export class Container implements Home {
  /** The owner, for error messages. */
  readonly owner: string;
  readonly lifetimes: Lifetimes;
  readonly #base: Container | undefined;
  readonly #entries: Binding[] = [];
  /** The result handlers that are registered here. */
  readonly results: ResultMiddleware[] = [];
  // Created on first use: most containers need none of these, and each of hundreds of controllers has a container.
  #removed: Set<unknown> | undefined = undefined;
  /** The typed inputs that are injected in the web application. They need no registration. */
  #inputs: Map<unknown, Binding> | undefined = undefined;
  /** A cache of lookups while serving, when nothing more can be registered. */
  #known: Map<unknown, Binding> | undefined = undefined;

  /**
   * Creates a container.
   *
   * @param owner The owner.
   * @param below The parent container, or the lifetimes for the first container of an application.
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

  /** Hides the dependency for a token, here and in parent containers. Reports whether there was one. */
  remove(token: unknown): boolean {
    const had = this.find(token) !== undefined;
    for (let i = this.#entries.length - 1; i >= 0; i--) {
      if (this.#entries[i]?.provides(token)) this.#entries.splice(i, 1);
    }
    (this.#removed ??= new Set()).add(token);
    return had;
  }

  /** Finds the dependency for a token while others may still be registered. */
  find(token: unknown): Binding | undefined {
    const own = this.#entries.findLast((entry) => entry.provides(token));
    if (own !== undefined || this.#removed?.has(token)) return own;
    return this.#base === undefined ? builtin(token) ?? this.#inputs?.get(token) : this.#base.find(token);
  }

  lookup(token: unknown): Binding | undefined {
    const known = this.#known?.get(token);
    if (known !== undefined) return known;
    const found = this.find(token);
    if (found !== undefined) (this.#known ??= new Map()).set(token, found);
    return found;
  }

  undecided(token: unknown): readonly Binding[] {
    if (!isClass(token)) return [];
    const own = this.#entries.filter(({ token, lifetime, isReady }) =>
      token === undefined && lifetime === "singleton" && !isReady
    );
    return this.#base === undefined ? own : [...own, ...this.#base.undecided(token)];
  }

  missing(token: unknown): FrameworkError {
    return new FrameworkError(
      "FW_DEPENDENCY",
      `Cannot find the dependency "${labelOf(token)}" of "${this.owner}": ${this.describe()}`,
    );
  }

  /** Returns the result handlers that apply here, the outermost first. */
  allResults(): readonly ResultMiddleware[] {
    return this.#base === undefined ? this.results : [...this.#base.allResults(), ...this.results];
  }

  describe(): string {
    const labels = [...new Set(this.#labels())].map((label) => `"${label}"`);
    return labels.length === 0 ? "nothing is registered" : `the registered dependencies are ${labels.join(", ")}`;
  }

  /** Creates a container with the same dependencies, to which others can be added independently. */
  copy(owner: string): Container {
    const copy = new Container(owner, this.#base ?? this.lifetimes);
    copy.#entries.push(...this.#entries);
    copy.results.push(...this.results);
    if (this.#removed !== undefined) copy.#removed = new Set(this.#removed);
    return copy;
  }

  declare(token: unknown): void {
    if (this.#base !== undefined) return this.#base.declare(token);
    if (!(token instanceof InputToken) || this.#inputs?.has(token)) return;
    const terms = { ...termsOf(Provide(token as Token<unknown>, ignore)), lifetime: "request" as const };
    const binding = new Binding(this, terms);
    binding.isAsync = token.isLate;
    (this.#inputs ??= new Map()).set(token, binding);
  }

  #labels(): string[] {
    return [...this.#entries.map((entry) => entry.label()), ...this.#base === undefined ? [] : this.#base.#labels()];
  }
}

/** The container for values that every request has. */
const nowhere: Home = new Container("fw", new Lifetimes());
let builtins: Map<unknown, Binding> | undefined = undefined;

/**
 * Returns a dependency that needs no registration. Created on first use, because this parses the source of a function.
 */
function builtin(token: unknown): Binding | undefined {
  builtins ??= new Map([
    Provide(Context, (ctx: Context) => ctx),
    Provide(Request, (ctx: Context) => ctx.Request()),
  ].map((provision) => {
    const binding = new Binding(nowhere, { ...termsOf(provision), lifetime: "transient" });
    return [binding.token, binding];
  }));
  return builtins.get(token);
}

/** Does nothing. The placeholder source of an input, which {@linkcode Work.read} reads. */
function ignore(): void {}
