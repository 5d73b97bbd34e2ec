/**
 * The dependencies of an application or a controller, in order of registration.
 *
 * @module
 */

import { FrameworkError } from "../../src/base/errors/errors.ts";
import type { ResultMiddleware } from "../../src/core/app/api_container.ts";
import { Context } from "../../src/core/context/context.ts";
import type { Session } from "../../src/state/sessions/session.ts";
import { currentManager, sessionClass, SessionManager } from "../../src/state/sessions/session_manager.ts";
import type { Key } from "../../src/core/exchange/values.ts";
import {
  type Class,
  classOf,
  Code,
  Err,
  InputToken,
  isKey,
  labelOf,
  type Provider,
  type Token,
} from "../reflect/token.ts";
import { Binding, type Home, toBinding } from "./binding.ts";
import { InjectOptional } from "./inject.ts";
import { Lifetimes } from "./lifetimes.ts";
import { Provide, termsOf, Value } from "./provision.ts";
import type { Work } from "./work.ts";

/** Registered dependencies. Later registrations take precedence over earlier ones and over the parent container. */
export class Container implements Home {
  /** The owner, for error messages. */
  readonly owner: string;
  readonly lifetimes: Lifetimes;
  readonly #base: Container | undefined;
  readonly #entries: Binding[] = [];
  /** The result handlers registered in this container. */
  readonly results: ResultMiddleware[] = [];
  // These are created on first use, because most containers do not need them and there is one container for each of
  // hundreds of controllers.
  #removed: Set<unknown> | undefined = undefined;
  /** The typed inputs of the web application. They do not have to be registered. */
  #inputs: Map<unknown, Binding> | undefined = undefined;
  #session: Binding | undefined = undefined;
  /** A dependency that is used if nothing is registered for its tokens. */
  #fallback: { readonly fits: (token: unknown) => boolean; readonly binding: Binding } | undefined = undefined;
  /** A cache of lookups, used when nothing more can be registered. */
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

  /** Provides a dependency for tokens for which nothing is registered, neither here nor in parent containers. */
  provideFallback(fits: (token: unknown) => boolean, dependency: unknown): void {
    this.#fallback = { fits, binding: toBinding(this, dependency) };
  }

  /** Hides the dependency for a token in this container and in parent containers. Reports whether there was one. */
  remove(token: unknown): boolean {
    const had = this.find(token) !== undefined;
    const type = classOf(token);
    for (let i = this.#entries.length - 1; i >= 0; i--) {
      if (this.#entries[i]?.provides(token, type)) this.#entries.splice(i, 1);
    }
    (this.#removed ??= new Set()).add(token);
    return had;
  }

  /** Finds the dependency for a token while registration is still possible. */
  find(token: unknown): Binding | undefined {
    return this.#search(token, classOf(token)) ??
      (isSessionToken(token) ? this.#sessionBinding(token as Token<unknown>) : this.#fallbackFor(token));
  }

  #fallbackFor(token: unknown): Binding | undefined {
    if (this.#fallback?.fits(token)) return this.#fallback.binding;
    return this.#base === undefined ? undefined : this.#base.#fallbackFor(token);
  }

  /** Returns the dependency on the session. It belongs to this container, where the manager may be registered. */
  #sessionBinding(token: Token<unknown>): Binding {
    return this.#session ??= toBinding(this, Provide(token, provideSession as Provider<unknown>));
  }

  #search(token: unknown, type: Class<object> | undefined): Binding | undefined {
    const own = this.#entries.findLast((entry) => entry.provides(token, type));
    if (own !== undefined || this.#removed?.has(token)) return own;
    return this.#base === undefined ? builtin(token) ?? this.#inputs?.get(token) : this.#base.#search(token, type);
  }

  lookup(token: unknown): Binding | undefined {
    const known = this.#known?.get(token);
    if (known !== undefined) return known;
    const found = this.find(token);
    if (found !== undefined) (this.#known ??= new Map()).set(token, found);
    return found;
  }

  undecided(token: unknown): readonly Binding[] {
    if (classOf(token) === undefined) return [];
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

  /** Returns the result handlers that apply to this container, with the outermost one first. */
  allResults(): readonly ResultMiddleware[] {
    if (this.#base === undefined) return this.results;
    const above = this.#base.allResults();
    return this.results.length === 0 ? above : [...above, ...this.results];
  }

  describe(): string {
    const labels = [...new Set(this.#labels())].map((label) => `"${label}"`);
    return labels.length === 0 ? "nothing is registered" : `the registered dependencies are ${labels.join(", ")}`;
  }

  /**
   * Creates a container with the same parent and with the dependencies and result handlers registered so far. Later
   * registrations in one of the two are not visible in the other.
   */
  copy(owner: string): Container {
    const copy = new Container(owner, this.#base ?? this.lifetimes);
    copy.#entries.push(...this.#entries);
    copy.results.push(...this.results);
    copy.#fallback = this.#fallback;
    if (this.#removed !== undefined) copy.#removed = new Set(this.#removed);
    return copy;
  }

  declare(token: unknown): void {
    if (this.#base !== undefined) return this.#base.declare(token);
    if (!(token instanceof InputToken) || this.#inputs?.has(token)) return;
    const read = (work: Work) => work.read(token);
    const terms = termsOf(Provide(token as Token<unknown>, Value(read)));
    const binding = new Binding(this, { ...terms, isValue: false, lifetime: "request" });
    binding.isAsync = token.isLate;
    (this.#inputs ??= new Map()).set(token, binding);
  }

  #labels(): string[] {
    return [...this.#entries.map((entry) => entry.label()), ...this.#base === undefined ? [] : this.#base.#labels()];
  }
}

const containers = new WeakMap<object, Container>();

/** Records the container of an application or a party. */
export function noteContainer(owner: object, container: Container): void {
  containers.set(owner, container);
}

/** Returns the container of an application or a party, if it has been created. */
export function notedContainer(owner: object): Container | undefined {
  return containers.get(owner);
}

/** The container for values that are available in every request. */
const nowhere: Home = new Container("fw", new Lifetimes());
let builtins: Map<unknown, Binding> | undefined = undefined;

/**
 * Returns a dependency that does not have to be registered. It is created on first use, because this requires parsing
 * the source of a function.
 */
function builtin(token: unknown): Binding | undefined {
  builtins ??= new Map([
    Provide(Context, (ctx: Context) => ctx),
    Provide(Request, (ctx: Context) => ctx.Request()),
    Provide(Code, (ctx: Context) => ctx.GetStatusCode()),
    Provide(Err, (ctx: Context) => ctx.GetErr() ?? null),
  ].map((provision) => {
    const binding = new Binding(nowhere, { ...termsOf(provision), lifetime: "transient" });
    return [binding.token, binding];
  }));
  return builtins.get(token) ?? (isKey(token) ? keyBinding(token) : undefined);
}

/** Returns the dependency on a value of the request, such as one that an extension provides. */
function keyBinding(key: Key<unknown>): Binding {
  const source = (ctx: Context) => ctx.Values().Get(key);
  const terms = { source, isValue: false, lifetime: "transient", isOwned: false, isParallel: false } as const;
  return new Binding(nowhere, { ...terms, token: { is: key } });
}

/** Reports whether a token is the class of sessions. */
function isSessionToken(token: unknown): boolean {
  return token !== undefined && token === sessionClass.current;
}

/** Starts the session with the registered manager, or with the one that the middleware of the request has used. */
function provideSession(
  ctx: Context,
  manager: SessionManager | undefined = InjectOptional(SessionManager as never),
): Session | Promise<Session> {
  const found = manager ?? currentManager(ctx);
  if (found !== undefined) return found.Start(ctx);
  throw new FrameworkError(
    "FW_SESSION",
    "Cannot inject the session: register a session manager, or add its Handler() to the party",
  );
}
