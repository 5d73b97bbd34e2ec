/**
 * Errors that handlers can throw.
 *
 * @module
 */

/** An error after which a job is not retried. */
export class PermanentError extends Error {
  /**
   * Creates an error.
   *
   * @param message The error message.
   * @param options The cause, if any.
   */
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "PermanentError";
  }
}
