/**
 * Changes responses to requests with sessions: their cookies, and the headers that keep them private.
 *
 * @module
 */
import { type Context, exchangeOf } from "../../core/context/context.ts";
import { restrictLifetime } from "../../core/context/personal.ts";
import { noteCookies } from "../../core/exchange/cookies.ts";
import { writeAsOwner } from "../../core/exchange/ending/ending.ts";
import { checkHeaderValue } from "../../http/headers/header.ts";
import { readHeader, setHeader, setOwnHeaders, varyBy } from "../../http/response/draft.ts";
import type { Settings } from "./config.ts";
import { hasCookie, removeCookie, sendCookie } from "./cookie.ts";
import type { Session } from "./session.ts";
import type { RequestSessions } from "./session_finder.ts";
import type { CookieAct, SessionState } from "./state.ts";

/** The responses of a manager. */
export class SessionResponses {
  readonly #settings: Settings;
  /** The header fields that keep a response out of shared caches. */
  readonly #privateHeaders: readonly [string, string][];

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#privateHeaders = [
      ["cache-control", checkHeaderValue("cache-control", settings.CacheControl)],
      ["vary", "Cookie"],
    ];
  }

  /** Prevents shared caches from serving a user's page to other users. */
  keepPrivate(ctx: Context): void {
    const { CacheControl: cacheControl } = this.#settings;
    const { draft } = exchangeOf(ctx);
    if (cacheControl === "") return;
    if (draft.headers === undefined && draft.response === undefined) return setOwnHeaders(draft, this.#privateHeaders);
    const said = readHeader(draft, "cache-control");
    if (/\bpublic\b/i.test(said)) return;
    if (said === "") setHeader(draft, "cache-control", cacheControl);
    varyBy(draft, "Cookie");
  }

  /** Sets or removes the cookie. */
  applyCookie(ctx: Context, state: SessionState, act: CookieAct): void {
    if (act === "keep") return;
    const exchange = exchangeOf(ctx);
    writeAsOwner(exchange, () => {
      if (act === "send") sendCookie(ctx, this.#settings, state.id, state.cookieExpires);
      // A shared cache could send the cookie of a public response to other clients.
      if (act === "send" && this.#settings.CacheControl !== "") restrictLifetime(exchange);
      if (act === "remove" && hasCookie(ctx, this.#settings.Cookie)) removeCookie(ctx, this.#settings);
    });
  }
}

/** Returns the session of a request to a handler, or `null` if there is none. */
export function use(
  ctx: Context,
  { session }: RequestSessions<unknown>,
  state: SessionState | undefined,
): Session | null {
  if (session === undefined || state === undefined || state.isDestroyed) return null;
  noteCookies(exchangeOf(ctx));
  state.isWanted = true;
  return session;
}
