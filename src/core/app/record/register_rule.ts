/**
 * The rules for duplicate routes, which have the same method, subdomain and path template.
 *
 * @module
 */

import { FrameworkError } from "../../../base/errors/errors.ts";
import type { Template } from "../../../http/parameter_types/template.ts";

/** The later route replaces the earlier one. This is the default rule. */
export const RouteOverride = "override" as const;
/** The earlier route is kept and returned. */
export const RouteSkip = "skip" as const;
/** Registering the later route throws. */
export const RouteError = "error" as const;
/** The later route runs if the handlers of the earlier one stop and nothing has decided the response. */
export const RouteOverlap = "overlap" as const;

/** A rule for duplicate routes. Passed to `party.SetRegisterRule`. */
export type RouteRegisterRule =
  | typeof RouteOverride
  | typeof RouteSkip
  | typeof RouteError
  | typeof RouteOverlap;

const rules: ReadonlySet<unknown> = new Set([RouteOverride, RouteSkip, RouteError, RouteOverlap]);

/** Throws if the value is not a rule. */
export function checkRule(rule: RouteRegisterRule): RouteRegisterRule {
  if (rules.has(rule)) return rule;
  throw new FrameworkError("FW_ROUTE", `Cannot set the register rule "${String(rule)}": there is no such rule`);
}

/** Returns a key that is the same for all routes that match the same requests. */
export function keyOf(method: string, subdomain: string, template: Template): string {
  const segments = template.segments.map((segment) =>
    segment.kind === "static" ? `/=${segment.text.replaceAll("/", "%2F")}` : `/{${segment.key}}`
  );
  return `${method} ${subdomain}${segments.join("")}`;
}

/** The properties that are needed to find a route. */
interface Registered {
  readonly route: { readonly Method: string; readonly Subdomain: string };
  readonly template: Template;
  readonly rule: RouteRegisterRule | undefined;
}

/** Finds routes by key. Most applications never look up a route, so the keys are computed on first use. */
export class RouteIndex<R extends Registered> {
  readonly #routes: readonly R[];
  readonly #first = new Map<string, R>();
  #count = 0;

  constructor(routes: readonly R[]) {
    this.#routes = routes;
  }

  /** Returns the first route for a key, or `undefined` if there is none. */
  find(key: string): R | undefined {
    for (; this.#count < this.#routes.length; this.#count++) {
      const record = this.#routes[this.#count];
      if (record === undefined) continue;
      const own = keyOf(record.route.Method, record.route.Subdomain, record.template);
      if (!this.#first.has(own) || isOverriding(record.rule)) this.#first.set(own, record);
    }
    return this.#first.get(key);
  }
}

/**
 * Finds the existing route to keep instead of a new one.
 *
 * @returns The route, or `undefined` if the new route should be registered.
 * @throws {FrameworkError} If the rule rejects the new route.
 */
export function keptRoute<R extends Registered & { readonly route: { readonly Name: string } }>(
  rule: RouteRegisterRule | undefined,
  index: RouteIndex<R>,
  { method, subdomain, template }: { method: string; subdomain: string; template: Template },
  where: string,
): R | undefined {
  if (rule !== RouteSkip && rule !== RouteError) return undefined;
  const existing = index.find(keyOf(method, subdomain, template));
  if (existing === undefined || rule === RouteSkip) return existing;
  throw new FrameworkError("FW_ROUTE", `Cannot register ${where}: "${existing.route.Name}" exists already`);
}

/** Adds error handlers to those of a party for a status. */
export function joinErrorHandlers<H>(
  rule: RouteRegisterRule | undefined,
  before: readonly (readonly H[])[] | undefined,
  handlers: readonly H[],
  where: string,
): readonly (readonly H[])[] {
  if (before === undefined || isOverriding(rule)) return [handlers];
  if (rule === RouteOverlap) return [...before, handlers];
  if (rule === RouteSkip) return before;
  throw new FrameworkError("FW_ROUTE", `Cannot register ${where}: the party has one already`);
}

function isOverriding(rule: RouteRegisterRule | undefined): boolean {
  return rule === undefined || rule === RouteOverride;
}
