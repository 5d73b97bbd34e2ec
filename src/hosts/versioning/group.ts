/**
 * Route groups for specific API versions.
 *
 * @module
 */

import { Party, recordOf, selectRequests } from "../../core/app/party.ts";
import { RouteOverlap } from "../../core/app/record/register_rule.ts";
import { deprecation } from "./deprecation.ts";
import type { DeprecationOptions } from "./deprecation_fields.ts";
import { versionSelector } from "./selector.ts";

/** A party whose routes and error handlers are limited to specific versions. Created by {@linkcode NewGroup}. */
export class Group extends Party {
  /**
   * Created by {@linkcode NewGroup}.
   *
   * @param party The parent party.
   * @param range The version range.
   * @ignore
   */
  constructor(party: Party, range: string) {
    const { prefix, subdomain } = recordOf(party);
    const selector = versionSelector(range);
    super(party, { path: prefix, subdomain });
    this.Install({ Name: "versioning", Many: true, Install: () => selectRequests(this, selector) });
    this.SetRegisterRule(RouteOverlap);
  }

  /**
   * Marks all routes that are registered after this call as deprecated. Their responses include the headers described
   * in {@linkcode DeprecationOptions}, and OpenAPI documents mark them as deprecated.
   *
   * @param options The warning message and the dates.
   * @returns This group.
   */
  Deprecated(options: DeprecationOptions = {}): this {
    return this.Use(deprecation(options));
  }
}

/**
 * Creates a group of routes for the versions in a range. Several groups can have the same routes. If no group supports
 * the requested version, the request is handled by a matching route outside the groups. If there is none, responds with
 * 501. The version alone selects the route. Once its middleware and handlers have started, no other route runs.
 *
 * Only routes with the same path template are versions of each other. If one version has `/teas/new` and another one
 * only `/teas/{name}`, `/teas/new` is a 501 in the other version. The same applies to `{id:int}` and `{id}`.
 *
 * A range is a list of comparators: `<1.0.0`, `<=1.0.0`, `>1.0.0`, `>=1.0.0`, `1.0.0`, `=1.0.0`, `==1.0.0`, `!1.0.0`,
 * `!=1.0.0`. A space or a comma between them means "and", and `||` means "or". `1.x` and `1.2.x` match all versions
 * with that prefix. Pre-releases are compared like any other version.
 *
 * @param party The parent party.
 * @param range The version range.
 * @returns The group. It has the prefix and the middleware of the party.
 * @throws {FrameworkError} If the range is invalid.
 */
export function NewGroup(party: Party, range: string): Group {
  return new Group(party, range);
}
