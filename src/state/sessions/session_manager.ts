/**
 * The base class of session managers. It can be imported without loading the session code.
 *
 * @module
 */

import { type Context, exchangeOf } from "../../core/context/context.ts";
import { viewSourceOf } from "../../core/exchange/exchange.ts";
import type { Session } from "./session.ts";

/**
 * The base class of {@linkcode Sessions}. Code that may or may not use sessions, such as `@fw/web/mvc`, refers to this
 * class, so that the session code is loaded only by programs that create a manager.
 */
export abstract class SessionManager {
  /**
   * Returns the session of a request, and creates it if necessary.
   *
   * @param ctx The request context.
   * @returns The session, or a promise if the store is asynchronous.
   */
  abstract Start(ctx: Context): Session | Promise<Session>;
  /**
   * Returns the session started by this request.
   *
   * @param ctx The request context.
   * @returns The session, or `null` if none was started or it has been destroyed.
   */
  abstract Get(ctx: Context): Session | null;
  /**
   * Loads the flash messages for a template.
   *
   * @ignore
   */
  abstract loadView(ctx: Context): Promise<Record<string, unknown>> | undefined;
  /**
   * Returns the ID of the user that a request's session belongs to, or `undefined` if there is none.
   *
   * @ignore
   */
  abstract userOf(ctx: Context): string | undefined | Promise<string | undefined>;
  /**
   * Gives a request a new session that belongs to a user.
   *
   * @ignore
   */
  abstract logIn(ctx: Context, user: string, terms: LoginTerms): Promise<void>;
  /**
   * Returns the handle of a request's session if it belongs to a user, or an empty string.
   *
   * @ignore
   */
  abstract handleOf(ctx: Context): string;
  /** Closes the store. The manager must not be used afterwards. */
  abstract Close(): Promise<void>;
}

/** The terms of a login. */
export interface LoginTerms {
  /** The names of the values to take over from the session before the login, or `true` for all of them. */
  readonly keep: readonly string[] | true;
  /** Whether the session outlives the browser session. If omitted, the manager's setting is used. */
  readonly remember?: boolean | undefined;
  /** Whether the session also belongs to the users that it belonged to before. */
  readonly isBeside?: boolean;
}

/** The class of sessions, which is known when the session code has been loaded. */
export const sessionClass: { current: unknown } = { current: undefined };

/** Returns the manager that was used last in a request, or in the application around it. */
export function currentManager(ctx: Context): SessionManager | undefined {
  const source = viewSourceOf(exchangeOf(ctx));
  return source instanceof SessionManager ? source : undefined;
}
