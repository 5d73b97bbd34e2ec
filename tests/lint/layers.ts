/**
 * The layer of each folder, and helpers for paths in the repository.
 *
 * @module
 */

import { fromFileUrl } from "@std/path";

const root = fromFileUrl(new URL("../../", import.meta.url)).replaceAll("\\", "/");

/**
 * The layers, from low to high. Folders in the same layer cannot import one another. A subfolder has its own layer, so
 * that a folder and its subfolder cannot import each other.
 */
const layers: Readonly<Record<string, number>> = {
  // The package name and version.
  "deno.json": -1,
  "src/async": 0,
  "src/data": 0,
  "src/errors": 0,
  "src/log": 0,
  "src/command": 1,
  "src/signature": 1,
  "src/text": 1,
  "src/codec": 1.2,
  "src/config": 1.5,
  "src/formats": 1.5,
  "src/engine": 1.9,
  "src/http": 2,
  "src/i18n": 2,
  "src/keys": 2,
  "src/parameter_types": 2,
  "src/server": 2,
  "src/store": 2,
  "src/view": 2,
  "src/engine/default": 2.1,
  "src/view/engines": 2.2,
  "src/redis": 2.2,
  "src/body/source": 3,
  "src/body/form": 3.1,
  "src/body/multipart": 3.2,
  "src/body/upload": 3.3,
  "src/body": 3.4,
  "src/response": 3,
  "src/response/file": 3.1,
  "src/router": 3,
  "src/accessors": 3.5,
  "src/exchange/chain": 3.6,
  "src/exchange/peer": 3.6,
  "src/exchange": 3.7,
  "src/context/format": 3.9,
  "src/exchange/ending": 3.95,
  "src/context": 4,
  "src/serialize": 4.5,
  "src/middleware/compress": 4.9,
  "src/middleware/metrics": 4.9,
  "src/live/types": 4.9,
  "src/live": 5,
  "src/live/sqlite": 5.1,
  "src/middleware": 5,
  "src/sessions": 5,
  "src/static": 5,
  "src/middleware/login": 5.05,
  "src/middleware/accesslog": 5.1,
  "src/middleware/basicauth": 5.1,
  "src/middleware/cache": 5.1,
  "src/middleware/csrf": 5.1,
  "src/middleware/health": 5.1,
  "src/middleware/jwt": 5.1,
  "src/middleware/methodoverride": 5.1,
  "src/middleware/monitor": 5.1,
  "src/middleware/oauth": 5.1,
  "src/middleware/rewrite": 5.1,
  "src/middleware/secure": 5.1,
  "src/answers/client": 5.1,
  "src/answers": 5.2,
  "src/websocket/client": 5.4,
  "src/websocket/processes": 5.4,
  "src/websocket/telemetry": 5.4,
  "src/websocket/wire": 5.4,
  "src/websocket": 5.5,
  "src/proxy": 5.6,
  "src/app/record": 6,
  "src/app/seam": 6.1,
  "src/app/build": 6.1,
  "src/app/inspect": 6.2,
  "src/app/serve": 6.2,
  "src/app": 6.3,
  "src/apps": 6.4,
  "src/versioning": 6.5,
  "mvc/reflect": 7.1,
  "mvc/inject": 7.2,
  "mvc/result": 7.3,
  "mvc/serve": 7.4,
  "mvc/route": 7.5,
  "mvc/socket": 7.5,
  "mvc": 7.6,
  "src/jobs": 7.8,
  "src/jobs/stores": 7.85,
  "src/init/parts": 7.9,
  "src/openapi/page": 7.9,
  "src/client": 8,
  "src/explain_command": 8,
  "src/httptest": 8,
  "src/lint": 8,
  "src/init": 8,
  "src/openapi": 8,
  "src/mail": 8,
  "src/permissions_command": 8,
  "src/webhooks": 8,
  "src/routes_command": 8,
  "mod.ts": 8,
  "src/openapi/sources": 8.1,
  // Tools are described in the same way as the operations of an OpenAPI document.
  "src/mcp/wire": 8.3,
  "src/mcp/tool": 8.4,
  "src/mcp": 8.5,
};

/** Returns the path of a file relative to the repository, with forward slashes. */
export function repoPath(filename: string): string {
  const path = filename.replaceAll("\\", "/");
  return path.startsWith(root) ? path.slice(root.length) : path;
}

/** Returns the absolute path of a file in the repository. */
export function repoFile(path: string): string {
  return root + path;
}

/** Reports whether a file is published. Most rules only apply to published files and not to tests and examples. */
export function isPublished(filename: string): boolean {
  return /^(src|mvc)\/|^mod\.ts$/.test(repoPath(filename));
}

/** Reports whether a file is a test or a test helper. */
export function isTest(filename: string): boolean {
  return repoPath(filename).startsWith("tests/");
}

/**
 * Returns the folder of a file, such as `src/app` for `src/app/party.ts`. For a file at the top level, returns its own
 * name.
 */
export function folderOf(path: string): string {
  const end = path.lastIndexOf("/");
  return end < 0 ? path : path.slice(0, end);
}

/** Returns the layer of a folder, or `undefined` if the folder is not in the table. */
export function layerOf(folder: string): number | undefined {
  return Object.hasOwn(layers, folder) ? layers[folder] : undefined;
}
