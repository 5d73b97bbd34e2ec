/**
 * Logins in flight: what is stored of one between leaving for the provider and coming back.
 *
 * @module
 */

import type { Context } from "../../context/context.ts";

/** The part of a session that logins use; those of `@fw/web/sessions` have it. */
export interface LoginSession {
  /** Reads a value. */
  Get(key: string): unknown;
  /** Stores a value. */
  Set(key: string, value: unknown): unknown;
  /** Removes a value. */
  Delete?(key: string): unknown;
  /** Stores a value that is read once. */
  SetFlash(key: string, value: unknown): void;
  /** Takes a value out: of all requests at the same time, one gets it. */
  GetFlash(key: string): Promise<unknown>;
  /** Gives the session another id. */
  Regenerate(): string;
  /** Ends the session. */
  Destroy(): void;
}

/** Finds the session of a request; `sessions.New()` returns one. */
export interface LoginSessions {
  /** Finds or begins the session of a request. */
  Start(ctx: Context): LoginSession | Promise<LoginSession>;
}

/** One login in flight. */
export interface Flow {
  /** What the ID token must repeat. */
  readonly nonce: string;
  /** What the code is redeemed with (PKCE). */
  readonly verifier: string;
  /** The path that the user requested. */
  readonly path: string;
  /** When it began. */
  readonly at: number;
}

/** A login in flight as the session lists it. */
type Listed = readonly [provider: string, state: string, at: number];

const listKey = "fw.oauth.flows";
/** How many logins may be in flight in one browser: tabs that were left open. */
const mostFlows = 5;
/** How long a login may take, in milliseconds. */
const longestFlow = 600_000;

/**
 * Stores a login by its provider and its state.
 *
 * @param session The session that it belongs to.
 * @param provider The name of the provider that the browser leaves for.
 * @param state The state.
 * @param flow The login.
 */
export async function keepFlow(session: LoginSession, provider: string, state: string, flow: Flow): Promise<void> {
  const list = listOf(session);
  const isKept = (listed: Listed, at: number) => at > list.length - mostFlows && isAlive(listed);
  await dropFlows(session, list.filter((listed, at) => !isKept(listed, at)));
  session.Set(listKey, [...list.filter(isKept), [provider, state, flow.at]]);
  session.SetFlash(keyOf(provider, state), flow);
}

/**
 * Takes a login out by its state: it is valid once, in the session that began it, for ten minutes, and at the callback
 * of the provider that it began with. An attacker's provider could otherwise have the code of another one sent to
 * itself (RFC 9700, 4.4).
 */
export async function takeFlow(session: LoginSession, provider: string, state: string): Promise<Flow | undefined> {
  if (!/^[\w-]{20,100}$/.test(state)) return undefined;
  const flow = await session.GetFlash(keyOf(provider, state)) as Flow | undefined;
  if (flow === undefined) return undefined;
  writeList(session, listOf(session).filter((listed) => listed[0] !== provider || listed[1] !== state));
  return isAlive([provider, state, flow.at]) ? flow : undefined;
}

/** Removes the logins that took too long, if there are any: what they hold must not outlive them. */
export function dropOldFlows(session: LoginSession): Promise<void> | undefined {
  const list = listOf(session);
  const old = list.filter((listed) => !isAlive(listed));
  if (old.length === 0) return undefined;
  writeList(session, list.filter(isAlive));
  return dropFlows(session, old);
}

/**
 * A path on this site to go back to; anything else is `/`. What a browser reads as another site begins with two
 * slashes, or with backslashes, or hides them behind characters that it drops.
 */
export function safePath(path: string): string {
  if (!/^\/(?![/\\])/.test(path) || /[\0-\x20\x7f\\]/.test(path)) return "/";
  const url = URL.parse(path, "http://localhost");
  // Again: "/..//evil.example" becomes "//evil.example" only now.
  return url !== null && !url.pathname.startsWith("//") ? url.pathname + url.search : "/";
}

async function dropFlows(session: LoginSession, list: readonly Listed[]): Promise<void> {
  for (const [provider, state] of list) await session.GetFlash(keyOf(provider, state));
}

function writeList(session: LoginSession, list: readonly Listed[]): void {
  if (list.length === 0 && session.Delete !== undefined) session.Delete(listKey);
  else session.Set(listKey, list);
}

function listOf(session: LoginSession): readonly Listed[] {
  const known = session.Get(listKey);
  return Array.isArray(known) ? known.filter(isListed) : [];
}

function isListed(value: unknown): value is Listed {
  return Array.isArray(value) && typeof value[0] === "string" && typeof value[1] === "string" &&
    typeof value[2] === "number";
}

function isAlive([, , at]: Listed): boolean {
  return Date.now() - at < longestFlow;
}

function keyOf(provider: string, state: string): string {
  return `fw.oauth.${provider}.${state}`;
}
