/**
 * The base class of session managers. It can be imported without loading the session code.
 *
 * @module
 */

import { type Context, exchangeOf } from "../../core/context/context.ts";
import { viewSourceKey } from "../../core/exchange/compiled_route.ts";
import { valueOf } from "../../core/exchange/exchange.ts";
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
  /** Closes the store. The manager must not be used afterwards. */
  abstract Close(): Promise<void>;
}

/** The class of sessions, which is known when the session code has been loaded. */
export const sessionClass: { current: unknown } = { current: undefined };

/** Returns the manager that was used last in a request, or in the application around it. */
export function currentManager(ctx: Context): SessionManager | undefined {
  const source = valueOf(exchangeOf(ctx), viewSourceKey);
  return source instanceof SessionManager ? source : undefined;
}
