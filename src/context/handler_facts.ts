/**
 * What tools may know of a handler beyond its source: what it demands of a request.
 *
 * @module
 */

/** A way to authenticate, as an OpenAPI document names and describes it. */
export interface SecurityFact {
  /** The name of the scheme within the document: `basic`, `bearer`. */
  readonly name: string;
  /** The scheme: `{ type: "http", scheme: "bearer" }`. */
  readonly scheme: Readonly<Record<string, unknown>>;
}

/** An event that a WebSocket route handles. */
export interface EventFact {
  /** The namespace; empty for the default one. */
  readonly Namespace: string;
  /** The event name. */
  readonly Name: string;
  /** The controller and its method; `undefined` for a plain handler. */
  readonly Action: string | undefined;
  /** The schema of its data; `undefined` if the data is not checked. */
  readonly Schema: unknown;
}

/** The facts of one handler. */
export interface HandlerFacts {
  /** The authentication that it demands. */
  readonly security?: SecurityFact;
  /** What its configuration lacks, logged when the application is built. */
  readonly warning?: string | undefined;
  /** Lists the events that it handles over WebSocket connections. */
  readonly events?: () => readonly EventFact[];
}

const known = new WeakMap<object, HandlerFacts>();

/** Notes facts of a handler. */
export function noteFacts<H extends object>(handler: H, facts: HandlerFacts): H {
  known.set(handler, { ...known.get(handler), ...facts });
  return handler;
}

/** Reads the facts of a handler. */
export function factsOf(handler: object): HandlerFacts {
  return known.get(handler) ?? {};
}

/** Reads what a handler warns of. */
export function warningOf(handler: object): string | undefined {
  return known.get(handler)?.warning;
}
