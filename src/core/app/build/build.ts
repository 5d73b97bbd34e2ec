/**
 * Builds the application. Everything that does not depend on a request is computed here.
 *
 * @module
 */

import { limitsOf } from "../../../http/body/source/body_limits.ts";
import type { Configuration } from "../../../base/config/config.ts";
import type { RunningApplication } from "../../../base/config/running_application.ts";
import type { Context } from "../../context/context.ts";
import { providedValue } from "../../context/provided.ts";
import type { AppRuntime } from "../../exchange/app_runtime.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import { InFlight, type Unfinished } from "../../exchange/ending/in_flight.ts";
import { contentTypes, withCharset } from "../../../http/headers/content_type.ts";
import type { AddressList } from "../../../base/text/addresses.ts";
import { parseBasePath } from "../../../base/text/base_path.ts";
import { RouteOverlap } from "../record/register_rule.ts";
import type { PartyRecord, Registry } from "../record/registry.ts";
import { buildDomain, type Domain, overlap } from "./domain.ts";
import { FoldedParty } from "./folded_party.ts";

/** A built application. */
export interface Built extends Unfinished<Context> {
  readonly runtime: AppRuntime;
  readonly root: Domain;
  /** The subdomains by name. Most applications have none and never read the host. */
  readonly subdomains: ReadonlyMap<string, Domain>;
  /** Whether jobs take over values from the requests that add them. */
  readonly isFollowed: boolean;
}

/** Builds the application from its registry. */
export function build(registry: Registry, runtime: AppRuntime): Built {
  const folded = foldParties(registry.parties);
  const dones = registry.globalDones.splice(0);
  if (dones.length > 0) { for (const record of registry.routes) record.dones = [...record.dones, ...dones]; }
  const subdomains = new Map<string, Domain>();
  const routes = Map.groupBy(registry.routes, (route) => route.party.subdomain);
  for (const [subdomain, parties] of Map.groupBy(registry.parties, (party) => party.subdomain)) {
    const records = { parties, routes: routes.get(subdomain) ?? [] };
    subdomains.set(subdomain, buildDomain({ registry, runtime, folded }, subdomain, records));
  }
  const root = subdomains.get("");
  if (root === undefined) throw new TypeError("Cannot build the application: it has no root party");
  subdomains.delete("");
  const isFollowed = registry.parties.some(({ attached }) =>
    attached !== undefined && (attached.viewFuncs.size > 0 || attached.providers.values().some(({ carry }) => carry))
  );
  return { runtime, root, subdomains, isFollowed, inFlight: new InFlight(), isLeaving: false };
}

function foldParties(parties: readonly PartyRecord[]): Map<PartyRecord, FoldedParty> {
  const folded = new Map<PartyRecord, FoldedParty>();
  const byPrefix = new Map<string, PartyRecord[]>();
  // A party is always recorded after its parent.
  for (const party of parties) {
    const parent = party.parent === undefined ? undefined : folded.get(party.parent);
    const key = party.subdomain + party.prefix;
    const earlier = byPrefix.get(key);
    const before = folded.get(neighborOf(party, earlier) ?? party);
    folded.set(party, new FoldedParty(party, parent, before, overlap.loaded?.joinErrorHandlers));
    if (earlier === undefined) byPrefix.set(key, [party]);
    else earlier.push(party);
  }
  return folded;
}

/** Returns the last of the earlier parties that share a prefix, if the error handlers of both parties apply. */
function neighborOf(party: PartyRecord, earlier: readonly PartyRecord[] | undefined): PartyRecord | undefined {
  if (party.rule !== RouteOverlap && party.selector === undefined) return undefined;
  return earlier?.findLast((other) => !isAbove(other, party));
}

function isAbove(other: PartyRecord, party: PartyRecord | undefined): boolean {
  return party !== undefined && (other === party.parent || isAbove(other, party.parent));
}

/** Creates the state shared by all requests. */
export function createRuntime(
  host: RunningApplication,
  config: Readonly<Configuration>,
  proxies: AddressList,
): AppRuntime {
  const isDefault = config.Charset.toUpperCase() === "UTF-8";
  return {
    host,
    config,
    proxies,
    basePath: parseBasePath(config.BasePath) ?? "",
    limits: limitsOf(config),
    localLimits: { ...limitsOf(config), timeout: { MinRate: 0, Grace: 0, Total: 0 } },
    textType: isDefault ? "" : withCharset("text/plain", config.Charset),
    htmlType: isDefault ? contentTypes.html : withCharset("text/html", config.Charset),
    isCleartext: false,
    leaving: new AbortController(),
    drains: new Set(),
    trailing: new Set(),
    provide: (exchange, key) => providedValue(exchange as Exchange<Context>, key),
    formats: [],
    cutOff: new AbortController(),
    development: undefined,
    onError: undefined,
    reverse: undefined,
    closestPaths: undefined,
    exec: undefined,
    languages: undefined,
  };
}
