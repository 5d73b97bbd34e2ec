/**
 * The base path, below which clients reach the application.
 *
 * @module
 */

import { parseBasePath } from "../../../base/text/base_path.ts";
import { isFromProxy } from "./forwarding.ts";
import { peerOf, type Sender } from "./peer_address.ts";

/**
 * Returns the base path: the path that a trusted proxy has removed, or the configured one. It is URL-encoded and has no
 * trailing slash. If the application has no base path, it is empty.
 */
export function basePath(target: Sender): string {
  return peerOf(target).base ??= findBase(target);
}

function findBase(target: Sender): string {
  const { config, basePath: configured } = target.runtime;
  const headers = config.PrefixProxyHeaders;
  // The outermost application has already used the header.
  if (headers.length === 0 || target.outer?.prefix || !isFromProxy(target)) return configured;
  for (const header of headers) {
    const text = target.request.headers.get(header);
    if (text === null || text === "") continue;
    // Several proxies would send a list, which does not tell which of them has removed its prefix.
    const base = parseBasePath(text);
    if (base !== undefined) return base;
    warnOnce(target.runtime, header);
  }
  return configured;
}

const warned = new WeakSet<object>();

/** Warns of a proxy that sends an invalid prefix. The value is not logged, because it may come from a client. */
function warnOnce(runtime: Sender["runtime"], header: string): void {
  if (warned.has(runtime)) return;
  warned.add(runtime);
  runtime.host.Logger().Warn(`Cannot use the header "${header}" of a trusted proxy: it is not a single absolute path`);
}
