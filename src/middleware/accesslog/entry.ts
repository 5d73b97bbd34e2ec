/**
 * The access log entry of a request.
 *
 * @module
 */

import { type Context, exchangeOf } from "../../core/context/context.ts";
import { type LabeledCall, labelFields } from "../../core/exchange/labels.ts";
import { encodedPath, searchOf } from "../../http/headers/request_url.ts";

/** An access log entry. */
export interface Entry {
  /** The time when the request arrived. */
  readonly Timestamp: Date;
  /** The time from the first handler until the response was complete, in milliseconds. */
  readonly Latency: number;
  /** The response status code. */
  readonly Status: number;
  /** The request method. */
  readonly Method: string;
  /** The request path, including the query string if `Query` is enabled. */
  readonly Path: string;
  /** The route template, such as `/users/{id:int}`. Empty if no route matched. */
  readonly Route: string;
  /** The client's IP address. */
  readonly IP: string;
  /** The request ID. Empty if the request has none. */
  readonly ID: string;
  /** The ID of the authenticated user. Empty if there is none. */
  readonly User: string;
  /** The size of the request body, in bytes. */
  readonly BytesReceived: number;
  /** The number of response body bytes sent. */
  readonly BytesSent: number;
  /**
   * The message of the error that ended the request, or that ended the response while it was sent. In the second case,
   * `Status` is the status code that the client has received. Empty if there was no error.
   */
  readonly Error: string;
  /** The path parameters by name. */
  readonly Params: { readonly [name: string]: string };
  /** The fields added by the options and by handlers. */
  readonly Fields: { readonly [name: string]: unknown };
  /** The masked request body. Empty if there is none or `RequestBody` is not enabled. */
  readonly Request: string;
  /** The masked response body. Empty if there is none or `ResponseBody` is not enabled. */
  readonly Response: string;
  /** The `User-Agent` header. */
  readonly UserAgent: string;
  /** The `Referer` header. */
  readonly Referrer: string;
  /** The protocol, `HTTP/1.1` or `HTTP/2.0`. Deno does not distinguish HTTP/1.0 from HTTP/1.1. */
  readonly Protocol: string;
}

/** The measurements taken by the middleware. */
export interface Measured {
  readonly timestamp: number;
  readonly latency: number;
  readonly bytesReceived: number;
  readonly bytesSent: number;
  readonly withQuery: boolean;
  readonly fields: { readonly [name: string]: unknown };
  readonly request: string;
  readonly response: string;
}

/** The value for requests without parameters or without fields. */
export const none: { readonly [name: string]: never } = Object.freeze({});

function paramsOf(ctx: Context, names: readonly string[]): { readonly [name: string]: string } {
  const params = ctx.Params();
  return Object.fromEntries(names.map((name) => [name, params.Get(name)]));
}

/** Adds the labels of extensions to the fields. */
function withLabels(exchange: LabeledCall, fields: Measured["fields"]): Measured["fields"] {
  const labels = labelFields(exchange);
  return Object.keys(labels).length === 0 ? fields : { ...labels, ...fields };
}

/** Creates the entry of a request. */
export function entryOf(ctx: Context, measured: Measured): Entry {
  const route = ctx.GetCurrentRoute();
  const exchange = exchangeOf(ctx);
  const { target } = exchange;
  const { timestamp, latency, bytesReceived, bytesSent, withQuery, fields, request, response } = measured;
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
    Error: (ctx.GetErr() ?? exchange.extras?.broken)?.message ?? "",
    Params: route === undefined || route.Params.length === 0 ? none : paramsOf(ctx, route.Params),
    Fields: withLabels(exchange, fields),
    Request: request,
    Response: response,
    // These are read on demand, because most formats do not contain them.
    get UserAgent() {
      return ctx.GetHeader("user-agent");
    },
    get Referrer() {
      return ctx.GetHeader("referer");
    },
    get Protocol() {
      // Deno rejects HTTP/1.1 requests without a Host header, and HTTP/2 requests have a pseudo-header instead.
      return exchangeOf(ctx).request.headers.has("host") ? "HTTP/1.1" : "HTTP/2.0";
    },
  };
}
