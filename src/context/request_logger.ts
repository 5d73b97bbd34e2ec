/**
 * The log of one request.
 *
 * @module
 */

import type { LogFields } from "../log/fields.ts";
import { type Logger, withSource, writesJSON } from "../log/logger.ts";
import type { AppRuntime } from "./app_runtime.ts";
import type { RouteInfo } from "./route_info.ts";

/** What the log says of a request. */
export interface LoggedRequest {
  readonly runtime: AppRuntime;
  readonly route: { readonly info: RouteInfo | undefined };
  readonly id: string;
  logger: Logger | undefined;
}

/** The application's log, whose lines tell which request they are about. */
export function loggerOf(request: LoggedRequest): Logger {
  return request.logger ??= withSource(request.runtime.host.Logger(), () => logFields(request));
}

function logFields({ id, route: { info }, runtime }: LoggedRequest): LogFields {
  // A person who reads the path learns nothing from a route that is the same.
  const tells = info !== undefined && (info.Params.length > 0 || writesJSON(runtime.host.Logger()));
  return {
    ...id !== "" && { request_id: id },
    ...tells && { route: info.Subdomain + info.Path },
    ...info?.Controller !== undefined && { controller: `${info.Controller}.${info.Action}` },
  };
}
