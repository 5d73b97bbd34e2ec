/**
 * Logins under way: what is remembered of one between leaving for the provider and coming back.
 *
 * @module
 */

import type { Context } from "../../context/context.ts";

/** The part of a session that logins use; those of `@fw/web/sessions` have it. */
export interface LoginSession {
  /** Reads a value. */
  Get(key: string): unknown;
  /** Keeps a value. */
  Set(key: string, value: unknown): unknown;
  /** Keeps a value that is read once. */
  SetFlash(key: string, value: unknown): void;
  /** Takes a value out: of all requests at the same time, one gets it. */
  GetFlash(key: string): Promise<unknown>;
  /** Gives the session another id. */
  Regenerate(): string;
  /** Ends the session. */
  Destroy(): void;
}

/** What finds the session of a request; `sessions.New()` returns one. */
export interface LoginSessions {
  /** Finds or begins the session of a request. */
  Start(ctx: Context): LoginSession | Promise<LoginSession>;
}

/** One login under way. */
export interface Flow {
  /** What the ID token must repeat. */
  readonly nonce: string;
  /** What the code is redeemed with (PKCE). */
  readonly verifier: string;
  /** The path that the user wanted. */
  readonly path: string;
  /** When it began. */
  readonly at: number;
}

const listKey = "fw.oauth.flows";
/** How many logins may be under way in one browser: tabs that were left open. */
const mostFlows = 5;
/** How long a login may take, in milliseconds. */
const longestFlow = 600_000;

/** Remembers a login by its state. */
export async function keepFlow(session: LoginSession, state: string, flow: Flow): Promise<void> {
  const known = session.Get(listKey);
  const states = Array.isArray(known) ? known.filter((it) => typeof it === "string") : [];
  for (const old of states.splice(0, Math.max(0, states.length - mostFlows + 1))) await session.GetFlash(keyOf(old));
  session.Set(listKey, [...states, state]);
  session.SetFlash(keyOf(state), flow);
}

/** Takes a login out by its state: it counts once, in the session that began it, and for ten minutes. */
export async function takeFlow(session: LoginSession, state: string): Promise<Flow | undefined> {
  if (!/^[\w-]{20,100}$/.test(state)) return undefined;
  const flow = await session.GetFlash(keyOf(state)) as Flow | undefined;
  return flow !== undefined && Date.now() - flow.at < longestFlow ? flow : undefined;
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

function keyOf(state: string): string {
  return `fw.oauth.${state}`;
}
