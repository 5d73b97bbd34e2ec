/**
 * What middleware gives to `app.WrapRouter`.
 *
 * @module
 */

/** Stands around the router: it may respond itself, or have the router take a request for another. */
export type Wrapper = (
  request: Request,
  next: (
    request: Request,
    target?: { readonly URL?: string; readonly Method?: string },
  ) => Response | Promise<Response>,
) => Response | Promise<Response>;
