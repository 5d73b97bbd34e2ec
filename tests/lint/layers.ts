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
  "src/base/async": 0,
  "src/base/data": 0,
  "src/base/errors": 0,
  "src/base/log": 0,
  "src/base/command": 1,
  "src/base/signature": 1,
  "src/base/text": 1,
  "src/base/codec": 1.2,
  "src/base/config": 1.5,
  "src/pages/formats": 1.5,
  "src/pages/engine": 1.9,
  "src/http/headers": 2,
  "src/pages/i18n": 2,
  "src/state/keys": 2,
  "src/http/parameter_types": 2,
  "src/http/server": 2,
  "src/state/store": 2,
  "src/pages/view": 2,
  "src/pages/engine/default": 2.1,
  "src/pages/view/engines": 2.2,
  "src/state/redis": 2.2,
  "src/http/body/source": 3,
  "src/http/body/form": 3.1,
  "src/http/body/multipart": 3.2,
  "src/http/body/upload": 3.3,
  "src/http/body": 3.4,
  "src/http/response": 3,
  "src/http/response/file": 3.1,
  "src/http/router": 3,
  "src/core/accessors": 3.5,
  "src/core/exchange/chain": 3.6,
  "src/core/exchange/peer": 3.6,
  "src/core/exchange": 3.7,
  "src/core/context/format": 3.9,
  "src/core/exchange/ending": 3.95,
  "src/core/context": 4,
  "src/core/serialize": 4.5,
  "src/middleware/compress": 4.9,
  "src/middleware/metrics": 4.9,
  "src/live/hub/types": 4.9,
  "src/live/hub": 5,
  "src/live/hub/sqlite": 5.1,
  "src/middleware": 5,
  "src/state/sessions": 5,
  "src/core/static": 5,
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
  "src/live/answers/client": 5.1,
  "src/live/answers": 5.2,
  "src/live/websocket/client": 5.4,
  "src/live/websocket/processes": 5.4,
  "src/live/websocket/telemetry": 5.4,
  "src/live/websocket/wire": 5.4,
  "src/live/websocket": 5.5,
  "src/hosts/proxy": 5.6,
  "src/core/app/record": 6,
  "src/core/app/seam": 6.1,
  "src/core/app/build": 6.1,
  "src/core/app/inspect": 6.2,
  "src/core/app/serve": 6.2,
  "src/core/app": 6.3,
  "src/hosts/apps": 6.4,
  "src/hosts/versioning": 6.5,
  "mvc/reflect": 7.1,
  "mvc/inject": 7.2,
  "mvc/result": 7.3,
  "mvc/serve": 7.4,
  "mvc/route": 7.5,
  "mvc/socket": 7.5,
  "mvc": 7.6,
  "src/work/jobs": 7.8,
  "src/work/jobs/stores": 7.85,
  "src/tools/init/parts": 7.9,
  "src/api/openapi/page": 7.9,
  "src/api/client": 8,
  "src/tools/explain": 8,
  "src/tools/httptest": 8,
  "src/tools/lint": 8,
  "src/tools/init": 8,
  "src/api/openapi": 8,
  "src/work/mail": 8,
  "src/tools/permissions": 8,
  "src/work/webhooks": 8,
  "src/tools/routes": 8,
  "mod.ts": 8,
  "src/api/openapi/sources": 8.1,
  // Tools are described in the same way as the operations of an OpenAPI document.
  "src/api/mcp/wire": 8.3,
  "src/api/mcp/tool": 8.4,
  "src/api/mcp": 8.5,
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
 * Returns the folder of a file, such as `src/core/app` for `src/core/app/party.ts`. For a file at the top level, returns its own
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
