/**
 * Provides the session of a request, without a registration.
 *
 * @module
 */

import type { Context } from "../../src/context/context.ts";
import { FrameworkError } from "../../src/errors/errors.ts";
import { currentManager, sessionClass, SessionManager } from "../../src/sessions/session_manager.ts";
import type { Session } from "../../src/sessions/session.ts";
import { InjectOptional } from "./inject.ts";

/** Reports whether a token is the class of sessions. */
export function isSessionToken(token: unknown): boolean {
  return token !== undefined && token === sessionClass.current;
}

/** Starts the session with the registered manager, or with the one that the middleware of the request has used. */
export function provideSession(
  ctx: Context,
  manager: SessionManager | undefined = InjectOptional(SessionManager as never),
): Session | Promise<Session> {
  const found = manager ?? currentManager(ctx);
  if (found !== undefined) return found.Start(ctx);
  throw new FrameworkError(
    "FW_SESSION",
    "Cannot inject the session: register a session manager, or add its Handler() to the party",
  );
}
