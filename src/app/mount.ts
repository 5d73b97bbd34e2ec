/**
 * Where things lie below a party: the prefixes of parties, folders of files, and other applications.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import { type Context, exchangeOf } from "../context/context.ts";
import { bodyOf } from "../context/exchange.ts";
import type { Handler } from "../context/handler.ts";
import { trimFinalSlashes } from "../http/request_line.ts";
import type { DirHandler } from "../static/dir_handler.ts";
import type { DirOptions } from "../static/options.ts";
import type { Registry } from "./registry.ts";

/** What a party's path says. */
export interface Prefix {
  readonly subdomain: string;
  readonly path: string;
}

/** Reads a party's path: `/users`, `admin.`, `admin./users`, `*.`, inside the party above. */
export function readPrefix(path: string, parent: Prefix): Prefix {
  // Inside of the function: letters of all scripts take V8 half a millisecond to read, and most programs need none.
  const match = String(path).includes(".")
    ? /^((?:\*|[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)*)\.)(\/.*)?$/u.exec(path)
    : null;
  if (match === null) return { subdomain: parent.subdomain, path: joinPaths(parent.path, path) };
  const [, name = "", rest = ""] = match;
  if (parent.path !== "/") {
    throw new FrameworkError(
      "FW_ROUTE",
      `Cannot create the party "${path}": a subdomain cannot lie below the path "${parent.path}"`,
    );
  }
  if (parent.subdomain !== "" && (name === "*." || parent.subdomain === "*.")) {
    throw new FrameworkError("FW_ROUTE", `Cannot create the party "${name}": it lies in "${parent.subdomain}" already`);
  }
  return { subdomain: hostForm(name) + parent.subdomain, path: joinPaths("/", rest) };
}

/** A subdomain as it stands in a host: in small letters, and in the ASCII form that browsers send. */
function hostForm(name: string): string {
  const url = name === "*." ? null : URL.parse(`http://${name}x/`);
  return url === null ? name.toLowerCase() : url.hostname.slice(0, -1);
}

/** Joins two paths with one slash between them and none at the end. */
export function joinPaths(prefix: string, path: string): string {
  if (typeof path !== "string") {
    throw new FrameworkError("FW_TEMPLATE", `Cannot read path template "${String(path)}": it is not a string`);
  }
  // Most are written as they are joined: the pattern below takes ten times as long.
  if (isTidy(path)) {
    return prefix === "/" ? path : isTidy(prefix) ? prefix + path : `${trimFinalSlashes(prefix)}${path}`;
  }
  const whole = `${trimFinalSlashes(prefix)}/${path.replace(/^\/+/, "")}`;
  return trimFinalSlashes(whole) || "/";
}

/** Reports whether a path begins with one slash and ends without one. */
function isTidy(path: string): boolean {
  return path.length > 1 && path.charCodeAt(0) === slash && path.charCodeAt(1) !== slash &&
    path.charCodeAt(path.length - 1) !== slash;
}

const slash = 47;

/** Where a path is written in another spelling, and how it is written here. */
interface ForeignSpelling {
  readonly found: string;
  readonly ours: string;
}

/** Looks for another spelling in a path. */
export function foreignSpelling(path: string): ForeignSpelling | undefined {
  if (!/(?:^|\/)[:*]/.test(path)) return undefined;
  // A parameter or a wildcard as others write it, at the beginning of a segment; what stands in braces is ours.
  const foreign = /(?:^|\/)(:([\p{L}_][\p{L}\p{N}_]*)|\*([\p{L}_][\p{L}\p{N}_]*)?)[^/]*/u;
  const match = foreign.exec(path.replaceAll(/\{[^}]*\}/g, "{}"));
  if (match === null) return undefined;
  const [, found = "", name, rest] = match;
  return { found, ours: name === undefined ? `{${rest ?? "rest"}:path}` : `{${name}}` };
}

/** What serves a request: the `fetch` of another application, or a function of one's own. */
export type ForeignFetch = (request: Request) => Response | Promise<Response>;

/**
 * Makes a handler of a function from `Request` to `Response`. The body that it reads is counted: the limits of this
 * application hold.
 *
 * @param fetch The function.
 * @returns The handler.
 *
 * @example A function as a route
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New();
 * app.Get("/time", fw.FromFetch(() => Response.json({ hours: 7 })));
 * const response = await app.fetch(new Request("http://localhost/time"));
 * await response.json(); // → { hours: 7 }
 * ```
 */
export function FromFetch(fetch: ForeignFetch): Handler {
  return (ctx) => fetch(countedRequest(ctx));
}

/** Hands requests to another application with the first part of their path cut off. */
export function mounted(prefix: string, fetch: ForeignFetch): Handler {
  return (ctx) => {
    const request = countedRequest(ctx);
    // An upgrade is bound to its very request: it keeps its whole path.
    return fetch(request.headers.has("upgrade") ? request : new Request(withoutPrefix(request.url, prefix), request));
  };
}

function countedRequest(ctx: Context): Request {
  // Asked for before the request is handed out, so that the limit of the whole application counts too.
  bodyOf(exchangeOf(ctx));
  return ctx.Request();
}

function withoutPrefix(url: string, prefix: string): string {
  const start = url.indexOf("/", url.indexOf("://") + 3);
  const depth = prefix.split("/").filter((part) => part !== "").length;
  let end = start;
  // By segments and not by letters: an escaped letter in the prefix is longer than it looks.
  for (let at = 0; at < depth; at++) {
    const next = url.slice(end + 1).search(/[/?#]/);
    end = next < 0 ? url.length : end + 1 + next;
    if (url[end] !== "/") break;
  }
  const rest = url.slice(end);
  return url.slice(0, start) + (rest.startsWith("/") ? rest : `/${rest}`);
}

/** A folder to serve. */
interface ServedFolder {
  readonly path: string;
  readonly dir: string | URL;
  readonly options: DirOptions;
}

/** The two routes of a folder: the folder itself, and everything below it. */
interface FolderHandlers {
  readonly root: (ctx: Context) => Promise<void>;
  readonly below: (ctx: Context) => Promise<void>;
}

/** The name of the parameter that takes the rest of the path. */
export const restOfPath = "fw_file";

/** Prepares a folder; it is looked at when the application is built. */
export function folderHandlers(registry: Registry, { path, dir, options }: ServedFolder): FolderHandlers {
  let handler: DirHandler | undefined;
  registry.loads.push(async () => {
    const loaded = await import("../static/dir_handler.ts");
    handler = new loaded.DirHandler(loaded.folderPath(dir), options);
    await handler.check();
  });
  async function serve(ctx: Context, below: string): Promise<void> {
    if (handler === undefined) throw new FrameworkError("FW_STATE", `Cannot serve "${path}": it is not loaded yet`);
    await handler.serve(ctx, below);
  }
  return {
    root: function serveFolder(ctx: Context): Promise<void> {
      return serve(ctx, "");
    },
    below: function serveFolder(ctx: Context): Promise<void> {
      return serve(ctx, ctx.Params().Get(restOfPath));
    },
  };
}
