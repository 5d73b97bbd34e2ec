/**
 * How a session manager is set up.
 *
 * @module
 */
import { FrameworkError } from "../base/errors.ts";
import { isHeaderToken } from "../base/header_token.ts";
import { randomID } from "./id.ts";
import { isExpires } from "./lifetimes.ts";
import { NewMemory } from "./memory.ts";
import type { Store } from "./store.ts";

/** How a session manager is set up; all of it may be left out. */
export interface Config {
  /** The cookie's name; `"fwsessionid"` when left out. A name that begins with `__Host-` keeps siblings out. */
  Cookie?: string;
  /**
   * How long a session lives, in milliseconds. 0, the default, is unlimited: as long as it is visited once in 200
   * days. -1 ends with the browser session; the store forgets it when it was not visited for 15 to 30 days.
   */
  Expires?: number;
  /** True to let every visit start the lifetime anew; left out, it counts from the login or the first visit. */
  Rolling?: boolean;
  /** Where sessions are kept; in memory when left out. */
  Store?: Store;
  /** Whether other sites may cause the cookie to be sent; `"Lax"` when left out. */
  SameSite?: "Strict" | "Lax" | "None";
  /** Whether the cookie is sent over TLS only; left out, it is when the request came over TLS. */
  Secure?: boolean;
  /** The domain that the cookie is sent to, subdomains included; the host alone when left out. */
  Domain?: string;
  /** The path that the cookie is sent for; `"/"` when left out. */
  Path?: string;
  /**
   * What shared caches are told about responses for which a session was used and whose handlers set no `Cache-Control`:
   * such responses also get `Vary: Cookie`. An empty string leaves both headers to the handlers.
   *
   * @default {"private"}
   */
  CacheControl?: "private" | "no-store" | "";
  /** Creates ids: each call another one, at least 128 bits that cannot be guessed. */
  IDGenerator?: () => string;
}

/** The settings with nothing left out but what has no default. */
export interface Settings {
  readonly cookie: string;
  readonly expires: number;
  readonly isRolling: boolean;
  readonly store: Store;
  readonly sameSite: "Strict" | "Lax" | "None";
  readonly secure: boolean | undefined;
  readonly domain: string | undefined;
  readonly path: string;
  readonly cacheControl: "private" | "no-store" | "";
  readonly newID: () => string;
}

/** Fills in what was left out, and refuses what no browser would take. */
export function settingsOf(config: Config): Settings {
  const settings = {
    cookie: config.Cookie ?? "fwsessionid",
    expires: config.Expires ?? 0,
    isRolling: config.Rolling ?? false,
    store: config.Store ?? NewMemory(),
    sameSite: config.SameSite ?? "Lax",
    secure: config.Secure,
    domain: config.Domain,
    path: config.Path ?? "/",
    cacheControl: config.CacheControl ?? "private",
    newID: config.IDGenerator ?? randomID,
  } as const;
  checkCookie(settings);
  if (!isExpires(settings.expires)) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot let sessions expire after "${settings.expires}": it must be -1, 0 or a whole number of milliseconds`,
    );
  }
  return isHostCookie(settings.cookie) ? { ...settings, secure: true } : settings;
}

function checkCookie(settings: Settings): void {
  const { cookie, domain, path, sameSite, secure } = settings;
  if (!isHeaderToken(cookie)) {
    throw new FrameworkError("FW_CONFIG", `Cannot use the session cookie "${cookie}": it is not a valid cookie name`);
  }
  if (!["Strict", "Lax", "None"].includes(sameSite)) {
    throw new FrameworkError("FW_CONFIG", `Cannot use SameSite "${sameSite}": it is not Strict, Lax or None`);
  }
  if (sameSite === "None" && secure === false) {
    throw new FrameworkError("FW_CONFIG", 'Cannot send a cookie with SameSite "None": browsers want it to be Secure');
  }
  if (isHostCookie(cookie) && (domain !== undefined || path !== "/" || secure === false)) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot use the session cookie "${cookie}": it must be Secure, have the path "/" and no domain`,
    );
  }
}

function isHostCookie(name: string): boolean {
  return name.startsWith("__Host-");
}
