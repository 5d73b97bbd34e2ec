/**
 * Lists the routes of an application and of the applications that it passes requests to.
 *
 * @module
 */

import type { ParamSegment, Segment, Template } from "../../../http/parameter_types/template.ts";
import type { Handler } from "../../context/handler.ts";
import { reachableRoutes } from "./reachable_routes.ts";
import type { MountedApp, PartyRecord, Registry, RouteRecord } from "../record/registry.ts";
import { isNamed, Route } from "../record/route.ts";

/** A route of an application, or of one that it passes requests to. */
export interface ServedRoute {
  /**
   * The route as clients reach it. Its path includes the prefixes of all mounts, and the parties of its application are
   * inside those of the applications around it, so that its middleware includes theirs.
   */
  readonly record: RouteRecord;
  /** The hosts that it is limited to, or an empty array if there is no such limit. */
  readonly hosts: readonly string[];
  /** Whether another application than the given one serves it. */
  readonly isInner: boolean;
  /** The route as its application has registered it. */
  readonly target: Route;
  /** The routes of the mounts that requests to it pass. */
  readonly mounts: readonly Route[];
  /** The name of the route that serves its requests instead, or `undefined` if it is reachable. */
  readonly replacedBy: string | undefined;
}

/**
 * Lists the routes in registration order. Those of a mounted application take the place of its mount, and those of
 * switched applications come last. The routes of mounts of other functions are listed as they are.
 */
export function servedIn(registry: Registry): readonly ServedRoute[] {
  const { routes } = registry;
  const reachable = new Set(reachableRoutes(routes));
  const winners = new Map([...reachable].map((record) => [shapeOf(record), record.route.Name]));
  const waiting = new Map(
    registry.mounts.flatMap((mount) => mount.handler === undefined ? [] : [[mount.handler, mount]]),
  );
  const passing: ReadonlySet<Handler | undefined> = new Set(waiting.keys());
  // These are more specific than a mount above them.
  const own = new Set(routes.filter(({ handlers }) => !passing.has(handlers.at(-1))).map(shapeOf));
  const served: ServedRoute[] = [];
  for (const record of routes) {
    const handler = record.handlers.at(-1);
    const replacedBy = reachable.has(record) ? undefined : winners.get(shapeOf(record));
    const mount = handler && waiting.get(handler);
    if (!passing.has(handler)) {
      served.push({ record, hosts: [], isInner: false, target: record.route, mounts: [], replacedBy });
    }
    if (handler === undefined || mount === undefined) continue;
    // A mount has several routes.
    waiting.delete(handler);
    for (const inner of innerRoutes(registry, mount, [])) {
      const shape = shapeOf(inner.record);
      const covering = own.has(shape) ? winners.get(shape) : undefined;
      served.push({ ...inner, replacedBy: inner.replacedBy ?? replacedBy ?? covering });
    }
  }
  for (const [, places] of Map.groupBy(registry.mounts.filter(({ hosts }) => hosts !== undefined), inside)) {
    const [first] = places;
    if (first !== undefined) served.push(...innerRoutes(registry, first, places.map(({ hosts = "" }) => hosts)));
  }
  return served;
}

function inside({ registry }: MountedApp): Registry {
  return registry;
}

/** Lists the routes of an inner application as the outer one serves them. */
function innerRoutes(outer: Registry, mount: MountedApp, hosts: readonly string[]): ServedRoute[] {
  const homes = new Map<PartyRecord, PartyRecord>();
  // A switch passes requests on before the middleware of routes.
  const before = mount.handler === undefined ? [] : [...outer.globals, ...mount.uses];
  const mounts = mount.handler === undefined
    ? []
    : outer.routes.filter(({ handlers }) => handlers.at(-1) === mount.handler).map(({ route }) => route);
  return servedIn(mount.registry).map((inner) => ({
    ...inner,
    mounts: [...mounts, ...inner.mounts],
    record: { ...inner.record, ...moved(inner.record, mount), party: homeOf(inner.record.party, mount, before, homes) },
    hosts: inner.hosts.length > 0 ? inner.hosts : hosts,
    isInner: true,
  }));
}

/** Returns the party of an inner application as a party of the outer one. */
function homeOf(
  party: PartyRecord,
  mount: MountedApp,
  before: readonly Handler[],
  homes: Map<PartyRecord, PartyRecord>,
): PartyRecord {
  const known = homes.get(party);
  if (known !== undefined) return known;
  const isRoot = party.parent === undefined;
  const home: PartyRecord = {
    ...party,
    parent: party.parent === undefined ? mount.party : homeOf(party.parent, mount, before, homes),
    prefix: below(mount.prefix, party.prefix),
    subdomain: party.subdomain || mount.subdomain,
    routerUses: isRoot ? [...before, ...party.routerUses] : party.routerUses,
  };
  homes.set(party, home);
  return home;
}

function moved({ route, template }: RouteRecord, mount: MountedApp): Pick<RouteRecord, "route" | "template"> {
  const whole = joinTemplates(mount.template, template);
  const { LastMod, ChangeFreq, Priority, IsExcluded } = route.Sitemap;
  const { Method, Controller, Action, Inputs } = route;
  const copy = new Route({
    Method,
    Path: below(mount.prefix, route.Path),
    Subdomain: route.Subdomain || mount.subdomain,
    Params: whole.names.slice(0, mount.template.names.length + route.Params.length),
    Controller,
    Action,
    Inputs,
  }).Describe(route.Description);
  if (isNamed(route)) copy.SetName(route.Name);
  if (LastMod !== undefined) copy.SetLastMod(LastMod);
  if (ChangeFreq !== undefined) copy.SetChangeFreq(ChangeFreq);
  if (Priority !== undefined) copy.SetPriority(Priority);
  if (IsExcluded === true) copy.ExcludeSitemap();
  return { route: copy, template: whole };
}

/** Joins two templates. A parameter of the second one whose name the first one has, too, is renamed. */
function joinTemplates(prefix: Template, path: Template): Template {
  const segments = path.segments.map((segment): Segment =>
    segment.kind === "param" && prefix.names.includes(segment.name)
      ? { ...segment, name: `${segment.name}_2` }
      : segment
  );
  const names = segments.filter((segment): segment is ParamSegment => segment.kind === "param").map(({ name }) => name);
  return {
    source: below(prefix.source, path.source),
    segments: [...prefix.segments, ...segments],
    names: [...prefix.names, ...names],
  };
}

/** Joins two normalized paths. */
export function below(prefix: string, path: string): string {
  return prefix === "/" ? path : path === "/" ? prefix : prefix + path;
}

/** Returns a key that is the same for two routes if they accept the same requests, apart from their versions. */
function shapeOf({ route, template, party }: RouteRecord): string {
  const segments = template.segments.map((segment) => segment.kind === "static" ? segment.text : `{${segment.key}}`);
  return JSON.stringify([route.Method, party.subdomain, ...segments]);
}
