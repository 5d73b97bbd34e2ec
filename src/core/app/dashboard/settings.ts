/**
 * The panel of settings: versions, options and where they were set, permissions and the environment.
 *
 * @module
 */

import { type Configuration, defaultConfiguration } from "../../../base/config/config.ts";
import type { AppRuntime } from "../../exchange/app_runtime.ts";
import { callSite } from "../record/call_site.ts";
import type { Registry } from "../record/registry.ts";
import { pathPlace } from "./editor_link.ts";
import { short, withoutSecrets } from "./history.ts";
import denoConfig from "../../../../deno.json" with { type: "json" };

/** The states of permissions. Deno does not report whether a permission was used. */
const states: Readonly<Record<Deno.PermissionState, string>> = {
  granted: "granted",
  prompt: "not granted, or only for some resources",
  denied: "denied",
};

/** Returns the content of the panel. */
export function settingsOf({ settings }: Registry, { config }: AppRuntime): unknown {
  const permissions = (["env", "ffi", "net", "read", "run", "sys", "write"] as const).map((name) => ({
    Permission: name,
    State: states[Deno.permissions.querySync({ name }).state],
  }));
  const isReadable = Deno.permissions.querySync({ name: "env" }).state === "granted";
  const environment = Object.entries(Object(withoutSecrets(isReadable ? Deno.env.toObject() : {})));
  const { os, arch } = Deno.build;
  const versions = { fw: denoConfig.version, Deno: Deno.version.deno, V8: Deno.version.v8, System: `${os} ${arch}` };
  return {
    Versions: Object.entries(versions).map(([Name, Version]) => ({ Name, Version })),
    Options: optionsOf(settings, config),
    Permissions: permissions,
    "Used permissions": "Deno does not report them. deno run -A jsr:@fw/web/permissions observes a task",
    Environment: environment.map(([Name, Value]) => ({ Name, Value })),
  };
}

/** Returns the options with the last call that has changed them. */
function optionsOf(calls: Registry["settings"], config: Configuration): unknown {
  const places = new Map<string, string>();
  [[undefined, defaultConfiguration()] as const, ...calls].forEach(([call, before], at) => {
    const after: Configuration = calls[at]?.[1] ?? config;
    const place = call === undefined ? "before fw.WithDevelopment" : pathPlace(callSite(call.stack ?? "")) || "fw";
    for (const [name, value] of Object.entries(after)) {
      if (shownValue(value) !== shownValue(Reflect.get(before, name))) places.set(name, place);
    }
  });
  return Object.entries(config).map(([Name, value]) => ({
    Name,
    Value: shownValue(value),
    Place: places.get(Name) ?? "default",
  }));
}

/** Returns a value as a line of text. */
export function shownValue(value: unknown): string {
  return short(Deno.inspect(value, { depth: 2, breakLength: Infinity }));
}
