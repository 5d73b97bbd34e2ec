/**
 * The base class of session managers. It can be imported without loading the session code.
 *
 * @module
 */

/**
 * The base class of {@linkcode Sessions}. Code that may or may not use sessions, such as `@fw/web/mvc`, refers to this
 * class, so that the session code is loaded only by programs that create a manager.
 */
export abstract class SessionManager {
  /** Closes the store. The manager must not be used afterwards. */
  abstract Close(): Promise<void>;
}
