/**
 * Installs extensions. This is the only way in which features attach to an application.
 *
 * @module
 */

import { isThenable } from "../async/thenable.ts";
import { FrameworkError } from "../errors/errors.ts";
import { ExtensionHost } from "./extension_host.ts";
import { type Extension, type HostParty } from "../context/extension.ts";
import { checkExtension, Installation } from "./record/installation.ts";
import type { Route } from "./record/route.ts";
import type { RouteSpec } from "./record_route.ts";
import type { PartyRecord, Registry } from "./record/registry.ts";

/** Installs an extension on a party. */
export function install<T>(
  registry: Registry,
  record: PartyRecord,
  extension: Extension<T>,
  party: HostParty,
  addRoute: (spec: RouteSpec) => Route,
): T {
  checkExtension(extension, record, registry.installed);
  registry.assertNotBuilt(`install "${extension.Name}"`);
  const restore = registry.snapshot(record);
  const installation = new Installation(extension.Name, record);
  registry.installed.push(installation);
  try {
    const result = extension.Install(new ExtensionHost(registry, installation, party, addRoute));
    if (!isThenable(result)) return result;
    result.then(undefined, () => {});
  } catch (error) {
    restore();
    throw error;
  }
  restore();
  throw new FrameworkError(
    "FW_CONFIG",
    `Cannot install "${extension.Name}": its method "Install" is asynchronous; use Check or Run for asynchronous work`,
  );
}
