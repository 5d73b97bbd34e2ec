/**
 * Determines the hosts whose pages belong to the application itself, for checks of the `Origin` header.
 *
 * @module
 */

import { outermostExchange } from "../exchange/exchange.ts";
import { requestHost } from "../exchange/peer/request_host.ts";
import { type Context, exchangeOf } from "./context.ts";

/**
 * Returns the host that the client requested, followed by the host that the application sees. They differ if a wrapper
 * such as `rewrite` or the application around it has set another host.
 */
export function ownHosts(ctx: Context): readonly string[] {
  const { target } = outermostExchange(exchangeOf(ctx));
  // The host is determined again, without what wrappers have set.
  return [requestHost({ ...target, url: target.request.url, peer: undefined }), ctx.Host()];
}
