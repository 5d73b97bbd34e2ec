/**
 * Content negotiation, which is loaded on first use.
 *
 * @module
 */

import { LazyModule } from "../../../base/async/lazy_module.ts";
import type { Exchange } from "../../exchange/exchange.ts";

const negotiated = new LazyModule(() => import("./negotiated.ts"));

/** Responds with the representation that the client prefers, or with 406 if the client accepts none. */
export async function negotiate<C>(exchange: Exchange<C>, value: unknown): Promise<void> {
  await (negotiated.loaded ?? await negotiated.get()).negotiate(exchange, value);
}
