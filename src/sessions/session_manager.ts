/**
 * The base class of session managers, which can be used without loading their code.
 *
 * @module
 */

/**
 * The base class of {@linkcode Sessions}. Programs that may or may not use sessions, such as `@fw/web/mvc`, refer to
 * this class, so that the session code is only loaded by programs that create a manager.
 */
export abstract class SessionManager {
  /** Closes the store. The manager must not be used afterwards. */
  abstract Close(): Promise<void>;
}
