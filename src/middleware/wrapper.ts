/**
 * What middleware gives to `app.WrapRouter`.
 *
 * @module
 */

/** What a request is taken for; whatever is omitted is the request's own. */
export interface WrapperTarget {
  /** The URL that is meant. */
  readonly URL?: string;
  /** The method that is meant. */
  readonly Method?: string;
}

/**
 * Stands around the router: it may respond itself, or have the router take a request for another. What wrappers before
 * it have chosen is its last argument.
 */
export type Wrapper = (
  request: Request,
  next: (request: Request, target?: WrapperTarget) => Response | Promise<Response>,
  connection?: unknown,
  target?: WrapperTarget,
) => Response | Promise<Response>;
