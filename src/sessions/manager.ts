/**
 * The session manager: it finds the session of a request, and writes it before the response is sent.
 *
 * @module
 */
import { FrameworkError } from "../base/errors.ts";
import { type Context, exchangeOf } from "../context/context.ts";
import type { Handler } from "../context/handler.ts";
import { beforeResponse } from "../context/ending/end_tasks.ts";
import { writeAsOwner } from "../context/ending/writers.ts";
import { Key } from "../context/values.ts";
import { readHeader, setHeader } from "../response/draft.ts";
import { varyBy } from "../response/vary.ts";
import { type Awaitable, goOn } from "../store/awaitable.ts";
import { StoreGuard } from "../store/store_guard.ts";
import { type Config, type Settings, settingsOf } from "./config.ts";
import { bringsCookie, readIDs, removeCookie, sendCookie } from "./cookie.ts";
import { isID } from "./id.ts";
import { newSession, Session } from "./session.ts";
import { SessionManager } from "./session_manager.ts";
import { type CookieAct, SessionState } from "./state.ts";
import type { Stored } from "./store.ts";

/**
 * Creates a session manager.
 *
 * @param config How it is set up.
 * @returns The manager.
 *
 * @example Counting visits
 * ```ts
 * import * as fw from "@fw/web";
 * import * as sessions from "@fw/web/sessions";
 *
 * const manager = sessions.New({ Expires: 60 * 60 * 1000 });
 * const app = fw.New();
 * app.Get("/", async (ctx) => {
 *   const session = await manager.Start(ctx);
 *   ctx.WriteString(`visit ${session.Increment("visits")}`);
 * });
 *
 * const first = await app.fetch(new Request("http://localhost/"));
 * const cookie = first.headers.get("set-cookie")?.split(";")[0] ?? "";
 * const second = await app.fetch(new Request("http://localhost/", { headers: { cookie } }));
 * await second.text(); // → "visit 2"
 * ```
 */
export function New(config: Config = {}): Sessions {
  return new Sessions(config);
}

/** What a manager keeps of one request. */
interface RequestSessions {
  readonly ctx: Context;
  /** The sessions of the request, the present one last: after a `Destroy` it may start another. */
  readonly states: SessionState[];
  /** The present one as handlers see it. */
  session: Session | undefined;
  /** The present one while it is loaded. */
  loading: Promise<SessionState> | undefined;
}

/** Manages the sessions of an application. */
export class Sessions extends SessionManager {
  readonly #settings: Settings;
  readonly #guard = new StoreGuard("session store", "FW_SESSION");
  readonly #key = Key<RequestSessions>("sessions");
  readonly #listeners: ((id: string) => void | Promise<void>)[] = [];

  /**
   * Created by {@linkcode New}.
   *
   * @param config How it is set up.
   */
  constructor(config: Config = {}) {
    super();
    this.#settings = settingsOf(config);
    // Bound and marked with what it returns, so that it can be registered as a dependency as it is.
    this.Start = Object.assign(this.Start.bind(this), { Provides: Session });
  }

  /**
   * Finds or creates the session of a request: one and the same however often it is called. A new one gets an id that
   * the server chose, never one that the client brought; it is stored, and its cookie sent, only if the request puts
   * something into it.
   *
   * @param ctx The request.
   * @returns The session; a promise of it when the store is not in the process. It fails with an `HTTPError` 503 when
   * the store does.
   */
  Start(ctx: Context): Session | Promise<Session> {
    return goOn(this.#begin(this.#of(ctx)), () => this.Get(ctx) as Session);
  }

  /**
   * Creates a handler that starts the session, for `Use`; later handlers get it by {@linkcode Get}.
   *
   * @returns The handler.
   */
  Handler(): Handler {
    return (ctx) => {
      const state = this.#begin(this.#of(ctx));
      return state instanceof Promise ? state.then(() => ctx.Next()) : ctx.Next();
    };
  }

  /**
   * The session that this request has started.
   *
   * @param ctx The request.
   * @returns The session, or `null` when none was started or it has been destroyed.
   */
  Get(ctx: Context): Session | null {
    const request = ctx.Values().Get(this.#key);
    const state = request?.states.at(-1);
    if (request?.session === undefined || state === undefined || state.isDestroyed) return null;
    state.isWanted = true;
    return request.session;
  }

  /**
   * Ends the session of a request, if it has one: its data and its cookie are gone when the response is sent.
   *
   * @param ctx The request.
   * @returns A promise only when the session has first to be found in a store that is not in the process.
   */
  Destroy(ctx: Context): void | Promise<void> {
    return goOn(this.#begin(this.#of(ctx)), (state) => state.destroy());
  }

  /**
   * Ends a session by its id, wherever its visitor is.
   *
   * @param id The id.
   * @returns True when there was one.
   */
  async DestroyByID(id: string): Promise<boolean> {
    const { store } = this.#settings;
    const stored = await this.#guard.read(undefined, () => isID(id) ? store.Load(id) : null);
    if (stored === null || !await this.#guard.write(undefined, () => stored.Destroy())) return false;
    await this.#tell(id);
    return true;
  }

  /**
   * Gives the session of a request another lifetime, which lasts: renewals use it too.
   *
   * @param ctx The request.
   * @param expires The lifetime, as in {@linkcode Config.Expires}, counted from now.
   * @returns No error, or one when the request has no session.
   */
  async UpdateExpiration(ctx: Context, expires: number): Promise<Error | null> {
    const state = await this.#begin(this.#of(ctx));
    if (state.isNew && !state.isWanted) {
      return new FrameworkError("FW_SESSION", "Cannot update the expiration: the request has no session");
    }
    state.setExpires(expires);
    return null;
  }

  /**
   * Has a function called whenever a session is destroyed through this manager; not when one expires.
   *
   * @param listener What is called with the id.
   */
  OnDestroy(listener: (id: string) => void | Promise<void>): void {
    this.#listeners.push(listener);
  }

  /**
   * Finds out whether the store can be reached, for `@fw/web/middleware/health`.
   *
   * @returns A promise that fails with the store's own error when it cannot.
   */
  async Check(): Promise<void> {
    await this.#settings.store.Load("health-check");
  }

  /**
   * Closes the store. No request may follow.
   */
  override async Close(): Promise<void> {
    await this.#settings.store.Close?.();
  }

  /** Closes the store at the end of an `await using` block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.Close();
  }

  #of(ctx: Context): RequestSessions {
    const values = ctx.Values();
    let request = values.Get(this.#key);
    if (request === undefined) {
      const begun: RequestSessions = { ctx, states: [], session: undefined, loading: undefined };
      request = begun;
      values.Set(this.#key, begun);
      beforeResponse(exchangeOf(ctx), () => this.#finish(begun));
    }
    return request;
  }

  #begin(request: RequestSessions): Awaitable<SessionState> {
    const state = request.states.at(-1);
    if (state !== undefined && !state.isDestroyed) return state;
    if (request.loading !== undefined) return request.loading;
    const found = state === undefined ? this.#find(request.ctx) : null;
    if (!(found instanceof Promise)) return this.#adopt(request, found);
    request.loading = found.then((it) => this.#adopt(request, it)).finally(() => request.loading = undefined);
    return request.loading;
  }

  #adopt(request: RequestSessions, found: Found | null): SessionState {
    const deps = { settings: this.#settings, guard: this.#guard, log: request.ctx };
    const state = new SessionState(deps, found?.id ?? "", found?.stored ?? null);
    request.states.push(state);
    request.session = newSession(state);
    return state;
  }

  #find(ctx: Context): Awaitable<Found | null> {
    const ids = readIDs(ctx, this.#settings.cookie);
    const [id, another] = ids;
    if (id === undefined) return null;
    return another === undefined ? this.#load(ctx, id) : this.#findAmong(ctx, ids);
  }

  // One of several cookies may be left over or planted. It is harmless unless the store knows it; and where the store
  // knows two, there is no telling whose the request is, so it gets neither.
  async #findAmong(ctx: Context, ids: readonly string[]): Promise<Found | null> {
    const found: Found[] = [];
    for (const id of ids) {
      const one = await this.#load(ctx, id);
      if (one !== null) found.push(one);
    }
    return found.length === 1 ? found[0] as Found : null;
  }

  #load(ctx: Context, id: string): Awaitable<Found | null> {
    const stored = this.#guard.read(ctx, () => this.#settings.store.Load(id));
    return goOn(stored, (it) => it === null ? null : { id, stored: it });
  }

  #finish(request: RequestSessions): Awaitable<void> {
    if (request.states.some((state) => state.isWanted)) this.#keepFromSharedCaches(request.ctx);
    const [state, another] = request.states;
    if (request.loading !== undefined || another !== undefined) return this.#finishAll(request);
    return state === undefined
      ? undefined
      : goOn(this.#write(state), (act) => this.#applyCookie(request.ctx, state, act));
  }

  async #finishAll(request: RequestSessions): Promise<void> {
    await request.loading;
    let [last, lastAct]: [SessionState | undefined, CookieAct] = [undefined, "keep"];
    for (const state of request.states) {
      const act = await this.#write(state);
      if (act !== "keep") [last, lastAct] = [state, act];
    }
    if (last !== undefined) this.#applyCookie(request.ctx, last, lastAct);
  }

  #write(state: SessionState): Awaitable<CookieAct> {
    return goOn(state.write(), (act) => {
      if (!state.isEnded || this.#listeners.length === 0) return act;
      return this.#tell(state.firstID).then(() => act);
    });
  }

  /** Otherwise a shared cache would serve the page of one user to another one. */
  #keepFromSharedCaches(ctx: Context): void {
    const { cacheControl } = this.#settings;
    const exchange = exchangeOf(ctx);
    const said = readHeader(exchange.draft, "cache-control");
    if (cacheControl === "" || /\bpublic\b/i.test(said)) return;
    writeAsOwner(exchange, () => {
      if (said === "") setHeader(exchange.draft, "cache-control", cacheControl);
      varyBy(exchange.draft, "Cookie");
    });
  }

  #applyCookie(ctx: Context, state: SessionState, act: CookieAct): void {
    writeAsOwner(exchangeOf(ctx), () => {
      if (act === "send") sendCookie(ctx, this.#settings, state.id, state.expires);
      if (act === "remove" && bringsCookie(ctx, this.#settings.cookie)) removeCookie(ctx, this.#settings);
    });
  }

  async #tell(id: string): Promise<void> {
    for (const listener of this.#listeners) await listener(id);
  }
}

/** A session that the store knows, and the id that the request brought for it. */
interface Found {
  readonly id: string;
  readonly stored: Stored;
}
