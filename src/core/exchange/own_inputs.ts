/**
 * The query parameters and form fields that fw reads itself, such as the language or the token of `csrf`. They are not
 * part of the application's input, so a strict schema must not reject them.
 *
 * @module
 */

import { type Exchange, exchangesOf } from "./exchange.ts";

type Place = "query" | "form";

const noted = new WeakMap<Request, Record<Place, string[]>>();

/**
 * Records that fw reads a query parameter or a form field of a request.
 *
 * @param request The request that the application receives.
 * @param place The part of the request.
 * @param name The name of the parameter or field.
 */
export function noteOwnInput(request: Request, place: Place, name: string): void {
  let names = noted.get(request);
  if (names === undefined) noted.set(request, names = { query: [], form: [] });
  names[place].push(name);
}

/** Returns the names that fw reads itself, also in the applications around a mounted one. */
export function ownInputs<C>(exchange: Exchange<C>, place: Place): readonly string[] {
  const names: string[] = [];
  for (const { request, runtime } of exchangesOf(exchange)) {
    names.push(...noted.get(request)?.[place] ?? []);
    const parameter = place === "query" ? runtime.languages?.settings.URLParameter : undefined;
    if (parameter) names.push(parameter);
  }
  return names;
}
