/**
 * Prefixes of parties: paths and subdomains.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import { trimFinalSlashes } from "../http/path.ts";

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
    throw new FrameworkError("FW_TEMPLATE", `Cannot parse path template "${String(path)}": it is not a string`);
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
