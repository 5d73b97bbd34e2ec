/**
 * The dependencies of an application or of one controller, in the order of their registration.
 *
 * @module
 */

import type { InputKind } from "../../src/app/route_description.ts";
import { FrameworkError } from "../../src/base/errors.ts";
import { Context } from "../../src/context/context.ts";
import { isClass } from "../reflect/class.ts";
import { labelOf, type Token } from "../reflect/token.ts";
import { Binding, type Home, noNeeds, toBinding } from "./binding.ts";
import { InputToken, RawInput } from "./input_token.ts";
import { Lifetimes } from "./lifetimes.ts";
import { PerRequest, Provide, termsOf } from "./provision.ts";
import { lateKinds, readChecked, readRaw } from "./read_checked.ts";

/** What every request has. */
const nowhere: Home = {
  lifetimes: new Lifetimes(),
  declare: () => {},
  lookup: () => undefined,
  undecided: () => [],
};
const builtins = new Map<unknown, Binding>();

/** What needs no registration; created when it is asked for first, since that reads a function's text. */
function builtin(token: unknown): Binding | undefined {
  if (builtins.size === 0) {
    const perRequest = [
      Provide(Context, (ctx: Context) => ctx),
      Provide(Request, (ctx: Context) => ctx.Request()),
    ];
    for (const provided of perRequest) {
      const binding = new Binding(nowhere, termsOf(provided), true);
      builtins.set(binding.token, binding);
    }
  }
  return builtins.get(token);
}

/** The inputs that something asks for, by web application. They need no registration. */
const inputs = new WeakMap<Lifetimes, Map<unknown, Binding>>();

function inputsOf(lifetimes: Lifetimes): Map<unknown, Binding> {
  let known = inputs.get(lifetimes);
  if (known === undefined) inputs.set(lifetimes, known = new Map());
  return known;
}

/** Registered dependencies: the last registered is found first, then those of the container below. */
export class Container implements Home {
  /** Whose they are, for error messages. */
  readonly owner: string;
  readonly lifetimes: Lifetimes;
  readonly #base: Container | undefined;
  readonly #entries: Binding[] = [];
  // Created on first use: most containers need neither, and hundreds of controllers have one each.
  #removed: Set<unknown> | undefined = undefined;
  /** What was looked up while serving, when nothing can be registered any more. */
  #known: Map<unknown, Binding> | undefined = undefined;

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
      if (this.#entries[i]?.provides(token)) this.#entries.splice(i, 1);
    }
    (this.#removed ??= new Set()).add(token);
    return had;
  }

  /** Finds what a token asks for, if it is registered. */
  find(token: unknown): Binding | undefined {
    const own = this.#entries.findLast((entry) => entry.provides(token));
    if (own !== undefined || this.#removed?.has(token)) return own;
    if (this.#base !== undefined) return this.#base.find(token);
    if (!(token instanceof InputToken)) return builtin(token);
    return inputsOf(this.lifetimes).get(token) ?? this.#rawInput(token.kind);
  }

  lookup(token: unknown): Binding | undefined {
    const known = this.#known?.get(token);
    if (known !== undefined) return known;
    const found = this.find(token);
    // A schema that is written in an argument is another one in every request, and must not be kept.
    if (found !== undefined) {
      return token instanceof InputToken && found.token !== token ? found : this.#keep(token, found);
    }
    if (!isClass(token) || this.undecided().length === 0) throw this.missing(token);
    return undefined;
  }

  #keep(token: unknown, found: Binding): Binding {
    (this.#known ??= new Map()).set(token, found);
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
    if (this.#removed !== undefined) copy.#removed = new Set(this.#removed);
    return copy;
  }

  declare(token: unknown): void {
    const inputs = inputsOf(this.lifetimes);
    if (!(token instanceof InputToken) || inputs.has(token)) return;
    inputs.set(token, this.#input(token, (ctx) => readChecked(ctx, token)));
  }

  /** A part of the request, unchecked, for schemas that are not known before the request. */
  #rawInput(kind: InputKind): Binding {
    const inputs = inputsOf(this.lifetimes);
    let binding = inputs.get(kind);
    if (binding === undefined) {
      inputs.set(kind, binding = this.#input(new RawInput(kind), (ctx) => readRaw(ctx, kind)));
    }
    return binding;
  }

  #input(token: RawInput, read: (ctx: Context) => unknown): Binding {
    const binding = new Binding(this, termsOf(Provide(token as Token<unknown>, PerRequest(read))));
    binding.isAsync = lateKinds.has(token.kind);
    binding.learn(noNeeds);
    return binding;
  }

  #labels(): string[] {
    return [...this.#entries.map((entry) => entry.label()), ...this.#base === undefined ? [] : this.#base.#labels()];
  }
}
