/**
 * What a session manager is found by without loading it.
 *
 * @module
 */

/**
 * The base of {@linkcode Sessions}. A program that only might use sessions, as `@fw/web/mvc` does, asks for a manager
 * by it, so that the code of sessions is loaded by those who create one.
 */
export abstract class SessionManager {
  /** Closes the store. No request may follow. */
  abstract Close(): Promise<void>;
}
