/**
 * The type of the functions that `app.WrapRouter` accepts.
 *
 * @module
 */

/** The URL and method that replace those of the request. Omitted members are not replaced. */
export interface WrapperTarget {
  /** The new URL. */
  readonly URL?: string;
  /** The new method. */
  readonly Method?: string;
}

/**
 * Wraps the router. It can respond itself, or pass the request on to the router, optionally with another URL or method.
 * The last argument contains the URL and method chosen by earlier wrappers.
 */
export type Wrapper = (
  request: Request,
  next: (request: Request, target?: WrapperTarget) => Response | Promise<Response>,
  connection?: unknown,
  target?: WrapperTarget,
) => Response | Promise<Response>;
