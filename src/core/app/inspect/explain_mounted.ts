/**
 * Explains a request that is passed to a mounted application.
 *
 * @module
 */

import type { MountedApp } from "../record/registry.ts";
import type { Explanation } from "./explanation.ts";
import { below } from "./served_routes.ts";

/** Adds the explanation of the mounted application to that of the application around it. */
export async function explainMounted(mount: MountedApp, outer: Explanation): Promise<Explanation> {
  const inner = mount.registry.app as { Explain(method: string, path: string): Promise<Explanation> } | undefined;
  if (inner === undefined) return outer;
  const rest = restOf(outer.Path, mount.template.segments.length);
  const removed = outer.Path.slice(0, outer.Path.length - rest.length);
  const found = await inner.Explain(outer.Method, rest.startsWith("/") ? rest : `/${rest}`);
  const template = found.Template?.replace(/\/.*/s, (path) => below(mount.prefix, path));
  return {
    ...found,
    Path: outer.Path,
    Route: found.Route === found.Template ? template : found.Route,
    Template: template,
    Version: [outer.Version, found.Version].filter((version) => version !== undefined).join(" ") || undefined,
    Location: found.Location && removed + found.Location,
    Params: { ...outer.Params, ...found.Params },
    Chain: [...outer.Chain, ...found.Chain],
    Security: [...outer.Security, ...found.Security],
  };
}

/** Returns a path without its first segments. */
function restOf(path: string, count: number): string {
  return path.replace(new RegExp(`^(?:/+[^/?]+){${count}}`), "");
}
