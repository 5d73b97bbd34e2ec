/**
 * Keeps responses to identified clients out of shared caches.
 *
 * @module
 */

import { readHeader, setHeader } from "../../http/response/draft.ts";
import { type Exchange, exchangesOf } from "../exchange/exchange.ts";
import { userOf } from "./user.ts";

/**
 * Reports whether a response may depend on who the client is. This is the case if it sets cookies, or if the request
 * has a user, carries `Authorization`, or carries cookies that handlers have read. Cookies that nothing has read are
 * ignored, because most browsers send some with every request.
 */
function isPersonal<C>(exchange: Exchange<C>): boolean {
  const { headers } = exchange.request;
  const hasCookie = headers.has("cookie");
  return userOf(exchange) !== undefined || headers.has("authorization") ||
    exchangesOf(exchange).some((each) => hasCookie && each.readsCookies || readHeader(each.draft, "set-cookie") !== "");
}

/** Makes a response private if it is marked as public and may depend on who the client is. */
export function restrictLifetime<C>(exchange: Exchange<C>): void {
  const { draft } = exchange;
  const said = readHeader(draft, "cache-control");
  if (/\b(?:public|s-maxage)\b/i.test(said) && isPersonal(exchange)) {
    setHeader(draft, "cache-control", privateLifetime(said));
  }
}

function privateLifetime(said: string): string {
  const others = said.split(",").map((directive) => directive.trim()).filter((directive) =>
    directive !== "" && !/^(?:public|private|s-maxage|proxy-revalidate)\b/i.test(directive)
  );
  return ["private", ...others].join(", ");
}

/** Sends a file, and keeps it out of shared caches if the client is identified. */
export async function sendRestricted<C>(exchange: Exchange<C>, sending: Promise<void>): Promise<void> {
  await sending;
  restrictLifetime(exchange);
}
