/**
 * Middleware that allows clients that can send only GET and POST requests, such as HTML forms, to use other methods.
 *
 * Only POST requests can be overridden, and only with methods that change state, so that a request cannot bypass a
 * guard by posing as a GET request. Pages on other sites can make a browser send such a POST request without a
 * preflight, so protect these routes with `csrf`.
 *
 * The method is overridden before routing. For this reason, {@linkcode New} returns a wrapper for `WrapRouter` instead
 * of a handler.
 *
 * @example Override the method by header, query parameter or form field
 * ```ts
 * import * as fw from "@fw/web";
 * import * as methodoverride from "@fw/web/middleware/methodoverride";
 *
 * const app = fw.New();
 * app.WrapRouter(methodoverride.New({ FormField: "_method" }));
 * app.Delete("/users/{id:int}", (ctx) => ctx.WriteString(`${ctx.Method()} ${ctx.Params().Get("id")}`));
 *
 * const ask = async (path: string, init: RequestInit) =>
 *   (await app.fetch(new Request(`http://localhost${path}`, { method: "POST", ...init }))).text();
 * await ask("/users/7", { headers: { "x-http-method-override": "DELETE" } }); // → "DELETE 7"
 * await ask("/users/7?_method=delete", {}); // → "DELETE 7"
 * await ask("/users/7", { body: new URLSearchParams({ _method: "DELETE" }) }); // → "DELETE 7"
 * ```
 *
 * @module
 */

import { text, texts } from "../../base/config/option_kinds.ts";
import { nonEmpty } from "../../base/config/option_shapes.ts";
import { optionTable, readOptions } from "../../base/config/option_table.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { isHeaderToken } from "../../base/text/header_token.ts";
import type { RouterWrapper, RouteTarget } from "../../core/context/router_wrapper.ts";
import { noteOwnInput } from "../../core/exchange/own_inputs.ts";
import { readStart } from "./body_start.ts";

/** Options for {@linkcode New}. */
export interface Options {
  /**
   * The methods that a POST request may be changed to.
   *
   * @default {["PUT", "PATCH", "DELETE"]}
   */
  Methods?: readonly string[];
  /**
   * The headers that contain the method, in order of precedence.
   *
   * @default {["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"]}
   */
  Headers?: readonly string[];
  /**
   * The query parameter that contains the method. An empty string disables it.
   *
   * @default {"_method"}
   */
  Query?: string;
  /**
   * The form field that contains the method, such as `"_method"`. If omitted, forms are not read. To find the field,
   * forms of up to 64 KiB are read before routing. Forms with files must specify the method in the URL.
   */
  FormField?: string;
}

/** The maximum size of a form, in bytes. */
const longestForm = 65_536;
/** The time limit for receiving a form, in milliseconds. */
const formTime = 10_000;
const neverMeant: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "CONNECT", "POST"]);

const table = optionTable<Options>("middleware/methodoverride.Options", "methodoverride")({
  Methods: nonEmpty(texts(["PUT", "PATCH", "DELETE"])),
  Headers: texts(["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"]),
  Query: text("_method"),
  FormField: text(""),
});

/**
 * Creates a wrapper that overrides the method of POST requests. `ctx.Method()` returns the overriding method, and
 * `ctx.Request().method` the original one.
 *
 * @param options The options.
 * @returns The wrapper, for `app.WrapRouter`.
 * @throws {FrameworkError} If a method is not allowed.
 */
export function New(options: Options = {}): RouterWrapper {
  const { Methods, Headers, Query, FormField } = readOptions(table, options);
  const methods = new Set(Methods.map(checkMethod));

  return function methodoverride(request, next, _connection, target = {}) {
    if ((target.Method ?? request.method) !== "POST") return next(request);
    function proceed(named: string): Response | Promise<Response> {
      const method = named.trim().toUpperCase();
      return methods.has(method) ? next(request, { Method: method }) : next(request);
    }
    for (const header of Headers) {
      const named = request.headers.get(header);
      if (named !== null) return proceed(named);
    }
    const url = target.URL ?? request.url;
    const at = Query === "" ? -1 : url.indexOf("?");
    const inQuery = at < 0 ? null : new URLSearchParams(url.slice(at)).get(Query);
    if (inQuery !== null) {
      noteOwnInput(request, "query", Query);
      return proceed(inQuery);
    }
    return FormField !== "" && isForm(request) ? byForm({ request, target, next, methods }, FormField) : next(request);
  };
}

interface Asked {
  readonly request: Request;
  readonly target: RouteTarget;
  readonly next: Parameters<RouterWrapper>[1];
  readonly methods: ReadonlySet<string>;
}

async function byForm({ request, target, next, methods }: Asked, field: string): Promise<Response> {
  if (request.body === null) return await next(request);
  const start = await readStart(request.body, { bytes: longestForm, time: formTime });
  if (start === undefined) return new Response("Request Timeout", { status: 408, headers: { connection: "close" } });
  const form = new URLSearchParams(start.isWhole ? new TextDecoder().decode(start.bytes) : "");
  const method = form.get(field)?.trim().toUpperCase() ?? "";
  const { url, headers } = request;
  const other = new Request(url, { method: "POST", headers, body: start.body });
  noteOwnInput(other, "form", field);
  // This is a new request, so the URL and method from earlier wrappers must be passed on again.
  return await next(other, methods.has(method) ? { ...target, Method: method } : target);
}

function isForm(request: Request): boolean {
  const length = Number(request.headers.get("content-length") ?? 0);
  const type = request.headers.get("content-type") ?? "";
  return length <= longestForm && /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type);
}

function checkMethod(method: string): string {
  const name = method.toUpperCase();
  if (!isHeaderToken(name) || neverMeant.has(name)) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot override POST with "${method}": guards treat such requests differently`,
    );
  }
  return name;
}
