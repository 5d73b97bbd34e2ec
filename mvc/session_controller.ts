/**
 * The base class for controllers with sessions.
 *
 * @module
 */

import type { Context } from "../src/core/context/context.ts";
import type { Sessions } from "../src/state/sessions/manager.ts";
import type { Session } from "../src/state/sessions/session.ts";
import { SessionManager } from "../src/state/sessions/session_manager.ts";
import { Inject } from "./inject/inject.ts";

/**
 * A base class for controllers that use the visitor's session. Extend it and register a session manager. An empty
 * session is not stored and does not set a cookie.
 *
 * @example Count visits
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mvc from "@fw/web/mvc";
 * import * as sessions from "@fw/web/sessions";
 *
 * class VisitController extends mvc.SessionController {
 *   Get() {
 *     return `Visit ${this.Session.Increment("visits")}`;
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app).Register(sessions.New()).Handle(VisitController);
 *
 * await (await app.fetch(new Request("http://localhost/"))).text(); // → "Visit 1"
 * ```
 */
export class SessionController {
  /** The registered session manager. */
  // The base class is injected, so that the session code is loaded only by programs that create a manager.
  Manager: Sessions = Inject(SessionManager) as Sessions;
  /**
   * The visitor's session. It is available from `BeginRequest` on. The session is stored and its cookie is set when it
   * contains a value.
   */
  Session!: Session;

  /**
   * Starts the session. If a controller overrides `BeginRequest`, it must call and await this method first.
   *
   * @param ctx The request context.
   * @returns A promise if the session store is not in process memory.
   */
  BeginRequest(ctx: Context): void | Promise<void> {
    const session = this.Manager.Start(ctx);
    if (!(session instanceof Promise)) return void (this.Session = session);
    return session.then((started) => void (this.Session = started));
  }
}
