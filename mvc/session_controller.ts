/**
 * The base class for controllers with sessions.
 *
 * @module
 */

import type { Context } from "../src/context/context.ts";
import type { Sessions } from "../src/sessions/manager.ts";
import type { Session } from "../src/sessions/session.ts";
import { SessionManager } from "../src/sessions/session_manager.ts";
import { Inject } from "./inject/inject.ts";

/**
 * A base class for controllers that use the visitor's session. Extend it and register a session manager. An empty
 * session is not stored, and its visitor receives no cookie.
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
  // Injected by its base class, so that the session code is only loaded by programs that create a manager, not by all
  // programs with controllers.
  Manager: Sessions = Inject(SessionManager) as Sessions;
  /**
   * The visitor's session, available from `BeginRequest` on. It is stored, and its cookie sent, once it contains a
   * value.
   */
  Session!: Session;

  /**
   * Starts the session. If a controller overrides `BeginRequest`, it must first call and await this method.
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
