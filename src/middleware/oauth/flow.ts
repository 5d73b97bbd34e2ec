/**
 * Stores pending logins in the session while the user is at the provider.
 *
 * @module
 */

import type { Context } from "../../core/context/context.ts";

/** The session methods used for logins, implemented by the sessions of `@fw/web/sessions`. */
export interface LoginSession {
  /** Returns a value. */
  Get(key: string): unknown;
  /** Stores a value. */
  Set(key: string, value: unknown): unknown;
  /** Removes a value. */
  Delete?(key: string): unknown;
  /** Stores a value that can be read only once. */
  SetFlash(key: string, value: unknown): void;
  /** Removes and returns a value. If several requests are concurrent, only one of them gets the value. */
  GetFlash(key: string): Promise<unknown>;
  /** Gives the session a new ID. */
  Regenerate(): string;
  /** Ends the session. */
  Destroy(): void;
}

/** Provides the session of a request, like the result of `sessions.New()`. */
export interface LoginSessions {
  /** Returns the session of a request, and creates it if necessary. */
  Start(ctx: Context): LoginSession | Promise<LoginSession>;
}

/** A pending login. */
export interface Flow {
  /** The nonce that the ID token must contain. */
  readonly nonce: string;
  /** The PKCE code verifier. */
  readonly verifier: string;
  /** The path that the user requested. */
  readonly path: string;
  /** The start time. */
  readonly at: number;
}

/** A pending login as listed in the session. */
type Listed = readonly [provider: string, state: string, at: number];

const listKey = "fw.oauth.flows";
/** The maximum number of pending logins per browser, for example in several open tabs. */
const mostFlows = 5;
/** The time limit for a login, in milliseconds. */
const longestFlow = 600_000;

/**
 * Stores a login by its provider and state.
 *
 * @param session The session that the login belongs to.
 * @param provider The name of the provider.
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
 * Removes and returns the pending login for a state. Each login can be used only once, within ten minutes, in the
 * session that started it and at the callback of the same provider. Otherwise, an attacker's provider could obtain the
 * code of another provider (RFC 9700, 4.4).
 */
export async function takeFlow(session: LoginSession, provider: string, state: string): Promise<Flow | undefined> {
  if (!/^[\w-]{20,100}$/.test(state)) return undefined;
  const flow = await session.GetFlash(keyOf(provider, state)) as Flow | undefined;
  if (flow === undefined) return undefined;
  writeList(session, listOf(session).filter((listed) => listed[0] !== provider || listed[1] !== state));
  return isAlive([provider, state, flow.at]) ? flow : undefined;
}

/** Removes expired logins, so that their secrets do not stay in the session. */
export function dropOldFlows(session: LoginSession): Promise<void> | undefined {
  const list = listOf(session);
  const old = list.filter((listed) => !isAlive(listed));
  if (old.length === 0) return undefined;
  writeList(session, list.filter(isAlive));
  return dropFlows(session, old);
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
