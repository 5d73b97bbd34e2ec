/**
 * What is known of a request when its response is sent.
 *
 * @module
 */

import { type Context, exchangeOf } from "../../context/context.ts";
import { encodedPath, searchOf } from "../../http/request_url.ts";

/** One request, as it is logged. */
export interface Entry {
  /** When the request came. */
  readonly Timestamp: Date;
  /** How long it took from the first handler until the response was complete, in milliseconds. */
  readonly Latency: number;
  /** The status of the response. */
  readonly Status: number;
  /** The method. */
  readonly Method: string;
  /** The path, with the query if it was asked for. */
  readonly Path: string;
  /** The template of the route, such as `/users/{id:int}`; empty where none matched. */
  readonly Route: string;
  /** The client's address. */
  readonly IP: string;
  /** The id of the request; empty if it has none. */
  readonly ID: string;
  /** The ID of the user; empty if none has logged in. */
  readonly User: string;
  /** How many bytes the body of the request has. */
  readonly BytesReceived: number;
  /** How many bytes of the body of the response were sent. */
  readonly BytesSent: number;
  /** The message of the error that the request ended with; empty if there was none. */
  readonly Error: string;
  /** The path parameters by name. */
  readonly Params: { readonly [name: string]: string };
  /** What the options and handlers added. */
  readonly Fields: { readonly [name: string]: unknown };
  /** The `User-Agent` header. */
  readonly UserAgent: string;
  /** The `Referer` header. */
  readonly Referrer: string;
  /** The protocol: `HTTP/1.1` or `HTTP/2.0`. Deno does not tell HTTP/1.0 from HTTP/1.1. */
  readonly Protocol: string;
}

/** What only the middleware knows of a request. */
export interface Measured {
  readonly timestamp: number;
  readonly latency: number;
  readonly bytesReceived: number;
  readonly bytesSent: number;
  readonly withQuery: boolean;
  readonly fields: { readonly [name: string]: unknown };
}

/** What a request without parameters, or without fields, has of them. */
export const none: { readonly [name: string]: never } = Object.freeze({});

function paramsOf(ctx: Context, names: readonly string[]): { readonly [name: string]: string } {
  const params = ctx.Params();
  return Object.fromEntries(names.map((name) => [name, params.Get(name)]));
}

/** Puts together what is known. */
export function entryOf(ctx: Context, measured: Measured): Entry {
  const route = ctx.GetCurrentRoute();
  const { target } = exchangeOf(ctx);
  const { timestamp, latency, bytesReceived, bytesSent, withQuery, fields } = measured;
  return {
    Timestamp: new Date(timestamp),
    Latency: latency,
    Status: ctx.GetStatusCode(),
    Method: ctx.Method(),
    Path: encodedPath(target) + (withQuery ? searchOf(target) : ""),
    Route: route === undefined ? "" : route.Subdomain + route.Path,
    IP: ctx.RemoteAddr(),
    ID: ctx.GetID(),
    User: ctx.User()?.ID ?? "",
    BytesReceived: bytesReceived,
    BytesSent: bytesSent,
    Error: ctx.GetErr()?.message ?? "",
    Params: route === undefined || route.Params.length === 0 ? none : paramsOf(ctx, route.Params),
    Fields: fields,
    // Read on demand: most formats do not show them.
    get UserAgent() {
      return ctx.GetHeader("user-agent");
    },
    get Referrer() {
      return ctx.GetHeader("referer");
    },
    get Protocol() {
      // A request of HTTP/1.1 has a host, or Deno refuses it; HTTP/2 has a pseudo-header instead.
      return exchangeOf(ctx).request.headers.has("host") ? "HTTP/1.1" : "HTTP/2.0";
    },
  };
}
