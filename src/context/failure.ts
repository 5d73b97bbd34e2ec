/**
 * What becomes of an error that a handler threw.
 *
 * @module
 */

import { HTTPError } from "../base/errors.ts";
import { toError } from "../base/to_error.ts";
import { resetBody } from "../response/draft.ts";
import type { Exchange } from "./exchange.ts";
import { rawPath } from "../http/path_place.ts";

/**
 * Turns a thrown value into the response. An `HTTPError` is meant for the client; of any other error the client learns
 * only the status, and the log everything.
 */
export function fail<C>(exchange: Exchange<C>, thrown: unknown): void {
  const error = toError(thrown);
  const isPublic = error instanceof HTTPError;
  const { draft, runtime, method, place } = exchange;
  resetBody(draft);
  draft.status = isPublic ? error.Status : 500;
  exchange.error = error;
  exchange.isErrorPublic = isPublic;
  exchange.chain.stopped = true;
  if (!isPublic) runtime.host.Logger().Error(`Cannot serve ${method} ${rawPath(place)}:`, error);
}
