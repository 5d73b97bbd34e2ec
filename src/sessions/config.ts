/**
 * The configuration of a session manager.
 *
 * @module
 */
import { checkOptions, type OptionRules } from "../config/check_options.ts";
import { FrameworkError } from "../errors/errors.ts";
import type { CookieKeys, CookieSeal } from "../response/sealed_cookies.ts";
import { isHeaderToken } from "../text/header_token.ts";
import { randomID } from "./id.ts";
import { isExpires } from "./lifetimes.ts";
import { NewMemory } from "./memory.ts";
import type { Store } from "./store.ts";

/** Options for {@linkcode New}. */
export interface Config {
  /**
   * The cookie name. The prefix `__Host-` prevents sibling subdomains from setting the cookie.
   *
   * @default {"fwsessionid"}
   */
  Cookie?: string;
  /**
   * The lifetime of a session, in milliseconds. `0` means unlimited, as long as the session is used at least once every
   * 200 days. `-1` means that the session ends when the browser is closed. The store deletes such a session if it has
   * not been used for 15 to 30 days.
   *
   * @default {0}
   */
  Expires?: number;
  /**
   * Whether requests restart the lifetime, as soon as one percent of it has passed. If `false`, the lifetime starts at
   * the login or the first request.
   *
   * @default {false}
   */
  Rolling?: boolean;
  /** The session store. If omitted, sessions are stored in the memory of one thread. */
  Store?: Store;
  /**
   * The `SameSite` attribute of the cookie, which controls whether it is sent with cross-site requests.
   *
   * @default {"Lax"}
   */
  SameSite?: "Strict" | "Lax" | "None";
  /** Whether the cookie is only sent over TLS. Defaults to `true` if the request was sent over TLS. */
  Secure?: boolean;
  /** The cookie domain, which includes its subdomains. If omitted, the cookie is only sent to the host itself. */
  Domain?: string;
  /** The cookie path. Defaults to the base path of the application, or `/` if it has none. */
  Path?: string;
  /**
   * The `Cache-Control` header for responses that used a session, unless handlers set the header themselves. Such
   * responses also get `Vary: Cookie`. An empty string disables both headers.
   *
   * @default {"private"}
   */
  CacheControl?: "private" | "no-store" | "";
  /**
   * The keys that protect the cookie, such as a key ring from `@fw/web/keys`. The session ID in the cookie is
   * encrypted, or with `{ Sign: keys }` only signed, so that IDs which the server has not sent never reach the store.
   * Cookies are read with all keys of the ring and written with the current one. If omitted, the cookie contains the
   * plain ID.
   */
  Keys?: CookieKeys | CookieSeal;
  /** Generates a session ID. Every ID must be unique and have at least 128 unpredictable bits. */
  Generator?: () => string;
}

/** The configuration with its defaults applied. */
export interface Settings {
  readonly cookie: string;
  readonly expires: number;
  readonly isRolling: boolean;
  readonly store: Store;
  readonly sameSite: "Strict" | "Lax" | "None";
  readonly secure: boolean | undefined;
  readonly domain: string | undefined;
  readonly path: string | undefined;
  readonly cacheControl: "private" | "no-store" | "";
  readonly seal: CookieSeal | undefined;
  readonly newID: () => string;
}

const optionRules: OptionRules<Config> = {
  Cookie: "string",
  Expires: "number",
  Rolling: "boolean",
  Store: { methods: ["Load", "Create"] },
  SameSite: { oneOf: ["Strict", "Lax", "None"] },
  Secure: "boolean",
  Domain: "string",
  Path: "string",
  CacheControl: { oneOf: ["private", "no-store", ""] },
  Keys: [{ methods: ["Sign", "Verify", "Encrypt", "Decrypt"] }, "object"],
  Generator: "function",
};

/** Applies the defaults and rejects settings that browsers would not accept. */
export function settingsOf(config: Config): Settings {
  checkOptions("sessions", config, optionRules);
  const settings = {
    cookie: config.Cookie ?? "fwsessionid",
    expires: config.Expires ?? 0,
    isRolling: config.Rolling ?? false,
    store: config.Store ?? NewMemory(),
    sameSite: config.SameSite ?? "Lax",
    secure: config.Secure,
    domain: config.Domain,
    path: config.Path,
    cacheControl: config.CacheControl ?? "private",
    seal: sealOf(config.Keys),
    newID: config.Generator ?? randomID,
  } as const;
  checkCookie(settings);
  if (!isExpires(settings.expires)) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot set Expires to "${settings.expires}": it must be -1, 0 or a positive integer, in milliseconds`,
    );
  }
  return isHostCookie(settings.cookie) ? { ...settings, secure: true } : settings;
}

function checkCookie(settings: Settings): void {
  const { cookie, domain, path, sameSite, secure } = settings;
  if (!isHeaderToken(cookie)) {
    throw new FrameworkError("FW_CONFIG", `Cannot use the session cookie "${cookie}": it is not a valid cookie name`);
  }
  if (sameSite === "None" && secure === false) {
    throw new FrameworkError("FW_CONFIG", 'Cannot use SameSite "None": browsers require the cookie to be Secure');
  }
  if (isHostCookie(cookie) && (domain !== undefined || (path ?? "/") !== "/" || secure === false)) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot use the session cookie "${cookie}": it must be Secure and have the path "/" and no domain`,
    );
  }
}

/** Returns the keys as they are used for other cookies. */
function sealOf(keys: CookieKeys | CookieSeal | undefined): CookieSeal | undefined {
  if (keys === undefined) return undefined;
  if (isKeys(keys)) return { Encrypt: keys };
  const [only, another] = [keys.Sign, keys.Encrypt].filter((each) => each !== undefined);
  if (only !== undefined && another === undefined && isKeys(only)) return keys;
  throw new FrameworkError("FW_CONFIG", "Keys must be a key ring, or an object with a key ring as Sign or as Encrypt");
}

function isKeys(value: CookieKeys | CookieSeal): value is CookieKeys {
  return "Verify" in value && "Decrypt" in value;
}

function isHostCookie(name: string): boolean {
  return name.startsWith("__Host-");
}
