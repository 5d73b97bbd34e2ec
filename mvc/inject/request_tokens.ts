/**
 * Tokens for values of the request that do not have to be registered.
 *
 * @module
 */

import { Token } from "../reflect/token.ts";

/**
 * The current status code of the response, for example in `HandleHTTPError`.
 *
 * @example Respond to errors of a controller's party
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mvc from "@fw/web/mvc";
 *
 * class TeaController {
 *   Get() {
 *     return "Assam";
 *   }
 *   HandleHTTPError(code = mvc.Inject(mvc.Code)) {
 *     return `Status ${code}`;
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app.Party("/teas")).Handle(TeaController);
 *
 * await (await app.fetch(new Request("http://localhost/teas/none"))).text(); // → "Status 404"
 * ```
 */
export const Code: Token<number> = Token<number>("mvc.Code");

/** The error of the request, or `null` if there is none, for example in `HandleHTTPError`. */
export const Err: Token<Error | null> = Token<Error | null>("mvc.Err");
