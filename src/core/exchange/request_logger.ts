/**
 * The logger for a request.
 *
 * @module
 */

import type { LogFields } from "../../base/log/fields.ts";
import { type Logger, withSource, writesJSON } from "../../base/log/logger.ts";
import type { AppRuntime } from "./app_runtime.ts";
import type { RouteInfo } from "./compiled_route.ts";
import { type LabeledCall, labelFields } from "./labels.ts";
import { type Extended, extrasOf } from "./extras.ts";

/** The properties of a request to include in log lines. */
export interface LoggedRequest extends Extended, LabeledCall {
  readonly runtime: AppRuntime;
  readonly route: LabeledCall["route"] & { readonly info: RouteInfo | undefined };
  readonly id: string;
}

/** Returns the application's logger with the fields that identify the request. */
export function loggerOf(request: LoggedRequest): Logger {
  return extrasOf(request).logger ??= withSource(request.runtime.host.Logger(), () => logFields(request));
}

function logFields(request: LoggedRequest): LogFields {
  const { id, route: { info }, runtime } = request;
  // In human-readable logs, a route without parameters would only repeat the path.
  const tells = info !== undefined && (info.Params.length > 0 || writesJSON(runtime.host.Logger()));
  return {
    ...id !== "" && { request_id: id },
    ...tells && { route: info.Subdomain + info.Path },
    ...labelFields(request),
    ...info?.Controller !== undefined && { controller: `${info.Controller}.${info.Action}` },
  };
}
