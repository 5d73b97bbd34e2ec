/**
 * Lets forms and old clients, which can only GET and POST, say the method that they mean.
 *
 * @example A link in a form, and a header
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
 * Only a POST is taken for another method, and only for one that changes things: no request gets past a guard as a GET.
 * A page of another site can have a browser send such a POST without asking first, so guard these routes with `csrf`.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors.ts";
import { isHeaderToken } from "../../base/header_token.ts";
import type { Wrapper, WrapperTarget } from "../wrapper.ts";
import { readStart } from "./body_start.ts";

export type { Wrapper, WrapperTarget } from "../wrapper.ts";

/** Where the method is found, and which may be meant. */
export interface Options {
  /** The methods that a POST may mean; PUT, PATCH and DELETE when left out. */
  Methods?: readonly string[];
  /** The headers that name the method, the first that is there counts; three usual ones when left out. */
  Headers?: readonly string[];
  /** The query parameter that names it, `"_method"` when left out; empty for none. */
  Query?: string;
  /**
   * The form field that names it, such as `"_method"`; none when left out. To find it, forms of 64 KiB at most are read
   * before a route is looked for; one with files names the method in its URL.
   */
  FormField?: string;
}

/** The longest form that is read, in bytes. */
const longestForm = 65_536;
/** How long a form may take to arrive, in milliseconds. */
const formTime = 10_000;
const neverMeant: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "CONNECT", "POST"]);
const usualHeaders = ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"];

/**
 * Creates a wrapper that finds the method which is meant. `ctx.Method()` is that method, `ctx.Request().method` the one
 * that was sent.
 *
 * @param options Where it is found.
 * @returns The wrapper, for `app.WrapRouter`.
 */
export function New(options: Options = {}): Wrapper {
  const { Headers = usualHeaders, Query = "_method", FormField = "" } = options;
  const methods = new Set((options.Methods ?? ["PUT", "PATCH", "DELETE"]).map(checkMethod));

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
    if (inQuery !== null) return proceed(inQuery);
    return FormField !== "" && isForm(request) ? byForm({ request, target, next, methods }, FormField) : next(request);
  };
}

interface Asked {
  readonly request: Request;
  readonly target: WrapperTarget;
  readonly next: Parameters<Wrapper>[1];
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
  // It is another request, so what wrappers before have chosen must be said again.
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
    throw new FrameworkError("FW_CONFIG", `Cannot let a POST mean "${method}": guards treat such requests differently`);
  }
  return name;
}
