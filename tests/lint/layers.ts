/**
 * The order of the folders, and helpers for paths in the repository.
 *
 * @module
 */

import { fromFileUrl } from "@std/path";

const root = fromFileUrl(new URL("../../", import.meta.url)).replaceAll("\\", "/");

/**
 * The rooms of the sources, from the ground up, and the folders of each room. A file may import from its own folder and from
 * all folders that come before it. `.` is the room itself.
 */
const rooms: Readonly<Record<string, readonly string[]>> = {
  // The package name and version.
  "deno.json": ["."],
  "src/base": ["async", "time", "data", "errors", "log", "text", "command", "signature", "codec", "config"],
  "src/http": [
    "page",
    "headers",
    "parameter_types",
    "server",
    "router",
    "body/source",
    "body/form",
    "body/multipart",
    "body/upload",
    "body",
    "response",
    "response/file",
  ],
  "src/pages": ["formats", "engine", "i18n", "view", "engine/default", "view/engines"],
  "src/core": [
    ".",
    "accessors",
    "exchange/chain",
    "exchange/peer",
    "exchange",
    "context/format",
    "exchange/ending",
    "context",
    "serialize",
    "static",
    "app/record",
    "app/seam",
    "app/build",
    "app/serve",
    "app/inspect",
    "app/dashboard",
    "app",
  ],
  "src/state": ["keys", "store", "redis", "sessions"],
  "src/middleware": [
    "compress",
    "metrics",
    "password",
    ".",
    "login",
    "accesslog",
    "basicauth",
    "cache",
    "csrf",
    "health",
    "jwt",
    "methodoverride",
    "monitor",
    "oauth",
    "policy",
    "apikeys",
    "rewrite",
    "secure",
  ],
  "src/hosts": ["proxy", "apps", "versioning"],
  "mvc": ["reflect", "inject", "result", "serve", "route", "socket", "."],
  "src/live": [
    "hub/types",
    "hub",
    "hub/sqlite",
    "answers/client",
    "answers",
    "websocket/client",
    "websocket/processes",
    "websocket/telemetry",
    "websocket/wire",
    "websocket",
  ],
  "src/work": ["jobs", "jobs/stores", "mail", "webhooks"],
  "mod.ts": ["."],
  "src/api": ["client", "openapi/page", "openapi", "openapi/sources", "mcp/wire", "mcp/tool", "mcp"],
  "src/tools": ["httptest", "lint", "init/parts", "init", "explain", "permissions", "routes"],
};

const order: readonly string[] = Object.entries(rooms).flatMap(([room, folders]) =>
  folders.map((folder) => folder === "." ? room : `${room}/${folder}`)
);

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

/** Returns the position of a folder, counted from the ground, or `undefined` if it has none. */
export function placeOf(folder: string): number | undefined {
  const place = order.indexOf(folder);
  return place < 0 ? undefined : place;
}
