/**
 * Fails tests whose writes succeed although neither a guard nor a policy was asked. Loaded by programs with policies.
 *
 * @module
 */

import { AsyncLocalStorage } from "node:async_hooks";
import { decisions } from "../../core/context/decisions.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { factsOf, guardName } from "../../core/exchange/handler_facts.ts";

/** The decisions of policies during one request. */
interface Asked {
  count: number;
  readonly refused: string[];
}

/** A request inside the application. There are several if applications are mounted or a tool is called. */
type Seen = Exchange<unknown>;

const current = new AsyncLocalStorage<Asked>();

/** Reports whether requests with a method change something. */
export function isWrite(method: string): boolean {
  return !["GET", "HEAD", "OPTIONS", "TRACE", "QUERY"].includes(method);
}

/**
 * Sends a write and requires that a guard or a policy was asked before it succeeded.
 *
 * @param send Sends the request. Its argument receives the exchange of each request inside the application.
 * @returns The response.
 * @throws {Error} If nothing was asked, or if a policy has refused and the write succeeded anyway.
 */
export async function watchWrite(
  send: (witness: (exchange: object) => void) => Response | Promise<Response>,
): Promise<Response> {
  decisions.note = note;
  const asked: Asked = { count: 0, refused: [] };
  const seen: Seen[] = [];
  const response = await current.run(asked, () => send((exchange) => void seen.push(exchange as Seen)));
  const problem = response.status < 400 ? problemOf(seen.filter((each) => !isRelay(each)), asked) : undefined;
  if (problem === undefined) return response;
  await response.body?.cancel();
  throw new Error(`Cannot accept the response ${response.status}: ${problem}`);
}

function note(refused?: string): void {
  const asked = current.getStore();
  if (asked === undefined) return;
  if (refused === undefined) asked.count++;
  else asked.refused.push(refused);
}

function problemOf(seen: readonly Seen[], { count, refused }: Asked): string | undefined {
  const info = seen.at(-1)?.route.info;
  // A request without a route, such as one that a wrapper answers, belongs to no code that could ask.
  if (info === undefined) return undefined;
  const { Name, Method, Path } = info;
  const template = `${Method} ${Path}`;
  const route = Name === template ? `"${Name}"` : `"${Name}" (${template})`;
  const [policy] = refused;
  if (policy !== undefined) {
    return `the write of the route ${route} succeeded although ${policy} refused it: await policy.Check, or ask with ` +
      "policy.Allows if the refusal is expected";
  }
  if (count > 0 || seen.some((each) => reached(each).some((handler) => guardName(handler) !== undefined))) {
    return undefined;
  }
  return `the write of the route ${route} succeeded, but neither a guard nor a policy was asked: call policy.Check, ` +
    "add a guard, mark your own guard with policy.Guard, or declare the route as open with policy.Anyone";
}

/** Returns the handlers that have run. A guard behind a handler that responded was not asked. */
function reached({ chain }: Seen): readonly object[] {
  return chain.handlers.slice(0, chain.index + 1);
}

/** Reports whether a request was only passed on to the routes of other requests. */
function isRelay(seen: Seen): boolean {
  return reached(seen).some((handler) => factsOf(handler).isRelay === true);
}
