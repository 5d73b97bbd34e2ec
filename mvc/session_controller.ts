/**
 * A controller whose requests have a session.
 *
 * @module
 */

import type { Context } from "../src/context/context.ts";
import type { Sessions } from "../src/sessions/manager.ts";
import type { Session } from "../src/sessions/session.ts";
import { SessionManager } from "../src/sessions/session_manager.ts";
import { Inject } from "./inject/inject.ts";

/**
 * A base for controllers that use the session of their visitor: extend it, and register a session manager. A session in
 * which nothing is set is not stored, and its visitor gets no cookie.
 *
 * @example A counter of visits
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
  /** The manager that is registered. */
  // By its base: the code of sessions is loaded by programs that create a manager, and not by all that have
  // controllers.
  Manager: Sessions = Inject(SessionManager) as Sessions;
  /** The visitor's session, from `BeginRequest` on. It is stored, and its cookie sent, once something is set in it. */
  Session!: Session;

  /**
   * Starts the session. A controller with a `BeginRequest` of its own calls this one first, and awaits it.
   *
   * @param ctx The request.
   * @returns A promise only when the manager's store is not in the process.
   */
  BeginRequest(ctx: Context): void | Promise<void> {
    const session = this.Manager.Start(ctx);
    if (!(session instanceof Promise)) return void (this.Session = session);
    return session.then((started) => void (this.Session = started));
  }
}
