/**
 * Metadata about handlers for tools, such as the authentication a handler requires.
 *
 * @module
 */

/** An authentication scheme, as described in an OpenAPI document. */
export interface SecurityFact {
  /** The name of the scheme in the document, such as `basic` or `bearer`. */
  readonly name: string;
  /** The scheme, such as `{ type: "http", scheme: "bearer" }`. */
  readonly scheme: Readonly<Record<string, unknown>>;
  /** The scopes that the caller needs. */
  readonly scopes?: readonly string[];
}

/** An event that a WebSocket route handles. */
export interface EventFact {
  /** The namespace, or an empty string for the default one. */
  readonly Namespace: string;
  /** The event name. */
  readonly Name: string;
  /** The controller and its method, or `undefined` for a plain handler. */
  readonly Action: string | undefined;
  /** The schema of the data, or `undefined` if the data is not validated. */
  readonly Schema: unknown;
}

/** Metadata about a handler. */
export interface HandlerFacts {
  /** The authentication that the handler requires. */
  readonly security?: SecurityFact;
  /** Whether the handler only decides whether the caller may use the route. */
  readonly isGuard?: boolean;
  /**
   * The guard that the handler is, such as `auth.Allow("admin")`. It is `anyone` if its routes are open to everyone,
   * and an empty string if the handler only restricts what another guard admits.
   */
  readonly guard?: string | undefined;
  /** Whether the handler only passes calls on to routes that have guards of their own. */
  readonly isRelay?: boolean;
  /** Whether the handler rejects requests without a user, however users log in. */
  readonly needsUser?: boolean;
  /** Whether the handler limits the rate of requests. */
  readonly isLimit?: boolean;
  /** Whether the routes that use the handler are deprecated. */
  readonly isDeprecated?: boolean;
  /** Whether the handler serves a page of a feature, such as a monitor, which is not part of the application's API. */
  readonly isPage?: boolean;
  /** A warning about the handler's configuration, logged when the application is built. */
  readonly warning?: string | undefined;
  /** Reports whether the handler has nothing for a path. For other methods, the path is then unmatched. */
  readonly yieldsAt?: ((path: string) => boolean) | undefined;
  /** Lists the events that the handler receives over WebSocket connections. */
  readonly events?: () => readonly EventFact[];
}

const known = new WeakMap<object, HandlerFacts>();

/** Attaches metadata to a handler. */
export function noteFacts<H extends object>(handler: H, facts: HandlerFacts): H {
  known.set(handler, { ...known.get(handler), ...facts });
  return handler;
}

/** Marks the handler of a feature's page. API documents, tools, sitemaps and suggestions omit its routes. */
export function asPage<H extends object>(handler: H): H {
  return noteFacts(handler, { isPage: true });
}

/** Returns the metadata of a handler. */
export function factsOf(handler: object): HandlerFacts {
  return known.get(handler) ?? {};
}

/**
 * Returns the name of the guard that a handler is, or `undefined` if it only identifies users or does something else.
 */
export function guardName(handler: object & { readonly name?: string }): string | undefined {
  const { isGuard, guard } = factsOf(handler);
  return (guard ?? (isGuard === true ? handler.name || "(anonymous guard)" : "")) || undefined;
}

/** Returns the warning of a handler, if it has one. */
export function warningOf(handler: object): string | undefined {
  return known.get(handler)?.warning;
}
