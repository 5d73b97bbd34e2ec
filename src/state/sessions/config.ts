/**
 * The configuration of a session manager.
 *
 * @module
 */
import { callNow } from "../../base/async/callback.ts";
import {
  either,
  flag,
  formerly,
  func,
  methods,
  milliseconds,
  oneOf,
  record,
  text,
  where,
} from "../../base/config/option_kinds.ts";
import { path } from "../../base/config/option_shapes.ts";
import { type Filled, optionTable, readOptions } from "../../base/config/option_table.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { isHeaderToken } from "../../base/text/header_token.ts";
import { isDomain } from "../../http/response/cookies.ts";
import type { CookieKeys, CookieSeal } from "../../http/response/sealed_cookies.ts";
import { NewMemory } from "./memory.ts";
import type { Store } from "./store.ts";

const day = 86_400_000;

/** Browsers delete cookies after 400 days, which limits the lifetime of an unused session. */
const unlimited = 400 * day;
/**
 * The time for which the store keeps a session whose cookie ends with the browser session. The server cannot detect
 * when that happens.
 */
const unattended = 30 * day;

/** Converts an `Expires` setting to a store lifetime, in milliseconds. */
export function storeLifetime(expires: number): number {
  if (expires > 0) return expires;
  return expires === 0 ? unlimited : unattended;
}

/** Returns the `Expires` setting of a login that outlives the browser session, or of one that does not. */
export function rememberedFor(isRemembered: boolean, expires: number): number {
  if (!isRemembered) return -1;
  return expires < 0 ? unattended : expires;
}

/** Returns the cookie lifetime in milliseconds, rounded up to whole seconds, or `undefined` for a browser session. */
export function cookieLifetime(expires: number): number | undefined {
  return expires < 0 ? undefined : Math.ceil(storeLifetime(expires) / 1000) * 1000;
}

/**
 * Reports whether a request renews the session. A rolling session is renewed after one percent of its lifetime, so that
 * a page with forty images causes only one write. A session without a fixed end is renewed after half of its lifetime.
 * Other sessions are never renewed.
 *
 * @param expires The `Expires` setting.
 * @param lifetime The lifetime that a renewed session would have.
 * @param isRolling The `Rolling` setting.
 * @param remaining The remaining lifetime.
 */
export function isRenewalDue(expires: number, lifetime: number, isRolling: boolean, remaining: number): boolean {
  if (expires > 0 && !isRolling) return false;
  return lifetime - remaining >= lifetime * (isRolling ? 0.01 : 0.5);
}

/** Reports whether a value is a valid `Expires` setting. */
export function isExpires(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= -1;
}

/**
 * The number of random bytes, which is 192 bits. With a million attempts per second, guessing one of a billion sessions
 * takes 10^35 years.
 */
const bytes = 24;

/** Generates a random session ID. */
function randomID(): string {
  return crypto.getRandomValues(new Uint8Array(bytes)).toBase64({ alphabet: "base64url" });
}

/** Reports whether a string has the form of a session ID. Other strings are not passed to the store. */
export function isID(text: string): boolean {
  // To search for another character takes half the time of a loop, or of an expression for the whole string.
  return text.length > 0 && text.length <= 128 && !/[^\w.~-]/.test(text);
}

/** Generates a session ID with the application's generator, and validates it. */
export function generatedID(generator: () => string): string {
  return callNow(generator, isOwnID, (cause) => {
    throw new FrameworkError(
      "FW_SESSION",
      "Cannot create a session ID: Generator must return 1 to 128 letters, digits, dots, tildes, hyphens or underscores",
      { cause },
    );
  });
}

function isOwnID(value: unknown): value is string {
  return typeof value === "string" && isID(value);
}

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
   * Whether requests restart the lifetime once one percent of it has passed. If `false`, the lifetime starts at login
   * or with the first request.
   *
   * @default {false}
   */
  Rolling?: boolean;
  /**
   * The maximum lifetime of a session, in milliseconds, even if it is used all the time. It starts with the first value
   * or with the login. `Infinity` turns the limit off. `Expires` with `Rolling` is the limit for unused sessions.
   *
   * @default {Infinity}
   */
  MaxLifetime?: number;
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
  /** The cookie path. Defaults to the application's base path, or `/` if it has none. */
  Path?: string;
  /**
   * The `Cache-Control` header for responses that used a session, unless handlers set the header themselves. These
   * responses also include `Vary: Cookie`. A public response becomes private if it sets the cookie. An empty string
   * disables all of this.
   *
   * @default {"private"}
   */
  CacheControl?: "private" | "no-store" | "";
  /**
   * The keys that protect the cookie, such as a key ring from `@fw/web/keys`. The session ID in the cookie is
   * encrypted. With `{ Sign: keys }`, it is only signed. Either way, IDs that the server did not issue never reach the
   * store. Cookies are read with any key in the ring and written with the current one. If omitted, the cookie contains
   * the plain ID.
   */
  Keys?: CookieKeys | CookieSeal;
  /** Generates a session ID. Every ID must be unique and have at least 128 unpredictable bits. */
  Generator?: () => string;
}

/** The configuration with its defaults applied. */
export interface Settings extends Filled<Omit<Config, "Keys">, "Secure" | "Domain" | "Path"> {
  readonly Keys: CookieSeal | undefined;
}

const table = optionTable<Config>("sessions.Config", "sessions")({
  Cookie: where(text("fwsessionid"), "a valid cookie name", isHeaderToken),
  Expires: milliseconds(0, { from: -1, isWhole: true }),
  Rolling: flag(false),
  MaxLifetime: milliseconds(Infinity, { isPositive: true, to: Infinity }),
  Store: methods("Load", "Create"),
  SameSite: oneOf("Lax", "Strict", "Lax", "None"),
  Secure: flag(),
  Domain: where(text(), "a host name", isDomain),
  Path: path(),
  CacheControl: oneOf("private", "private", "no-store", ""),
  Keys: either(undefined, methods<CookieKeys>("Sign", "Verify", "Encrypt", "Decrypt"), record()),
  Generator: formerly("IDGenerator", func(randomID)),
});

/** Applies the defaults and rejects settings that browsers would not accept. */
export function settingsOf(config: Config): Settings {
  const settings = readOptions(table, config);
  checkCookie(settings);
  return {
    ...settings,
    Store: settings.Store ?? NewMemory(),
    Secure: isHostCookie(settings.Cookie) ? true : settings.Secure,
    Keys: sealOf(settings.Keys),
  };
}

type CookieSettings = Pick<Settings, "Cookie" | "Domain" | "Path" | "SameSite" | "Secure">;

function checkCookie({ Cookie, Domain, Path, SameSite, Secure }: CookieSettings): void {
  if (SameSite === "None" && Secure === false) {
    throw new FrameworkError("FW_CONFIG", 'Cannot use SameSite "None": browsers require the cookie to be Secure');
  }
  if (isHostCookie(Cookie) && (Domain !== undefined || (Path ?? "/") !== "/" || Secure === false)) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot use the session cookie "${Cookie}": it must be Secure and have the path "/" and no domain`,
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
