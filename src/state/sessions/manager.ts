/**
 * The session manager. It loads the session of a request and saves it before the response is sent.
 *
 * @module
 */
import { checkText } from "../../base/config/option_table.ts";
import { assertFunction } from "../../base/config/returned.ts";
import { inSlices } from "../../base/async/slices.ts";
import { isBoolean } from "../store/store_results.ts";
import { type Context, exchangeOf } from "../../core/context/context.ts";
import { Extend } from "../../core/context/extend.ts";
import type { Handler } from "../../core/context/handler.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { beforeResponse } from "../../core/exchange/ending/end_tasks.ts";
import { type Exchange, outermostExchange, valuesOf } from "../../core/exchange/exchange.ts";
import { noteFacts } from "../../core/exchange/handler_facts.ts";
import { type SessionEnd, sessionWatch } from "../../core/exchange/stream_terms.ts";
import { existingOwnValues, ownValuesIn, type Values } from "../../core/exchange/values.ts";
import { andThen, type Awaitable } from "../store/store.ts";
import { StoreGuard } from "../store/store_guard.ts";
import { type Config, isID, rememberedFor, type Settings, settingsOf } from "./config.ts";
import { append, noStates, type RequestSessions, SessionFinder, statesOf } from "./session_finder.ts";
import { SessionResponses, use } from "./session_responses.ts";
import { threadWarning } from "./memory.ts";
import { moveSession, newSession, Session } from "./session.ts";
import { currentManager, type LoginTerms, sessionClass, SessionManager } from "./session_manager.ts";
import { type CookieAct, SessionState, type StateDeps } from "./state.ts";
import { isStored } from "./store.ts";
import { Identities, identityIn, newLogin, userIn } from "./identities.ts";
import { UserSessions } from "./user_sessions.ts";
import { ViewFlashes } from "./view_flashes.ts";

/**
 * Creates a session manager.
 *
 * @param config The options.
 * @returns The manager.
 * @throws {FrameworkError} If an option is invalid.
 *
 * @example Count visits
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

/**
 * Returns the session that was started for a request, by whichever manager.
 *
 * @param ctx The request context.
 * @returns The session, or `null` if none was started or it has been destroyed.
 *
 * @example Read the session in a handler
 * ```ts
 * import * as fw from "@fw/web";
 * import * as sessions from "@fw/web/sessions";
 *
 * const app = fw.New();
 * app.Use(sessions.New().Handler());
 * app.Get("/", (ctx) => ctx.WriteString(`visit ${sessions.Get(ctx)?.Increment("visits")}`));
 *
 * await (await app.fetch(new Request("http://localhost/"))).text(); // → "visit 1"
 * ```
 */
export function Get(ctx: Context): Session | null {
  return currentManager(ctx)?.Get(ctx) ?? null;
}

sessionClass.current = Session;
sessionWatch.current = (exchange, ended) => {
  const forgets: (() => void)[] = [];
  let at = firstOf(outermostExchange(exchange));
  for (; at !== undefined; at = at.others) forgets.push(watchSession(at.owner, at, ended));
  return () => forgets.forEach((forget) => forget());
};

type OwnSessions = RequestSessions<Sessions>;

/** Returns the sessions of an outermost request that were begun last. */
function firstOf({ values }: { readonly values: Values | undefined }): OwnSessions | undefined {
  // Only this module sets them.
  return existingOwnValues(values)?.sessions as OwnSessions | undefined;
}

type Listener = (id: string) => unknown;

let watchSession: (manager: Sessions, request: OwnSessions, ended: (reason: SessionEnd) => void) => () => void;

/**
 * A session manager, created by {@linkcode New}.
 *
 * A mounted application shares the session of the application around it if both use the same manager. If they use two
 * managers with the same cookie name, the one that starts its session first in a request is used for both, so that
 * there is one cookie. To have separate sessions, use separate cookie names.
 */
export class Sessions extends SessionManager {
  readonly #settings: Settings;
  readonly #finder: SessionFinder;
  readonly #responses: SessionResponses;
  readonly #guard = new StoreGuard("session store", "FW_SESSION");
  readonly #identities: Identities;
  readonly #deps: StateDeps;
  readonly #listeners: Listener[] = [];
  readonly #moveListeners: Listener[] = [];

  /**
   * Created by {@linkcode New}.
   *
   * @param config The options.
   */
  constructor(config: Config = {}) {
    super();
    this.#settings = settingsOf(config);
    this.#identities = new Identities(this.#settings, this.#guard);
    this.#deps = { settings: this.#settings, guard: this.#guard, identities: this.#identities };
    this.#finder = new SessionFinder(this.#deps, this.#identities);
    this.#responses = new SessionResponses(this.#settings);
    // The method is bound and annotated with its result type, so that it can be registered directly as a dependency.
    this.Start = Object.assign(this.Start.bind(this), { Provides: Session });
  }

  /**
   * Returns the session of a request, and creates it if necessary. Within a request, it always returns the same
   * session. A new session gets an ID chosen by the server, never one sent by the client. It is stored, and its cookie
   * is set, only if the request stores a value in it.
   *
   * @param ctx The request context.
   * @returns The session, or a promise if the store is asynchronous.
   * @throws {HTTPError} With status 503 if the store fails.
   */
  override Start(ctx: Context): Session | Promise<Session> {
    const request = this.#of(ctx);
    const state = this.#begin(request);
    return state instanceof Promise ? this.#startAfter(state, ctx) : use(ctx, request, state) as Session;
  }

  /**
   * Creates middleware that starts the session. Later handlers can access it with {@linkcode Get}.
   *
   * @returns The middleware.
   */
  Handler(): Handler {
    const sessions: Handler = (ctx) => {
      const state = this.#begin(this.#of(ctx));
      return state instanceof Promise ? state.then(() => ctx.Next()) : ctx.Next();
    };
    const warning = threadWarning(this.#settings.Store);
    return Extend(noteFacts(sessions, { warning }), { Name: "sessions", Many: true, Install() {} });
  }

  /**
   * Returns the session started by this request.
   *
   * @param ctx The request context.
   * @returns The session, or `null` if none was started or it has been destroyed.
   */
  override Get(ctx: Context): Session | null {
    const exchange = exchangeOf(ctx);
    const request = this.#known(exchange, outermostExchange(exchange));
    return request === undefined ? null : use(ctx, request, request.state);
  }

  /**
   * Destroys the session of a request, if any. Its data and its cookie are removed when the response is sent.
   *
   * @param ctx The request context.
   * @returns A promise if the session has to be loaded from an asynchronous store first.
   */
  Destroy(ctx: Context): void | Promise<void> {
    return andThen(this.#begin(this.#of(ctx)), (state) => state.destroy());
  }

  /**
   * Destroys a session by its ID.
   *
   * @param id The session ID.
   * @returns Whether the session existed.
   */
  async DestroyByID(id: string): Promise<boolean> {
    checkText(id, "id", "DestroyByID");
    const stored = await this.#guard.read(undefined, () => isID(id) ? this.#settings.Store.Load(id) : null, isStored);
    if (stored === null || !await this.#guard.write(undefined, () => stored.Destroy(), isBoolean)) return false;
    await this.#identities.ended(undefined, id, stored.Slots, "ended");
    await tell(this.#listeners, id);
    return true;
  }

  /**
   * Returns the sessions of a user, who has logged in with `auth.Login` of `@fw/web/auth` or with
   * `@fw/web/middleware/oauth`. Nothing is read from the store before one of its methods is called.
   *
   * @param userID The user ID.
   * @returns The sessions.
   *
   * @example Log out everywhere else
   * ```ts
   * import * as fw from "@fw/web";
   * import * as auth from "@fw/web/auth";
   * import * as httptest from "@fw/web/httptest";
   * import * as sessions from "@fw/web/sessions";
   *
   * const manager = sessions.New({ Cookie: "sid" });
   * const app = fw.New();
   * app.Use(auth.Session({ Sessions: manager, Load: (id) => ({ ID: id, Name: id, Roles: [], Method: "password" }) }));
   * app.Post("/login", (ctx) => auth.Login(ctx, { ID: "ada" }));
   * app.Post("/others", async (ctx) => ctx.JSON(await manager.Of("ada").EndOthers(ctx)));
   * app.Get("/", (ctx) => ctx.WriteString(ctx.User()?.Name ?? "a guest"));
   *
   * const [laptop, phone] = [httptest.New(app), httptest.New(app)];
   * await laptop.POST("/login").Expect().Status(200);
   * await phone.POST("/login").Expect().Status(200);
   * await laptop.POST("/others").Expect().Body("1");
   * await laptop.GET("/").Expect().Body("ada");
   * await phone.GET("/").Expect().Body("a guest");
   * ```
   */
  Of(userID: string): UserSessions {
    return new UserSessions(userID, {
      identities: this.#identities,
      handleOf: (ctx) => this.handleOf(ctx),
      remove: (ids) => this.#removeRows(ids),
    });
  }

  /**
   * Destroys all sessions, including those of requests in flight, whose changes are dropped. Visitors keep their
   * cookies and get a new session when they need one. The callbacks of {@linkcode OnDestroy} are called for each
   * session.
   *
   * @returns The number of destroyed sessions.
   * @throws {FrameworkError} If the store does not implement `DestroyAll`.
   * @throws {HTTPError} With status 503 if the store fails.
   */
  async DestroyAll(): Promise<number> {
    const { Store: store } = this.#settings;
    if (store.DestroyAll === undefined) {
      throw new FrameworkError("FW_SESSION", "Cannot destroy all sessions: the store has no method DestroyAll");
    }
    const rows = await this.#guard.write(undefined, () => store.DestroyAll?.(), Array.isArray) ?? [];
    const ids: string[] = [];
    await inSlices(rows, (id) => isID(id) && ids.push(id));
    await this.#identities.announceAll();
    if (this.#listeners.length > 0) await inSlices(ids, (id) => tell(this.#listeners, id));
    return ids.length;
  }

  /**
   * Changes the lifetime of a request's session permanently, for example if a user has checked "Remember me" at the
   * login. Renewals use it as well.
   *
   * @param ctx The request context.
   * @param expires The lifetime from now on, as in {@linkcode Config.Expires}.
   * @returns `null`, or an error if the request has no session.
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
   * Registers a callback that is called whenever a session is destroyed through this manager. It is not called for
   * expired sessions.
   *
   * @param listener The callback, which receives the session ID.
   */
  OnDestroy(listener: (id: string) => unknown): void {
    assertFunction(listener, "a listener");
    this.#listeners.push(listener);
  }

  /**
   * Registers a callback that is called whenever a session gets a new ID through this manager.
   *
   * @param listener The callback, which receives the old session ID.
   */
  OnRegenerate(listener: (id: string) => unknown): void {
    assertFunction(listener, "a listener");
    this.#moveListeners.push(listener);
  }

  /**
   * Checks whether the store is available, for use with `@fw/web/middleware/health`.
   *
   * @returns A promise that is rejected with the store's error if the store is not available.
   */
  async Check(): Promise<void> {
    await this.#settings.Store.Load("health-check");
  }

  /**
   * Loads the flash messages for a template.
   *
   * @ignore
   */
  override loadView(ctx: Context): Promise<Record<string, unknown>> | undefined {
    const request = this.#of(ctx);
    const { state } = request;
    if (request.session?.HasFlash() !== true || request.flashes !== undefined || !state?.changes.isOpen) {
      return undefined;
    }
    request.flashes = new ViewFlashes();
    return request.flashes.load(ctx, this.Get(ctx) as Session);
  }

  /**
   * Returns the ID of the user that a request's session belongs to.
   *
   * @ignore
   */
  override userOf(ctx: Context): string | undefined | Promise<string | undefined> {
    const request = this.#of(ctx);
    return andThen(this.#begin(request), (state) => {
      const user = state.isDestroyed ? undefined : userIn(state.identity);
      // The response depends on the session, and a template may show its messages.
      if (user !== undefined) (use(ctx, request, state), state.isUsed = true);
      return user;
    });
  }

  /**
   * Gives a request a new session that belongs to a user.
   *
   * @ignore
   */
  override async logIn(ctx: Context, user: string, terms: LoginTerms): Promise<void> {
    const request = this.#of(ctx);
    if (request.owner !== this) return await request.owner.logIn(ctx, user, terms);
    const { keep, remember, isBeside = false } = terms;
    const before = await this.#begin(request);
    before.changes.assertOpen();
    const state = new SessionState(this.#deps, request.ctx, "", null);
    before.copyTo(state, keep);
    const users = isBeside ? identityIn(before.identity)?.users ?? [] : [];
    if (remember !== undefined) state.setExpires(rememberedFor(remember, this.#settings.Expires));
    state.join(newLogin(ctx, [...users.filter((each) => each !== user), user]));
    // A request that was sent with the old ID must not write to the new session, so its row is not kept.
    before.isReplaced = true;
    before.destroy();
    append(request, state);
    if (request.session !== undefined) moveSession(request.session, state);
    use(ctx, request, state);
  }

  /**
   * Returns the handle of a request's session if it belongs to a user.
   *
   * @ignore
   */
  override handleOf(ctx: Context): string {
    const exchange = exchangeOf(ctx);
    const state = this.#known(exchange, outermostExchange(exchange))?.state;
    return state === undefined ? "" : identityIn(state.identity)?.handle ?? "";
  }

  /**
   * Closes the store. The manager must not be used afterwards.
   */
  override async Close(): Promise<void> {
    await this.#settings.Store.Close?.();
  }

  /** Closes the store at the end of an `await using` block. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.Close();
  }

  #of(ctx: Context): OwnSessions {
    const exchange = exchangeOf(ctx);
    const root = outermostExchange(exchange);
    const request = this.#known(exchange, root) ?? this.#new(exchange, root);
    ownValuesIn(valuesOf(exchange)).viewSource = this;
    if (exchange !== root) this.#markInner(exchange, request);
    return request;
  }

  // A function that contains a closure allocates memory for its variables in every call, so there are none in `#of`,
  // `#begin` and `#write`.
  #markInner(exchange: Exchange<Context>, request: OwnSessions): void {
    // Caches in a mounted application see its own response, which does not have the session's headers.
    beforeResponse(exchange, () => this.#markPrivate(request, exchange.context));
  }

  async #startAfter(loading: Promise<unknown>, ctx: Context): Promise<Session> {
    await loading;
    return this.Get(ctx) as Session;
  }

  #new(begun: Exchange<Context>, root: Exchange<Context>): OwnSessions {
    const request: OwnSessions = {
      owner: this,
      begun,
      others: firstOf(root),
      ctx: root.context,
      state: undefined,
      earlier: noStates,
      session: undefined,
      loading: undefined,
      flashes: undefined,
      isOver: false,
    };
    ownValuesIn(valuesOf(root)).sessions = request;
    request.isOver = !beforeResponse(root, () => this.#finish(request));
    return request;
  }

  /** Returns the sessions that this manager has begun, or those of an outer or inner application with its cookie. */
  #known(exchange: Exchange<Context>, root: Exchange<Context>): OwnSessions | undefined {
    const first = firstOf(root);
    if (first === undefined || first.owner === this) return first;
    const { Cookie: cookie } = this.#settings;
    for (let at: OwnSessions | undefined = first; at !== undefined; at = at.others) {
      if (at.owner === this || at.begun !== exchange && at.owner.#settings.Cookie === cookie) return at;
    }
    return undefined;
  }

  #begin(request: OwnSessions): Awaitable<SessionState> {
    if (request.owner !== this) return request.owner.#begin(request);
    const { state } = request;
    if (state !== undefined && !state.isDestroyed) return state;
    if (request.loading !== undefined) return request.loading;
    const found = state === undefined ? this.#finder.find(request.ctx) : null;
    return found instanceof Promise ? this.#beginLater(request, found) : this.#adopt(request, found);
  }

  #beginLater(request: OwnSessions, found: Promise<SessionState | null>): Promise<SessionState> {
    request.loading = found.then((it) => this.#adopt(request, it)).finally(() => request.loading = undefined);
    return request.loading;
  }

  #adopt(request: OwnSessions, found: SessionState | null): SessionState {
    const state = found ?? new SessionState(this.#deps, request.ctx, "", null);
    if (request.isOver) state.changes.seal("the response has already been sent");
    append(request, state);
    request.session = newSession(state);
    return state;
  }

  /** Removes the rows of sessions that have ended. */
  async #removeRows(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      const stored = await this.#guard.read(undefined, () => this.#settings.Store.Load(id), isStored);
      if (stored !== null) await this.#guard.write(undefined, () => stored.Destroy(), isBoolean);
      await tell(this.#listeners, id);
    }
  }

  #finish(request: OwnSessions): Awaitable<void> {
    if (request.session !== undefined && request.state?.isDestroyed === false) {
      request.flashes?.restore(request.session);
    }
    this.#markPrivate(request, request.ctx);
    const { state } = request;
    if (request.loading !== undefined || request.earlier !== noStates) return this.#finishAll(request);
    request.isOver = true;
    if (state === undefined) return undefined;
    const act = this.#write(request.ctx, state);
    // Most requests only read their session.
    return act === "keep" ? undefined : this.#finishOne(request.ctx, state, act);
  }

  #finishOne(ctx: Context, state: SessionState, act: Awaitable<CookieAct>): Awaitable<void> {
    return andThen(act, (it) => this.#responses.applyCookie(ctx, state, it));
  }

  /** Marks the response as private if it depends on a session. Called at the beginning of an end task. */
  #markPrivate({ state, earlier }: OwnSessions, ctx: Context): void {
    if (state?.isUsed || earlier.some(({ isUsed }) => isUsed)) this.#responses.keepPrivate(ctx);
  }

  async #finishAll(request: OwnSessions): Promise<void> {
    await request.loading;
    request.isOver = true;
    let [last, lastAct]: [SessionState | undefined, CookieAct] = [undefined, "keep"];
    for (const state of statesOf(request)) {
      const act = await this.#write(request.ctx, state);
      if (act !== "keep") [last, lastAct] = [state, act];
    }
    if (last !== undefined) this.#responses.applyCookie(request.ctx, last, lastAct);
  }

  #write(ctx: Context, state: SessionState): Awaitable<CookieAct> {
    const written = state.write();
    return written === "keep" ? written : this.#tellAfter(ctx, state, written);
  }

  #tellAfter(ctx: Context, state: SessionState, written: Awaitable<CookieAct>): Awaitable<CookieAct> {
    return andThen(written, (act) => {
      return state.isEnded || state.isMoved ? this.#tellOf(ctx, state).then(() => act) : act;
    });
  }

  async #tellOf(ctx: Context, state: SessionState): Promise<void> {
    const { firstID, slots, isReplaced, isEnded } = state;
    if (isEnded) await this.#identities.ended(ctx, firstID, slots, isReplaced ? "renamed" : "ended");
    else await this.#identities.renamed(ctx, firstID, slots, state.id, state.lifetime);
    await tell(isEnded && !isReplaced ? this.#listeners : this.#moveListeners, firstID);
  }

  static {
    watchSession = (manager, request, ended) => {
      const state = statesOf(request).find(({ isNew }) => !isNew);
      return state === undefined
        ? () => {}
        : manager.#identities.watch(state.firstID, state.slots, state.loadedAt, ended);
    };
  }
}

/** Calls all listeners, even if one of them fails, because another may have to close the connections of the session. */
async function tell(listeners: readonly Listener[], id: string): Promise<void> {
  const results = await Promise.allSettled(listeners.map((listener) => Promise.try(listener, id)));
  for (const result of results) if (result.status === "rejected") throw result.reason;
}
