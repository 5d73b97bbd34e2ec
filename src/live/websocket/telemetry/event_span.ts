/**
 * OpenTelemetry spans for WebSocket events.
 *
 * @module
 */

import { HTTPError } from "../../../base/errors/errors.ts";
import { inSpan, type NewSpan } from "../../../core/exchange/span.ts";

/**
 * Runs an event handler within a span if tracing is enabled. Spans created by the handler are its children.
 *
 * @param event The event name.
 * @param run The handler.
 * @returns The return value of the handler.
 */
export function inEventSpan(event: string, run: () => unknown): unknown {
  return inSpan(spanOf, event, run);
}

function spanOf(event: string): NewSpan {
  return { name: `websocket ${event}`, attributes: { "messaging.operation.name": event }, isFailure };
}

/** Reports whether an error is a server error. As with HTTP requests, a rejected event is not. */
function isFailure(error: unknown): boolean {
  return !(error instanceof HTTPError) || error.Status >= 500;
}
