/**
 * Applications that this one passes requests to. They share its life.
 *
 * @module
 */

import { FrameworkError } from "../errors/errors.ts";
import type { ForeignFetch } from "./mount.ts";
import type { Hosted } from "./record/hosted.ts";
import type { Registry } from "./record/registry.ts";

/** The applications, by their `fetch` functions. */
const applications = new WeakMap<object, Hosted<Registry>>();

/** Registers an application under its `fetch` function, so that a mount of the function shares its life. */
export function noteApplication(fetch: object, application: Hosted<Registry>): void {
  applications.set(fetch, application);
}

/** Returns the `fetch` function of an application. */
export function fetchOf(inner: ForeignFetch | { readonly fetch: ForeignFetch }): ForeignFetch {
  const { fetch } = Object(inner) as { readonly fetch?: unknown };
  return typeof inner !== "function" && typeof fetch === "function" ? fetch as ForeignFetch : inner as ForeignFetch;
}

/** The place at which an application is served. */
export interface Place {
  /** The path template. */
  readonly prefix: string;
  readonly subdomain?: string;
  /** The hosts, if the place is not a path. */
  readonly hosts?: string;
}

/**
 * Records that an application passes requests to another one, which is then built, started and ended with it. A
 * function that does not belong to an fw application has no life to share.
 *
 * @throws {FrameworkError} If the other application passes requests to the first one.
 */
export function hostApp(outer: Registry, fetch: object, place: Place): void {
  const inner = applications.get(fetch);
  if (inner === undefined) return;
  outer.assertNotBuilt("mount an application");
  if (outer.life !== undefined && inner.life.reaches(outer.life)) {
    throw new FrameworkError(
      "FW_STATE",
      `Cannot mount an application at "${place.prefix}": it passes requests to this one, so that they would never end`,
    );
  }
  outer.inner.add(inner);
  outer.mounts.push({ subdomain: "", ...place, registry: inner.registry });
}
