/**
 * Which responses may be kept, for how long and for whom (RFC 9111, as a shared cache).
 *
 * @module
 */

/** What a response says of being kept. */
export interface Permission {
  /** How long it is fresh, in milliseconds; 0 where it must not be kept. */
  readonly fresh: number;
  /** Whether it may be given to clients that sent credentials. */
  readonly isPublic: boolean;
}

/** The statuses that are worth keeping without being told so. */
const kept: ReadonlySet<number> = new Set([200, 203, 301, 308, 404, 410]);

const refused: Permission = { fresh: 0, isPublic: false };

/** Reads a `Cache-Control` header: directives in lower case, with their arguments. */
function readDirectives(header: string): Map<string, string> {
  const directives = new Map<string, string>();
  for (const item of header.split(",", 64)) {
    const [name = "", value = ""] = item.split("=", 2);
    const key = name.trim().toLowerCase();
    if (key !== "") directives.set(key, value.trim().replace(/^"(.*)"$/, "$1"));
  }
  return directives;
}

/**
 * Decides whether a response may be stored. What the handlers say of it counts before what middleware around the cache
 * says; if either forbids it, it is not stored.
 *
 * @param status Its status.
 * @param headers The headers of the handlers.
 * @param all All of its headers.
 * @param maxAge How long it is fresh if it does not say so itself, in milliseconds.
 */
export function permissionOf(status: number, headers: Headers, all: Headers, maxAge: number): Permission {
  if (!kept.has(status) || all.has("set-cookie") || headers.has("set-cookie")) return refused;
  if (all.get("vary")?.includes("*") || all.get("content-type")?.startsWith("text/event-stream")) return refused;
  const directives = readDirectives(headers.get("cache-control") ?? all.get("cache-control") ?? "");
  const others = readDirectives(all.get("cache-control") ?? "");
  if (["no-store", "private", "no-cache"].some((name) => directives.has(name) || others.has(name))) return refused;
  const said = directives.get("s-maxage") ?? directives.get("max-age");
  const seconds = said === undefined ? maxAge / 1000 : Number(said);
  if (!(seconds > 0)) return refused;
  const isPublic = directives.has("public") || directives.has("s-maxage");
  // A number of digits in a header must not become a date beyond all dates.
  return { fresh: Math.min(seconds, 365 * 24 * 3600) * 1000, isPublic };
}

/**
 * Reports whether a request carries something that its response may depend on without saying so: a login, by header or
 * by cookie. Such a response is for this client alone unless it calls itself public.
 */
export function hasCredentials(headers: Headers): boolean {
  return headers.has("authorization") || headers.has("cookie");
}

/** Reports whether a client asks for a response that is not from a cache, as the reload button of a browser does. */
export function refusesCached(headers: Headers): boolean {
  const control = headers.get("cache-control");
  if (control === null) return headers.get("pragma") === "no-cache";
  const directives = readDirectives(control);
  return directives.has("no-cache") || directives.has("no-store") || directives.get("max-age") === "0";
}
