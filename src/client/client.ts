/**
 * Creates clients: an object whose methods send requests.
 *
 * @module
 */

import { type ParsedName, parseMethodName } from "../../mvc/reflect/method_parser.ts";
import { callError, ResponseError } from "./call_error.ts";
import type { CallResult, Client } from "./client_type.ts";
import type { CallOptions, ClientOptions } from "./options.ts";
import { requestBody, requestHeaders, requestQuery } from "./request_body.ts";
import { type PathArgument, requestPath } from "./request_path.ts";
import { responseValue } from "./response_value.ts";

type Call = (...args: unknown[]) => Promise<CallResult<unknown>>;

/**
 * Creates a client of a controller from its type.
 *
 * A method's name is its route, so nothing is generated and no code of the server is imported: the name is read at the
 * first call as the server reads it. Routes that `BeforeActivation` adds by hand have no such name and cannot be
 * called.
 *
 * @example A client in a test, without a port
 * ```ts
 * import * as fw from "@fw/web";
 * import * as client from "@fw/web/client";
 * import * as mvc from "@fw/web/mvc";
 *
 * class UserController {
 *   GetBy(id = 0n) {
 *     return mvc.Tuple({ id, name: "Ada" }, id === 1n);
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app.Party("/users")).Handle(UserController);
 *
 * const users = client.New<UserController>("http://localhost/users", { Fetch: app.fetch });
 * const [user, error] = await users.GetBy(1n);
 * [user?.name, error]; // → ["Ada", null]
 *
 * const [, missing] = await users.GetBy(2n);
 * missing instanceof client.ResponseError && missing.Status; // → 404
 * ```
 *
 * @param base The URL that the controller is served on, with the parameters of its party filled in.
 * @param options How requests are sent.
 * @returns The client.
 */
export function New<C>(base: string | URL, options: ClientOptions = {}): Client<C> {
  const sender = new Sender(String(base).replace(/\/+$/, ""), options);
  const calls = new Map<string, Call | undefined>();
  return new Proxy(Object.freeze({}), {
    get(_target, name): Call | undefined {
      if (typeof name !== "string") return undefined;
      if (!calls.has(name)) calls.set(name, sender.callOf(name));
      return calls.get(name);
    },
    has: (_target, name) => typeof name === "string" && parseMethodName(name) !== undefined,
  }) as Client<C>;
}

/** Sends requests below one URL. */
class Sender {
  readonly #base: string;
  readonly #options: ClientOptions;

  constructor(base: string, options: ClientOptions) {
    this.#base = base;
    this.#options = options;
  }

  /** The call that a name stands for; a name that is not a route, such as `then`, stands for none. */
  callOf(name: string): Call | undefined {
    const parsed = parseMethodName(name);
    return parsed === undefined ? undefined : (...args) => this.#call(name, parsed, args);
  }

  async #call(name: string, parsed: ParsedName, args: readonly unknown[]): Promise<CallResult<unknown>> {
    try {
      const response = await this.#send(await this.#request(name, parsed, args));
      const value = await readValue(name, response);
      if (response.status >= 400) return [undefined, new ResponseError(response, value)];
      if (!response.ok) return [undefined, callError(name, `the status "${response.status}" holds no value`)];
      return [value, null];
    } catch (thrown) {
      return [undefined, thrown instanceof Error ? thrown : callError(name, "it was cancelled", thrown)];
    }
  }

  async #request(name: string, { methods, parts }: ParsedName, args: readonly unknown[]): Promise<Request> {
    const last = args.at(-1);
    const hasOptions = typeof last === "object" && last !== null;
    const call: CallOptions = hasOptions ? last : {};
    const values = (hasOptions ? args.slice(0, -1) : args).filter((each) => each !== undefined) as PathArgument[];
    const path = requestPath(name, parts, values);
    const { body, type } = requestBody(name, call);
    const headers = await this.#headers(name, call);
    if (type !== undefined && !headers.has("content-type")) headers.set("content-type", type);
    return new Request(`${this.#base}${path}${requestQuery(name, call.Query)}` || "/", {
      method: methodOf(methods, body),
      headers,
      body: body ?? null,
      signal: signalOf(this.#options.Signal, call.Signal),
    });
  }

  async #headers(name: string, call: CallOptions): Promise<Headers> {
    const { Headers: source } = this.#options;
    const headers = new Headers(typeof source === "function" ? await source() : source);
    if (!headers.has("accept")) headers.set("accept", "application/json, text/*;q=0.9, */*;q=0.8");
    for (const [key, value] of requestHeaders(name, call.Header)) headers.append(key, value);
    for (const [key, value] of new Headers(call.Headers)) headers.set(key, value);
    return headers;
  }

  async #send(request: Request): Promise<Response> {
    // An application that is called in process does not look at the signal.
    request.signal.throwIfAborted();
    return await (this.#options.Fetch ?? fetch)(request);
  }
}

/** A method that serves all is asked by GET, or by POST if there is something to send. */
function methodOf(methods: readonly string[], body: BodyInit | undefined): string {
  const [first = "GET", second] = methods;
  return second === undefined ? first : body === undefined ? "GET" : "POST";
}

function signalOf(...signals: readonly (AbortSignal | undefined)[]): AbortSignal | null {
  const given = signals.filter((signal) => signal !== undefined);
  return given.length > 1 ? AbortSignal.any(given) : given[0] ?? null;
}

/** An error page that claims to be JSON and is not must not hide its status. */
async function readValue(name: string, response: Response): Promise<unknown> {
  try {
    return await responseValue(response);
  } catch (thrown) {
    if (response.status >= 400 && thrown instanceof SyntaxError) return undefined;
    throw thrown instanceof SyntaxError ? callError(name, "its response is not valid JSON", thrown) : thrown;
  }
}
