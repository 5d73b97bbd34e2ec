/**
 * Groups of routes for some versions of an API.
 *
 * @module
 */

import { Party, recordOf } from "../app/party.ts";
import { RouteOverlap } from "../app/record/register_rule.ts";
import { deprecation, type DeprecationOptions } from "./deprecation.ts";
import { versionSelector } from "./selector.ts";

/** A party whose routes and error handlers serve some versions only, created by {@linkcode NewGroup}. */
export class Group extends Party {
  /**
   * Created by {@linkcode NewGroup}.
   *
   * @param party The party of the group.
   * @param range The versions that it serves.
   * @ignore
   */
  constructor(party: Party, range: string) {
    const { prefix, subdomain } = recordOf(party);
    const selector = versionSelector(range);
    super(party, { path: prefix, subdomain });
    recordOf(this).selector = selector;
    this.SetRegisterRule(RouteOverlap);
  }

  /**
   * Marks the routes registered from now on as deprecated: their responses have the header fields of
   * {@linkcode DeprecationOptions}.
   *
   * @param options The warning and the dates.
   * @returns This group.
   */
  Deprecated(options: DeprecationOptions = {}): this {
    return this.Use(deprecation(options));
  }
}

/**
 * Creates a group of routes that serve the versions within a range. Several groups can have the same routes. A request
 * for a version that none of them serves is served by a route outside of the groups, or else gets 501.
 *
 * A range is a list of comparators: `<1.0.0`, `<=1.0.0`, `>1.0.0`, `>=1.0.0`, `1.0.0`, `=1.0.0`, `==1.0.0`, `!1.0.0`,
 * `!=1.0.0`. A blank or a comma between them means "and", `||` means "or". `1.x` and `1.2.x` name all versions that
 * begin so. A pre-release is compared like any other version.
 *
 * @param party The party.
 * @param range The versions.
 * @returns The group, with the prefix and the middleware of the party.
 * @throws {FrameworkError} If the range is malformed.
 */
export function NewGroup(party: Party, range: string): Group {
  return new Group(party, range);
}
