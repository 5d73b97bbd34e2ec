/**
 * The methods of the protocol.
 *
 * @module
 */

import type { Caller, Calls } from "./calls.ts";
import { codes, type Message, ProtocolError } from "./messages.ts";
import type { Settings } from "./options.ts";
import { listResources, listTemplates } from "./resources.ts";
import type { BoundTool } from "./tool.ts";

/** The supported protocol versions, newest first. */
export const versions: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26"];

/** The dependencies of the methods. */
export interface Service {
  readonly settings: Settings;
  readonly tools: ReadonlyMap<string, BoundTool>;
  readonly calls: Calls;
}

type Method = (service: Service, params: Message["params"], caller: Caller) => unknown;

/** The maximum number of tools or resources per page. */
const pageSize = 200;

const methods: Readonly<Record<string, Method>> = {
  initialize({ settings }, params) {
    const { Name, Version = "0.0.0", Instructions, Resources } = settings;
    return {
      protocolVersion: versionFor(params["protocolVersion"]),
      capabilities: { tools: {}, ...Resources === false ? {} : { resources: {} } },
      serverInfo: { name: Name, version: Version },
      ...Instructions === undefined ? {} : { instructions: Instructions },
    };
  },
  ping() {
    return {};
  },
  "tools/list"({ tools }, params) {
    return page("tools", [...tools.values()].map(({ tool }) => tool), params);
  },
  "tools/call"({ tools, calls }, params, caller) {
    const { name, arguments: given = {} } = params;
    const tool = typeof name === "string" ? tools.get(name) : undefined;
    if (tool === undefined) throw new ProtocolError(codes.params, `Cannot call "${name}": there is no such tool`);
    return calls.callTool(tool, given, caller);
  },
  "resources/list"(service, params) {
    return page("resources", listResources(resourcesOf(service)), params);
  },
  "resources/templates/list"(service, params) {
    return page("resourceTemplates", listTemplates(resourcesOf(service)), params);
  },
  "resources/read"(service, params, caller) {
    return service.calls.readResource(resourcesOf(service), params["uri"], caller);
  },
};

/** Selects the protocol version. This is the client's version if it is supported, or the newest one otherwise. */
export function versionFor(wanted: unknown): string {
  return versions.find((version) => version === wanted) ?? versions[0] ?? "";
}

/** Handles a request. */
export function serveMethod(service: Service, { method, params }: Message, caller: Caller): unknown {
  const serve = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (serve === undefined) throw new ProtocolError(codes.method, `Cannot serve "${method}": there is no such method`);
  return serve(service, params, caller);
}

function resourcesOf({ settings, tools }: Service): Iterable<BoundTool> {
  return settings.Resources === false ? [] : tools.values();
}

/** Returns one page of a list. The cursor is the index of the first item on the next page. */
function page(name: string, all: readonly unknown[], { cursor }: Message["params"]): Record<string, unknown> {
  const start = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isSafeInteger(start) || start < 0 || start > all.length) {
    throw new ProtocolError(codes.params, `Cannot list ${name}: "${cursor}" is not a cursor`);
  }
  const end = start + pageSize;
  return { [name]: all.slice(start, end), ...end < all.length ? { nextCursor: String(end) } : {} };
}
