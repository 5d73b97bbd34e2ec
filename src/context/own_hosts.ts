/**
 * Determines the hosts whose pages belong to the application itself, for checks of the `Origin` header.
 *
 * @module
 */

import { outermostExchange } from "../exchange/exchange.ts";
import { sentHost } from "../exchange/peer/request_host.ts";
import { type Context, exchangeOf } from "./context.ts";

/**
 * Returns the host that the client requested, followed by the host that the application sees. They differ if a wrapper
 * such as `rewrite` or the application around it has set another host.
 */
export function ownHosts(ctx: Context): readonly string[] {
  return [sentHost(outermostExchange(exchangeOf(ctx)).target), ctx.Host()];
}
