/**
 * The request context. It contains no logic of its own, and each method is a single call into another module.
 *
 * It is one class, because documentation and editors list the methods that a class declares itself, and a group such as
 * `ctx.Form` would be one more object per request. Its methods follow the request: the application, the target, the
 * user, query, form and body, the chain, errors, headers and cookies, documents, streams, files, views and the end.
 *
 * @module
 */

import { platformForm } from "../accessors/platform_form.ts";
import { formFile, formFiles, uploadFormFiles } from "../accessors/form_files.ts";
import type { FormInput } from "../accessors/form_input.ts";
import type { FormOptions } from "../accessors/form_options.ts";
import type { FormResult } from "../accessors/form_result.ts";
import {
  formValue,
  formValueDefault,
  formValues,
  postValue,
  postValueBool,
  postValueBoolDefault,
  postValueDefault,
  postValueFloat64,
  postValueFloat64Default,
  postValueInt,
  postValueInt64,
  postValueInt64Default,
  postValueIntDefault,
  postValues,
  postValueTrim,
} from "../accessors/form_values.ts";
import type { JSONStreamOptions } from "../accessors/json_stream.ts";
import type { Params } from "../accessors/params.ts";
import {
  urlParam,
  urlParamBool,
  urlParamBoolDefault,
  urlParamDefault,
  urlParamExists,
  urlParamFloat64,
  urlParamFloat64Default,
  urlParamInt,
  urlParamInt64,
  urlParamInt64Default,
  urlParamIntDefault,
  urlParams,
} from "../accessors/query.ts";
import type { JSONOptions } from "../accessors/read_input.ts";
import type { StandardSchema } from "../accessors/schema.ts";
import type { FileHeader } from "../../http/body/form/file_header.ts";
import type { FormPart } from "../../http/body/multipart/form_parts.ts";
import type { UploadOptions } from "../../http/body/save_uploads.ts";
import { checkText } from "../../base/config/option_table.ts";
import type { RunningApplication } from "../../base/config/running_application.ts";
import { foreignReason, signCopy } from "../../base/errors/copies.ts";
import { FrameworkError, type Parsed, type Result } from "../../base/errors/errors.ts";
import type { Problem, ProblemOptions } from "../../http/headers/problem.ts";
import { next, waitFor } from "../exchange/chain/chain.ts";
import type { CompiledRoute, Fallback, RouteInfo } from "../exchange/compiled_route.ts";
import { onClose, onDisconnect } from "../exchange/ending/end_tasks.ts";
import {
  bodyOf,
  Exchange,
  paramsOf,
  queryOf,
  routedPath,
  setPublicError,
  valuesOf,
  watchOf,
} from "../exchange/exchange.ts";
import { handOut } from "../exchange/hand_out.ts";
import { remoteAddr } from "../exchange/peer/remote_addr.ts";
import { firstLabel, requestHost, subdomainOf } from "../exchange/peer/request_host.ts";
import { requestScheme } from "../exchange/peer/request_scheme.ts";
import { addCookieOptions, getCookie, removeCookie, setCookie } from "../exchange/cookies.ts";
import { absoluteURI } from "../exchange/public_url.ts";
import { handlerHeader } from "../exchange/request_header.ts";
import { loggerOf } from "../exchange/request_logger.ts";
import type { RequestTarget } from "../exchange/request_target.ts";
import {
  notFound,
  respondWithProblem,
  stop,
  stopWith,
  stopWithError,
  stopWithJSON,
  stopWithProblem,
  stopWithRedirect,
} from "../exchange/stop.ts";
import { eventsTerms, streamTerms } from "../exchange/stream_terms.ts";
import type { Values } from "../exchange/values.ts";
import type { MarkdownOptions } from "../../pages/formats/markdown.ts";
import type { XMLOptions } from "../../pages/formats/xml_writer.ts";
import { contentTypes, withCharset } from "../../http/headers/content_type.ts";
import type { MethodName } from "../../http/headers/methods.ts";
import { sentPath } from "../../http/headers/request_url.ts";
import type { ValueMap } from "../../http/headers/urlencoded.ts";
import type { Locale } from "../../pages/i18n/locale.ts";
import type { Logger } from "../../base/log/logger.ts";
import type { CookieOptions } from "../../http/response/cookies.ts";
import {
  addHeader,
  chooseType,
  readHeader,
  setHeader,
  setStatus,
  writeBytes,
  writeDocument,
  writeLayout,
  writePlain,
  writeText,
  writeTyped,
} from "../../http/response/draft.ts";
import type { FileOptions, RateOptions, ServedContent } from "../../http/response/file/file_options.ts";
import { sendFile, sendFileWithRate, serveContent, serveFile } from "../../http/response/file/serve_file.ts";
import type { JSONLayout, JSONPOptions } from "../../http/response/json_options.ts";
import type { CookieSeal } from "../../http/response/sealed_cookies.ts";
import type { EventsSource } from "../../http/response/event_texts.ts";
import { type EventsOptions, sendEvents } from "../../http/response/server_events.ts";
import { byteStream, sendStream, type StreamOptions, type StreamSource } from "../../http/response/stream.ts";
import type { PathValue } from "../../base/text/path_value.ts";
import type { Engine } from "../../pages/engine/engine.ts";
import { inLanguage, resultInLanguage } from "./format/issue_messages.ts";
import { localeOf, rememberLanguage, setLanguage, tr } from "./format/language.ts";
import {
  getBody,
  readBody,
  readForm,
  readFormat,
  readFormResult,
  readJSON,
  readJSONStream,
  readQuery,
} from "./format/lazy_reader.ts";
import { negotiate } from "./format/negotiate.ts";
import { type Negotiation, negotiationOf } from "./format/negotiation.ts";
import { writeJSONP, writeMarkdown, writeMsgPack, writeXML, writeYAML } from "./format/write_format.ts";
import { findClosest, RequestLinks } from "./links.ts";
import { Recorder } from "./recorder.ts";
import { sendRestricted } from "./personal.ts";
import { logout, setUser, type User, userOf } from "./user.ts";
import { addFallbacks, addViewData, setEngine, setLayout, writeView } from "./view.ts";

/**
 * Returns the internal state of a context. It is set in the static block of the class, and other fw modules have no
 * other access to that state.
 */
export let exchangeOf: (ctx: Context) => Exchange<Context>;

/**
 * A request and its response. Every handler receives a context.
 *
 * The response stays a draft until the last handler has finished. Until then, the status and headers can still change,
 * and writes append to the body.
 *
 * @example Read a request and respond to it
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New();
 * app.Get("/hello/{name}", (ctx) => ctx.JSON({ message: `Hello ${ctx.Params().Get("name")}` }));
 * const response = await app.fetch(new Request("http://localhost/hello/Ada"));
 * await response.json(); // → { message: "Hello Ada" }
 * ```
 */
export class Context {
  readonly #exchange: Exchange<Context>;

  /**
   * Created by the application, once per request.
   *
   * @ignore
   */
  constructor(target: RequestTarget, route: CompiledRoute<Context>) {
    this.#exchange = new Exchange<Context>(this, target, route);
  }

  /**
   * Returns the application that serves the request, with its logger and configuration.
   *
   * @returns The application.
   *
   * @example `ctx.Application().Configuration().Charset; // → "utf-8"`
   */
  Application(): RunningApplication {
    return this.#exchange.runtime.host;
  }

  /**
   * Builds the path of a named route, for links and redirects. `urlpath` does the same in templates. The path includes
   * the base path, the prefix of the mount and, if the request's path starts with a language, that language.
   *
   * @example Redirect to another route
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Get("/notes/{id:int}", (ctx) => ctx.WriteString("a note")).SetName("note");
   * app.Post("/notes", (ctx) => ctx.Redirect(ctx.URLPath("note", 7), 303));
   *
   * const response = await app.fetch(new Request("http://localhost/notes", { method: "POST" }));
   * response.headers.get("location"); // → "/notes/7"
   * ```
   *
   * @param name The name that was set with `SetName`.
   * @param values The parameter values, in order. If the route has a wildcard subdomain, its value comes first.
   * @returns The path, with the values escaped.
   * @throws {FrameworkError} If there is no such route, or if a parameter does not accept its value.
   */
  URLPath(name: string, ...values: PathValue[]): string {
    return new RequestLinks(this.#exchange).URLPath(name, ...values);
  }

  /**
   * Builds the absolute URL of a named route, for example for feeds. The scheme and host are those of the request, with
   * the route's subdomain. `url` does the same in templates. Do not use it for mails, because the client chooses the
   * `Host` header: the option `URL` of a mailer sets the address of the links in mails.
   *
   * @param name The name that was set with `SetName`.
   * @param values The parameter values, in order. If the route has a wildcard subdomain, its value comes first.
   * @returns The URL, with the values escaped.
   * @throws {FrameworkError} If there is no such route, or if a parameter does not accept its value.
   *
   * @example `ctx.Redirect(ctx.URL("tea", 7)); // to the route with the name "tea"`
   */
  URL(name: string, ...values: PathValue[]): string {
    return new RequestLinks(this.#exchange).URL(name, ...values);
  }

  /**
   * Returns a logger that adds information about the request to each line. Each line includes the request ID (if it has
   * one), the route, and the fields added with {@linkcode Logger.AddFields}. Lines that fw itself logs for the request
   * include them too.
   *
   * @returns The logger for this request.
   *
   * @example Add a field to all further log lines of the request
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const lines: string[] = [];
   * const app = fw.New();
   * app.Logger().SetTimeFormat("").SetOutput((line) => lines.push(line));
   * app.Get("/orders/{id:int}", (ctx) => {
   *   ctx.Logger().AddFields({ tenant: "north" });
   *   ctx.Logger().Info("opened");
   * });
   * await app.fetch(new Request("http://localhost/orders/7"));
   * lines; // → ["[INFO] opened route=/orders/{id:int} tenant=north"]
   * ```
   */
  Logger(): Logger {
    return loggerOf(this.#exchange);
  }

  /**
   * Returns the request ID, which identifies the request in logs and to other services.
   *
   * @returns The ID set by `SetID` or the `requestid` middleware, or an empty string if none was set.
   *
   * @example `ctx.Header("x-request-id", ctx.GetID());`
   */
  GetID(): string {
    return this.#exchange.id;
  }

  /**
   * Sets the request ID. Log lines for the request include it.
   *
   * @param id The ID.
   *
   * @example `ctx.SetID(crypto.randomUUID());`
   */
  SetID(id: string): void {
    this.#exchange.id = checkText(id, "id", "SetID");
  }

  /**
   * Returns the native `Request` for use with other libraries. If the request body size is limited, the limit also
   * applies to this request, and reading a larger body fails with status 413.
   *
   * @returns The request. Body data read from it is no longer available to the methods of the context.
   *
   * @example `const { signal } = ctx.Request();`
   */
  Request(): Request {
    return handOut(this.#exchange);
  }

  /**
   * Runs another route inside this handler, as if the client had requested it. The other route's middleware and
   * handlers write to this response, share this request's values, and see their own path and parameters. `UseRouter`
   * middleware does not run again. Sets status 404 if no route matches.
   *
   * @param method The HTTP method.
   * @param path The path, optionally with a query string.
   * @returns A promise if any of the handlers is asynchronous. The response waits for it.
   *
   * @example Serve an old path with the handlers of a new one
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Get("/teas/{id:int}", (ctx) => ctx.WriteString(`tea ${ctx.Params().Get("id")}`));
   * app.Get("/cheapest", (ctx) => ctx.Exec("GET", "/teas/7"));
   * const response = await app.fetch(new Request("http://localhost/cheapest"));
   * await response.text(); // → "tea 7"
   * ```
   */
  Exec(method: MethodName, path: string): Promise<void> | undefined {
    return waitFor(this.#exchange, this.#exchange.runtime.exec?.(this, method, path));
  }

  /**
   * Returns the HTTP method.
   *
   * @returns The method, in upper case.
   *
   * @example `if (ctx.Method() === "HEAD") return;`
   */
  Method(): string {
    return this.#exchange.method;
  }

  /**
   * Returns the canonical path. The router uses it to select routes and guards. Escape sequences are decoded, dot
   * segments are resolved, and repeated slashes are collapsed. With `WithLowercaseRouting`, the path is also converted
   * to lower case. After `rewrite`, this is the new path.
   *
   * @returns The path, with its leading slash. CONNECT requests have no path, so the result is `/`.
   *
   * @example Read the path without the query string
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Get("/{rest:path}", (ctx) => ctx.WriteString(ctx.Path()));
   *
   * await (await app.fetch(new Request("http://localhost/a%20cup?of=tea"))).text(); // → "/a cup"
   * ```
   */
  Path(): string {
    return routedPath(this.#exchange);
  }

  /**
   * Returns the raw path as sent by the client, before any rewriting, including dot segments and repeated slashes. In a
   * guard, use {@linkcode Context.Path}, which is the path that the router matched.
   *
   * @returns The path without the query string, with its percent-encoding.
   *
   * @example `ctx.Logger().Debug(ctx.RequestPath());`
   */
  RequestPath(): string {
    return sentPath(this.#exchange.request.url);
  }

  /**
   * Returns the host that the client requested, including the port if there is one. If the request comes from a trusted
   * proxy, the host is read from the configured header.
   *
   * @returns The host.
   *
   * @example `ctx.Host(); // → "shop.example:8080"`
   */
  Host(): string {
    return requestHost(this.#exchange.target);
  }

  /**
   * Returns the first label of the subdomain.
   *
   * @returns The label, such as `bob` for `bob.eu.example.com`, or an empty string for the root domain.
   *
   * @example `ctx.Subdomain(); // → "admin" for admin.shop.example`
   */
  Subdomain(): string {
    return firstLabel(this.SubdomainFull());
  }

  /**
   * Returns the full subdomain, which is the part of the host before the root domain.
   *
   * @returns The labels with a trailing dot, such as `bob.eu.` for `bob.eu.example.com`, or an empty string for the
   * root domain.
   *
   * @example `ctx.SubdomainFull(); // → "eu.admin" for eu.admin.shop.example`
   */
  SubdomainFull(): string {
    return subdomainOf(this.Host(), this.#exchange.runtime.config.VHost);
  }

  /**
   * Returns the scheme that the client uses. If the request comes from a trusted proxy, the scheme is read from the
   * configured header.
   *
   * @returns `https` or `http`.
   *
   * @example `if (ctx.Scheme() === "http") ctx.Logger().Warn("not encrypted");`
   */
  Scheme(): "http" | "https" {
    return requestScheme(this.#exchange.target);
  }

  /**
   * Returns an absolute URL to this server, for example for feeds. Do not use it for mails, because the client chooses
   * the `Host` header: the option `URL` of a mailer sets the address of the links in mails.
   *
   * @param reference A path of the application or another URL reference, resolved against the request URL. Do not pass
   * a value chosen by a client.
   * @returns The URL, with the scheme and host that the client uses.
   * @throws {HTTPError} 400 if the `Host` header is malformed.
   *
   * @example `ctx.AbsoluteURI("/teas/7"); // → "https://shop.example/teas/7"`
   */
  AbsoluteURI(reference: string): string {
    return absoluteURI(this.#exchange.target, reference);
  }

  /**
   * Returns the full request URL with the scheme and host that the client uses.
   *
   * @returns The URL. After `rewrite`, it contains the new path.
   * @throws {HTTPError} 400 if the `Host` header is malformed.
   *
   * @example Read the URL behind a proxy
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New().Configure(fw.WithProxy({ Trust: ["192.0.2.1"] }));
   * app.Get("/teas", (ctx) => ctx.WriteString(ctx.FullRequestURI()));
   *
   * const headers = { "x-forwarded-proto": "https", "x-forwarded-host": "shop.example" };
   * const remoteAddr = { transport: "tcp", hostname: "192.0.2.1", port: 50000 } as const;
   * const response = await app.fetch(new Request("http://10.0.0.7/teas?page=2", { headers }), { remoteAddr });
   * await response.text(); // → "https://shop.example/teas?page=2"
   * ```
   */
  FullRequestURI(): string {
    return absoluteURI(this.#exchange.target, "");
  }

  /**
   * Returns the client's IP address. Forwarding headers are only used if the request comes from a trusted proxy.
   *
   * @returns The address, without the port.
   *
   * @example `ctx.RemoteAddr(); // → "192.0.2.7"`
   */
  RemoteAddr(): string {
    return remoteAddr(this.#exchange.target);
  }

  /**
   * Returns a request header.
   *
   * @param name The header name, case-insensitive.
   * @returns The value, or an empty string if the header is missing.
   *
   * @example Read a request header
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Get("/", (ctx) => ctx.WriteString(ctx.GetHeader("accept-language")));
   *
   * const request = new Request("http://localhost/", { headers: { "accept-language": "de" } });
   * await (await app.fetch(request)).text(); // → "de"
   * ```
   */
  GetHeader(name: string): string {
    return handlerHeader(this.#exchange, name);
  }

  /**
   * Returns a cookie sent with the request. If a handler of this request has set or removed the cookie, returns the new
   * value.
   *
   * @param name The cookie name.
   * @param seal The keys for a cookie that was set with `Sign` or `Encrypt`.
   * @returns The value, or an empty string if the cookie is missing or was not signed or encrypted with these keys.
   *
   * @example Read a cookie that an earlier response set
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Get("/", (ctx) => ctx.WriteString(ctx.GetCookie("theme") || "light"));
   *
   * const request = new Request("http://localhost/", { headers: { cookie: "theme=dark" } });
   * await (await app.fetch(request)).text(); // → "dark"
   * ```
   */
  GetCookie(name: string, seal?: CookieSeal): string {
    return getCookie(this.#exchange, name, seal);
  }

  /**
   * Returns the path parameters.
   *
   * @returns The path parameters of the current route.
   *
   * @example Read a path parameter as a number
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Get("/users/{id:int}", (ctx) => ctx.JSON({ next: ctx.Params().GetIntDefault("id", 0) + 1 }));
   *
   * await (await app.fetch(new Request("http://localhost/users/7"))).json(); // → { next: 8 }
   * (await app.fetch(new Request("http://localhost/users/ann"))).status; // → 404
   * ```
   */
  Params(): Params {
    return paramsOf(this.#exchange);
  }

  /**
   * Returns the values that handlers share during this request.
   *
   * @returns The values, by typed key.
   *
   * @example Pass a typed value from middleware to a handler
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * const tenant = fw.Key<string>("tenant");
   * app.Use((ctx) => {
   *   ctx.Values().Set(tenant, ctx.Host().split(".", 1)[0] ?? "");
   *   return ctx.Next();
   * });
   * app.Get("/", (ctx) => ctx.WriteString(ctx.Values().Get(tenant) ?? "none"));
   *
   * await (await app.fetch(new Request("http://north.example/"))).text(); // → "north"
   * ```
   */
  Values(): Values {
    return valuesOf(this.#exchange);
  }

  /**
   * Returns the authenticated user. A mounted application shares the user of the application around it.
   *
   * @returns The user, or `undefined` if the request is not authenticated.
   *
   * @example `const name = ctx.User()?.Name ?? "guest";`
   */
  User(): User | undefined {
    return userOf(this.#exchange);
  }

  /**
   * Sets the authenticated user. Authentication middleware calls this method. If a mounted application sets the user
   * and the application around it has none, both have this user.
   *
   * @param user The user.
   * @param logout Called by `Logout` with the context of its caller, for example to end a session. If it returns a
   * promise, the response waits for it.
   *
   * @example `ctx.SetUser({ ID: "7", Name: "ada", Roles: ["admin"], Method: "token" });`
   */
  SetUser(user: User, logout?: (ctx: Context) => unknown): void {
    setUser(this.#exchange, user, logout);
  }

  /**
   * Logs the user out. The middleware that authenticated the user then ends the session or revokes the token.
   *
   * @returns A promise if logging out is asynchronous. The response waits for it.
   *
   * @example `await ctx.Logout();`
   */
  Logout(): void | Promise<void> {
    return waitFor(this.#exchange, logout(this.#exchange) ?? undefined);
  }

  /**
   * Translates a key into the request's language. If the translation is missing, the default language is used unless
   * `app.I18n.Strict` is set.
   *
   * @param key The key, with sections separated by dots.
   * @param args The values for printf verbs, or a single object with named values.
   * @returns The translation.
   * @throws {FrameworkError} If the application has no translations.
   *
   * @example
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.I18n.LoadKV({ en: { dogs: { one: "%d dog", other: "%d dogs" } } });
   * app.Get("/", (ctx) => ctx.Text(ctx.Tr("dogs", 2)));
   * await (await app.fetch(new Request("http://localhost/"))).text(); // → "2 dogs"
   * ```
   */
  Tr(key: string, ...args: unknown[]): string {
    return tr(this.#exchange, key, args);
  }

  /**
   * Returns the locale of the request: its language and translations.
   *
   * @returns The locale.
   * @throws {FrameworkError} If the application has no translations.
   *
   * @example `ctx.GetLocale().Language(); // → "de"`
   */
  GetLocale(): Locale {
    return localeOf(this.#exchange);
  }

  /**
   * Sets the language of the request. If its path has a language, links and redirects to paths get the new one.
   *
   * @param language The language tag. If it is not supported, the default language is used.
   * @throws {FrameworkError} If the application has no translations.
   *
   * @example `ctx.SetLanguage("de");`
   */
  SetLanguage(language: string): void {
    setLanguage(this.#exchange, language);
  }

  /**
   * Sets the language of the request and stores it in the cookie named by `app.I18n.Cookie`, so that later requests
   * from the same browser use it as well. If the path of the request has a language, links and redirects to paths get
   * the new one.
   *
   * @param language The language tag. If it is not supported, the default language is used.
   * @throws {FrameworkError} If the application has no translations, or if `app.I18n.Cookie` is empty.
   *
   * @example `ctx.RememberLanguage("de"); // also for the next requests`
   */
  RememberLanguage(language: string): void {
    rememberLanguage(this.#exchange, language);
  }

  /**
   * Returns the route that matched the request.
   *
   * @returns The route, or `undefined` if no route matched.
   *
   * @example `ctx.GetCurrentRoute()?.Path; // → "/teas/{id:int}"`
   */
  GetCurrentRoute(): RouteInfo | undefined {
    return this.#exchange.route.info;
  }

  /**
   * Finds pages similar to the requested one, for use on 404 pages.
   *
   * @param n The maximum number of paths.
   * @returns The paths of routes for GET requests without parameters on the same host, including the base path and the
   * language of the request. The most similar path comes first. Empty if no path is similar.
   *
   * @example Suggest similar pages
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Get("/teas", (ctx) => ctx.WriteString("Assam"));
   * app.OnErrorCode(404, (ctx) => ctx.WriteString(`Did you mean ${ctx.FindClosest(3)}?`));
   *
   * await (await app.fetch(new Request("http://localhost/tees"))).text(); // → "Did you mean /teas?"
   * ```
   */
  FindClosest(n: number): string[] {
    return findClosest(this.#exchange, n);
  }

  /**
   * Returns a query parameter.
   *
   * @param name The parameter name.
   * @returns The first value, or an empty string if the parameter is missing.
   *
   * @example Read a query parameter
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Get("/search", (ctx) => ctx.WriteString(`looking for ${ctx.URLParam("q")}`));
   *
   * const response = await app.fetch(new Request("http://localhost/search?q=green%20tea"));
   * await response.text(); // → "looking for green tea"
   * ```
   */
  URLParam(name: string): string {
    return urlParam(queryOf(this.#exchange), name);
  }

  /**
   * Returns a query parameter, or a default value if it is missing.
   *
   * @param name The parameter name.
   * @param def The default value.
   * @returns The first value, or the default value.
   *
   * @example `const sort = ctx.URLParamDefault("sort", "name");`
   */
  URLParamDefault(name: string, def: string): string {
    return urlParamDefault(queryOf(this.#exchange), name, def);
  }

  /**
   * Reports whether the query string contains a parameter.
   *
   * @param name The parameter name.
   * @returns `true` if the parameter is present, even if it is empty.
   *
   * @example `if (ctx.URLParamExists("debug")) ctx.Logger().Debug("details");`
   */
  URLParamExists(name: string): boolean {
    return urlParamExists(queryOf(this.#exchange), name);
  }

  /**
   * Returns all query parameters.
   *
   * @returns An object without a prototype that maps each name to an array of values.
   *
   * @example `const tags = ctx.URLParams().tag; // → ["new", "used"]`
   */
  URLParams(): ValueMap {
    return urlParams(queryOf(this.#exchange));
  }

  /**
   * Returns a query parameter as an integer.
   *
   * @param name The parameter name.
   * @returns The value and `null`, or `-1` and an error if the parameter is missing or not an integer.
   *
   * @example `const [page, error] = ctx.URLParamInt("page");`
   */
  URLParamInt(name: string): Parsed<number> {
    return urlParamInt(queryOf(this.#exchange), name);
  }

  /**
   * Returns a query parameter as an integer, or a default value if it is missing or not an integer.
   *
   * @param name The parameter name.
   * @param def The default value.
   * @returns The value, or the default value.
   *
   * @example `const page = ctx.URLParamIntDefault("page", 1);`
   */
  URLParamIntDefault(name: string, def: number): number {
    return urlParamIntDefault(queryOf(this.#exchange), name, def);
  }

  /**
   * Returns a query parameter as a 64-bit integer.
   *
   * @param name The parameter name.
   * @returns The value and `null`, or `-1n` and an error if the parameter is missing or not a 64-bit integer.
   *
   * @example `const [id, error] = ctx.URLParamInt64("id");`
   */
  URLParamInt64(name: string): Parsed<bigint> {
    return urlParamInt64(queryOf(this.#exchange), name);
  }

  /**
   * Returns a query parameter as a 64-bit integer, or a default value if it is missing or not a 64-bit integer.
   *
   * @param name The parameter name.
   * @param def The default value.
   * @returns The value, or the default value.
   *
   * @example `const id = ctx.URLParamInt64Default("id", 0n);`
   */
  URLParamInt64Default(name: string, def: bigint): bigint {
    return urlParamInt64Default(queryOf(this.#exchange), name, def);
  }

  /**
   * Returns a query parameter as a number.
   *
   * @param name The parameter name.
   * @returns The value and `null`, or `-1` and an error if the parameter is missing or not a number.
   *
   * @example `const [price, error] = ctx.URLParamFloat64("price");`
   */
  URLParamFloat64(name: string): Parsed<number> {
    return urlParamFloat64(queryOf(this.#exchange), name);
  }

  /**
   * Returns a query parameter as a number, or a default value if it is missing or not a number.
   *
   * @param name The parameter name.
   * @param def The default value.
   * @returns The value, or the default value.
   *
   * @example `const price = ctx.URLParamFloat64Default("price", 9.5);`
   */
  URLParamFloat64Default(name: string, def: number): number {
    return urlParamFloat64Default(queryOf(this.#exchange), name, def);
  }

  /**
   * Returns a query parameter as a boolean.
   *
   * @param name The parameter name.
   * @returns The value and `null`, or `false` and an error if the parameter is missing or not a boolean.
   *
   * @example `const [sold, error] = ctx.URLParamBool("sold");`
   */
  URLParamBool(name: string): Parsed<boolean> {
    return urlParamBool(queryOf(this.#exchange), name);
  }

  /**
   * Returns a query parameter as a boolean, or a default value if it is missing or not a boolean.
   *
   * @param name The parameter name.
   * @param def The default value.
   * @returns The value, or the default value.
   *
   * @example `const sold = ctx.URLParamBoolDefault("sold", false);`
   */
  URLParamBoolDefault(name: string, def: boolean): boolean {
    return urlParamBoolDefault(queryOf(this.#exchange), name, def);
  }

  /**
   * Reads a form field from the request body or, if the body does not contain it, from the query string.
   *
   * @param name The field name.
   * @returns The first value, or an empty string if the field is missing.
   *
   * @example Read a form field
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Post("/greet", async (ctx) => ctx.WriteString(`Hello ${await ctx.FormValue("name")}`));
   *
   * const body = new URLSearchParams({ name: "Ada" });
   * const response = await app.fetch(new Request("http://localhost/greet?name=Bob", { method: "POST", body }));
   * await response.text(); // → "Hello Ada"
   * ```
   */
  FormValue(name: string): Promise<string> {
    return formValue(bodyOf(this.#exchange), queryOf(this.#exchange), name);
  }

  /**
   * Reads a form field from the request body or the query string, or returns a default value if it is missing.
   *
   * @param name The field name.
   * @param def The default value.
   * @returns The first value, or the default value.
   *
   * @example `const sort = await ctx.FormValueDefault("sort", "name");`
   */
  FormValueDefault(name: string, def: string): Promise<string> {
    return formValueDefault(bodyOf(this.#exchange), queryOf(this.#exchange), name, def);
  }

  /**
   * Reads all form fields from the request body and the query string. {@linkcode Context.PostValues} returns the values
   * of one field, from the body alone.
   *
   * @returns An object without a prototype that maps each name to an array of values, or `null` if there are no fields.
   *
   * @example `const tags = (await ctx.FormValues())?.tag; // → ["new", "used"]`
   */
  FormValues(): Promise<ValueMap | null> {
    return formValues(bodyOf(this.#exchange), queryOf(this.#exchange));
  }

  /**
   * Reads a form field from the request body.
   *
   * @param name The field name.
   * @returns The first value, or an empty string if the field is missing.
   *
   * @example Read a field of a submitted form
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Post("/notes", async (ctx) => ctx.WriteString(`noted: ${await ctx.PostValue("text")}`));
   *
   * const body = new URLSearchParams({ text: "buy tea" });
   * const response = await app.fetch(new Request("http://localhost/notes", { method: "POST", body }));
   * await response.text(); // → "noted: buy tea"
   * ```
   */
  PostValue(name: string): Promise<string> {
    return postValue(bodyOf(this.#exchange), name);
  }

  /**
   * Reads a form field from the request body, or returns a default value if it is missing.
   *
   * @param name The field name.
   * @param def The default value.
   * @returns The first value, or the default value.
   *
   * @example `const color = await ctx.PostValueDefault("color", "green");`
   */
  PostValueDefault(name: string, def: string): Promise<string> {
    return postValueDefault(bodyOf(this.#exchange), name, def);
  }

  /**
   * Reads a form field from the request body and removes trailing whitespace.
   *
   * @param name The field name.
   * @returns The first value without trailing whitespace, or an empty string if the field is missing.
   *
   * @example `const name = await ctx.PostValueTrim("name");`
   */
  PostValueTrim(name: string): Promise<string> {
    return postValueTrim(bodyOf(this.#exchange), name);
  }

  /**
   * Reads all values of one form field from the request body. {@linkcode Context.FormValues} returns all fields, also
   * those of the query string.
   *
   * @param name The field name.
   * @returns The values in the order they were sent, or an empty array if the field is missing.
   *
   * @example `const tags = await ctx.PostValues("tag"); // → ["new", "used"]`
   */
  PostValues(name: string): Promise<string[]> {
    return postValues(bodyOf(this.#exchange), name);
  }

  /**
   * Reads a form field from the request body as an integer.
   *
   * @param name The field name.
   * @returns The value and `null`, or `-1` and an error if the field is missing or not an integer.
   *
   * @example Read and check a number
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Post("/order", async (ctx) => {
   *   const [amount, error] = await ctx.PostValueInt("amount");
   *   if (error !== null) return ctx.StopWithError(400, error);
   *   ctx.JSON({ amount });
   * });
   *
   * const order = (amount: string) => new Request("http://localhost/order", {
   *   method: "POST",
   *   body: new URLSearchParams({ amount }),
   * });
   * await (await app.fetch(order("3"))).json(); // → { amount: 3 }
   * (await app.fetch(order("some"))).status; // → 400
   * ```
   */
  PostValueInt(name: string): Promise<Parsed<number>> {
    return postValueInt(bodyOf(this.#exchange), name);
  }

  /**
   * Reads a form field from the request body as an integer, or returns a default value if it is missing or not an
   * integer.
   *
   * @param name The field name.
   * @param def The default value.
   * @returns The value, or the default value.
   *
   * @example `const seats = await ctx.PostValueIntDefault("seats", 1);`
   */
  PostValueIntDefault(name: string, def: number): Promise<number> {
    return postValueIntDefault(bodyOf(this.#exchange), name, def);
  }

  /**
   * Reads a form field from the request body as a 64-bit integer.
   *
   * @param name The field name.
   * @returns The value and `null`, or `-1n` and an error if the field is missing or not a 64-bit integer.
   *
   * @example `const [id, error] = await ctx.PostValueInt64("id");`
   */
  PostValueInt64(name: string): Promise<Parsed<bigint>> {
    return postValueInt64(bodyOf(this.#exchange), name);
  }

  /**
   * Reads a form field from the request body as a 64-bit integer, or returns a default value if it is missing or not a
   * 64-bit integer.
   *
   * @param name The field name.
   * @param def The default value.
   * @returns The value, or the default value.
   *
   * @example `const id = await ctx.PostValueInt64Default("id", 0n);`
   */
  PostValueInt64Default(name: string, def: bigint): Promise<bigint> {
    return postValueInt64Default(bodyOf(this.#exchange), name, def);
  }

  /**
   * Reads a form field from the request body as a number.
   *
   * @param name The field name.
   * @returns The value and `null`, or `-1` and an error if the field is missing or not a number.
   *
   * @example `const [price, error] = await ctx.PostValueFloat64("price");`
   */
  PostValueFloat64(name: string): Promise<Parsed<number>> {
    return postValueFloat64(bodyOf(this.#exchange), name);
  }

  /**
   * Reads a form field from the request body as a number, or returns a default value if it is missing or not a number.
   *
   * @param name The field name.
   * @param def The default value.
   * @returns The value, or the default value.
   *
   * @example `const price = await ctx.PostValueFloat64Default("price", 9.5);`
   */
  PostValueFloat64Default(name: string, def: number): Promise<number> {
    return postValueFloat64Default(bodyOf(this.#exchange), name, def);
  }

  /**
   * Reads a form field from the request body as a boolean. `false`, `0`, `f` and the empty string are false. Any other
   * value is true.
   *
   * @param name The field name.
   * @returns The value and `null`, or `false` and an error if the field is missing.
   *
   * @example `const [agreed, error] = await ctx.PostValueBool("agreed");`
   */
  PostValueBool(name: string): Promise<Parsed<boolean>> {
    return postValueBool(bodyOf(this.#exchange), name);
  }

  /**
   * Reads a form field from the request body as a boolean, or returns a default value if it is missing.
   *
   * @param name The field name.
   * @param def The default value.
   * @returns The value, or the default value.
   *
   * @example `const agreed = await ctx.PostValueBoolDefault("agreed", false);`
   */
  PostValueBoolDefault(name: string, def: boolean): Promise<boolean> {
    return postValueBoolDefault(bodyOf(this.#exchange), name, def);
  }

  /**
   * Returns the first file uploaded in a form field.
   *
   * @param key The field name.
   * @returns The file, its header and `null`, or an error. The error is `fw.ErrMissingFile` if no file was uploaded.
   *
   * @example Read an uploaded file
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Post("/upload", async (ctx) => {
   *   const [file, header, error] = await ctx.FormFile("note");
   *   if (error !== null) return ctx.StopWithError(400, error);
   *   ctx.JSON({ name: header?.Filename, text: await file?.text() });
   * });
   *
   * const body = new FormData();
   * body.append("note", new File(["green"], "tea.txt"));
   * const response = await app.fetch(new Request("http://localhost/upload", { method: "POST", body }));
   * await response.json(); // → { name: "tea.txt", text: "green" }
   * ```
   */
  FormFile(key: string): Promise<readonly [File | null, FileHeader | null, Error | null]> {
    return formFile(bodyOf(this.#exchange), key);
  }

  /**
   * Returns all files uploaded in a form field.
   *
   * @param key The field name.
   * @returns The files, their headers and `null`, or an error. The error is `fw.ErrMissingFile` if no file was
   * uploaded.
   *
   * @example `const [files, headers, error] = await ctx.FormFiles("scans");`
   */
  FormFiles(key: string): Promise<readonly [File[], FileHeader[], Error | null]> {
    return formFiles(bodyOf(this.#exchange), key);
  }

  /**
   * Reads a multipart form part by part as it arrives, using constant memory. For example, use it to forward an upload
   * to an object store. The body must not have been read before, and each part must be read before the next one is
   * requested.
   *
   * @returns The parts (fields and files), in the order they arrive.
   * @throws {HTTPError} 415 if the body is not a multipart form, or 400 if it is malformed.
   *
   * @example Process an upload as it arrives
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Post("/upload", async (ctx) => {
   *   const sizes: Record<string, number> = {};
   *   for await (const part of ctx.FormParts()) {
   *     sizes[part.Name] = 0;
   *     for await (const chunk of part.Body) sizes[part.Name]! += chunk.length;
   *   }
   *   ctx.JSON(sizes);
   * });
   *
   * const body = new FormData();
   * body.set("note", "hello");
   * body.set("file", new File(["0123456789"], "digits.txt"));
   * const response = await app.fetch(new Request("http://localhost/upload", { method: "POST", body }));
   * await response.json(); // → { note: 5, file: 10 }
   * ```
   *
   * @example `for await (const part of ctx.FormParts()) ctx.Logger().Info(part.Name);`
   */
  FormParts(): AsyncIterable<FormPart> {
    return bodyOf(this.#exchange).parts();
  }

  /**
   * Reads the request body as a native `FormData` object with native `File`s for use with other libraries. The limits
   * apply, and large files are stored on disk.
   *
   * @returns The form. It is empty if the body is not a form.
   *
   * @example `const form = await ctx.FormData();`
   */
  FormData(): Promise<FormData> {
    return platformForm(bodyOf(this.#exchange));
  }

  /**
   * Saves all uploaded files to a directory. Files are saved atomically, so a failed upload leaves no partial file
   * behind. A file in the directory that has the same name is replaced. To keep it, rename the uploaded file in a
   * callback, for example with `crypto.randomUUID()`. Two files of the same request are both kept.
   *
   * @param destDirectory The directory. It is created if it does not exist.
   * @param before Called for each file before it is saved. Set `Filename` to change its name on disk. The first
   * argument may be {@linkcode UploadOptions}, with limits for the files of each field. If a limit is exceeded, the
   * rest of the file is not read, no file of the request is saved, and the error has status 413.
   * @returns The number of bytes saved and `null`, or an error. The error is `fw.ErrMissingFile` if the request
   * contains no file.
   *
   * @example Rename files as they are saved
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * const folder = await Deno.makeTempDir();
   * app.Post("/upload", async (ctx) => {
   *   const [bytes, error] = await ctx.UploadFormFiles(folder, (_ctx, file) => {
   *     file.Filename = `new-${file.Filename}`;
   *   });
   *   if (error !== null) throw error;
   *   ctx.JSON({ bytes });
   * });
   *
   * const body = new FormData();
   * body.append("files", new File(["green"], "tea.txt"));
   * const response = await app.fetch(new Request("http://localhost/upload", { method: "POST", body }));
   * await response.json(); // → { bytes: 5 }
   * await Deno.readTextFile(`${folder}/new-tea.txt`); // → "green"
   * await Deno.remove(folder, { recursive: true });
   * ```
   *
   * @example Limit the files of a field
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * const folder = await Deno.makeTempDir();
   * app.Post("/upload", async (ctx) => {
   *   const limits = { Fields: { avatar: { MaxFile: 1 << 20, MaxCount: 1 } } };
   *   const [bytes, error] = await ctx.UploadFormFiles(folder, limits);
   *   if (error !== null) throw error;
   *   ctx.JSON({ bytes });
   * });
   *
   * const body = new FormData();
   * body.append("avatar", new File([new Uint8Array(2 << 20)], "me.png"));
   * const response = await app.fetch(new Request("http://localhost/upload", { method: "POST", body }));
   * response.status; // → 413
   * await Deno.remove(folder, { recursive: true });
   * ```
   */
  UploadFormFiles(
    destDirectory: string,
    ...before: UploadHook[] | [options: UploadOptions, ...before: UploadHook[]]
  ): Promise<Parsed<bigint>> {
    return uploadFormFiles(this, bodyOf(this.#exchange), destDirectory, before);
  }

  /**
   * Sets the maximum body size for this request. Reading a larger body fails with status 413.
   *
   * @param max The size, in bytes.
   *
   * @example `ctx.SetMaxRequestBodySize(1 << 20); // one mebibyte`
   */
  SetMaxRequestBodySize(max: number): void {
    bodyOf(this.#exchange).limit(max);
  }

  /**
   * Sets the maximum body size for this request if the body is parsed as a whole, such as JSON, XML, YAML or
   * MessagePack. Reading a larger body fails with status 413.
   *
   * @param max The size, in bytes.
   *
   * @example `ctx.SetMaxDocument(1 << 16); // 64 kibibytes of JSON`
   */
  SetMaxDocument(max: number): void {
    bodyOf(this.#exchange).limitJSON(max);
  }

  /**
   * Decompresses the request body if it is compressed with gzip or deflate. Call this method before the body is read.
   * The size limits apply to both the compressed and the decompressed body. If this method is not called, reading a
   * compressed body as text, JSON or a form fails with status 415.
   *
   * @example `ctx.CompressReader();`
   */
  CompressReader(): void {
    bodyOf(this.#exchange).unpack();
  }

  /**
   * Reads the request body as bytes.
   *
   * @returns The bytes and `null`, or `undefined` and an error.
   *
   * @example `const [bytes, error] = await ctx.GetBody();`
   */
  GetBody(): Promise<Result<Uint8Array<ArrayBuffer>>> {
    return getBody(bodyOf(this.#exchange));
  }

  /**
   * Reads the input in the format declared by the request: JSON, XML, YAML, MessagePack or a form. For GET requests and
   * requests without a content type, the query string is read. Other content types are rejected with status 415.
   *
   * @param schema The schema that the input must match, from any Standard Schema library.
   * @returns The value and `null`, or an error. If you throw the error, it determines the response status.
   *
   * @example Accept several formats in one handler
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Any("/hello", async (ctx) => {
   *   const [input, error] = await ctx.ReadBody<{ name: string }>();
   *   if (error !== null) throw error;
   *   ctx.Text(`Hello ${input.name}`);
   * });
   *
   * const send = (type: string, body: string) =>
   *   app.fetch(new Request("http://localhost/hello", { method: "POST", headers: { "content-type": type }, body }));
   * await (await send("application/xml", "<user><name>Ada</name></user>")).text(); // → "Hello Ada"
   * await (await send("application/yaml", "name: Ada")).text(); // → "Hello Ada"
   * await (await app.fetch(new Request("http://localhost/hello?name=Ada"))).text(); // → "Hello Ada"
   * ```
   */
  ReadBody<T = unknown>(schema?: StandardSchema<T>): Promise<Result<T>> {
    return resultInLanguage(this.#exchange, readBody(this.#exchange, schema));
  }

  /**
   * Reads a sequence of JSON values and holds one value at a time in memory. The body can contain consecutive values,
   * as in JSON Lines, or a single array. If the body is malformed or a value does not match the schema, the iteration
   * throws after the preceding values have been delivered.
   *
   * @param schema The schema that each value must match.
   * @param options The options.
   * @returns The values.
   *
   * @example Read JSON Lines
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Post("/sum", async (ctx) => {
   *   let sum = 0;
   *   for await (const { n } of ctx.ReadJSONStream<{ n: number }>()) sum += n;
   *   ctx.JSON({ sum });
   * });
   *
   * const headers = { "content-type": "application/x-ndjson" };
   * const body = '{"n":1}\n{"n":2}\n';
   * const response = await app.fetch(new Request("http://localhost/sum", { method: "POST", headers, body }));
   * await response.json(); // → { sum: 3 }
   * ```
   */
  ReadJSONStream<T = unknown>(schema?: StandardSchema<T>, options: JSONStreamOptions = {}): AsyncIterable<T> {
    return readJSONStream(this.#exchange, schema, options);
  }

  /**
   * Reads the request body as XML. Child elements become properties, repeated elements become arrays, and attributes
   * become properties that start with `@`. All values are strings. Document type definitions are ignored, so entities
   * are never expanded.
   *
   * @param schema The schema that the input must match.
   * @param options The options.
   * @returns The content of the root element and `null`, or an error. If you throw the error, it determines the
   * response status.
   *
   * @example `const [order, error] = await ctx.ReadXML(schema);`
   */
  ReadXML<T = unknown>(schema?: StandardSchema<T>, options: JSONOptions = {}): Promise<Result<T>> {
    return resultInLanguage(this.#exchange, readFormat(this.#exchange, "XML", schema, options));
  }

  /**
   * Reads the request body as YAML. Aliases are rejected.
   *
   * @param schema The schema that the input must match.
   * @param options The options.
   * @returns The value and `null`, or an error. If you throw the error, it determines the response status.
   *
   * @example `const [order, error] = await ctx.ReadYAML(schema);`
   */
  ReadYAML<T = unknown>(schema?: StandardSchema<T>, options: JSONOptions = {}): Promise<Result<T>> {
    return resultInLanguage(this.#exchange, readFormat(this.#exchange, "YAML", schema, options));
  }

  /**
   * Reads the request body as MessagePack.
   *
   * @param schema The schema that the input must match.
   * @param options The options.
   * @returns The value and `null`, or an error. If you throw the error, it determines the response status.
   *
   * @example `const [order, error] = await ctx.ReadMsgPack(schema);`
   */
  ReadMsgPack<T = unknown>(schema?: StandardSchema<T>, options: JSONOptions = {}): Promise<Result<T>> {
    return resultInLanguage(this.#exchange, readFormat(this.#exchange, "MsgPack", schema, options));
  }

  /**
   * Reads the request body as JSON. Unless `AnyType` is set, a body with another content type is rejected with status
   * 415.
   *
   * @param schema The schema that the input must match, from any Standard Schema library.
   * @param options The options.
   * @returns The value and `null`, or an error. If you throw the error, it determines the response status.
   *
   * @example Read a JSON body
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Post("/sum", async (ctx) => {
   *   const [numbers, error] = await ctx.ReadJSON<number[]>();
   *   if (error !== null) throw error;
   *   ctx.JSON({ sum: numbers.reduce((sum, each) => sum + each, 0) });
   * });
   *
   * const headers = { "content-type": "application/json" };
   * const send = (body: string) => app.fetch(new Request("http://localhost/sum", { method: "POST", headers, body }));
   * await (await send("[1, 2, 3]")).json(); // → { sum: 6 }
   * (await send("[1, 2")).status; // → 400
   * ```
   */
  ReadJSON<T = unknown>(schema?: StandardSchema<T>, options: JSONOptions = {}): Promise<Result<T>> {
    return resultInLanguage(this.#exchange, readJSON(this.#exchange, schema, options));
  }

  /**
   * Reads the request body as a form. A missing body is an empty form. With a schema, strings are converted to the
   * types that it expects, as by {@linkcode Context.ReadQuery}, and files are `File` objects (`z.file()`). Fields that
   * fw reads itself, such as the token of `csrf`, are omitted if the schema does not declare them.
   *
   * @param schema The schema that the input must match, from any Standard Schema library.
   * @param options The fields that are secrets, which the error does not contain.
   * @returns The fields and `null`, or an error. If you throw the error, it determines the response status: 415 if the
   * body is not a form, 400 if it is malformed, and 422 if it does not match the schema.
   *
   * @example `const [order, error] = await ctx.ReadForm(schema);`
   */
  ReadForm<T = Record<string, FormInput>>(schema?: StandardSchema<T>, options?: FormOptions): Promise<Result<T>> {
    return resultInLanguage(this.#exchange, readForm(this.#exchange, schema, options));
  }

  /**
   * Reads the body as a form for a page that shows the form again with its errors if it does not match the schema.
   *
   * A missing body is an empty form. Throws if the body cannot be read as a form, which results in status 415 for
   * another content type and 400 for a malformed body.
   *
   * @example Show a form again with its errors
   * ```ts
   * import * as fw from "@fw/web";
   * import { z } from "npm:zod@^4";
   *
   * const tea = z.object({ name: z.string().min(1, "Enter a name"), grams: z.number() });
   * const app = fw.New();
   * app.Post("/teas", async (ctx) => {
   *   const form = await ctx.FormResult(tea);
   *   if (form.IsValid) return ctx.Redirect(`/teas/${form.Value.name}`, 303);
   *   ctx.StatusCode(422);
   *   ctx.Text(`${form.Error("name")}, grams: ${form.Text("grams")}`);
   * });
   *
   * const post = (fields: Record<string, string>) =>
   *   app.fetch(new Request("http://localhost/teas", { method: "POST", body: new URLSearchParams(fields) }));
   * (await post({ name: "Assam", grams: "50" })).status; // → 303
   * await (await post({ name: "", grams: "50" })).text(); // → "Enter a name, grams: 50"
   * ```
   *
   * @param schema The schema that the form must match, from any Standard Schema library.
   * @param options The fields that are secrets, and those that are not although their names suggest it.
   * @returns The schema's output or the errors by field name, together with the submitted values.
   */
  FormResult<T>(schema: StandardSchema<T>, options?: FormOptions): Promise<FormResult<T>> {
    return readFormResult(this.#exchange, schema, options);
  }

  /**
   * Reads the query string.
   *
   * With a schema, strings are converted to the types that it expects, such as numbers, booleans and ISO 8601 dates. A
   * string that is not the exact representation of a value is not converted, so that the schema rejects it. Parameters
   * that fw reads itself, such as `lang`, are omitted if the schema does not declare them.
   *
   * @param schema The schema that the input must match, from any Standard Schema library.
   * @returns The parameters and `null`, or an error. If you throw the error, it determines the response status.
   *
   * @example `const [search, error] = await ctx.ReadQuery(schema);`
   */
  ReadQuery<T = Record<string, FormInput>>(schema?: StandardSchema<T>): Promise<Result<T>> {
    return resultInLanguage(
      this.#exchange,
      readQuery(this.#exchange, schema),
    );
  }

  /**
   * Calls the next handler. To run code after the following handlers, await the result, because they may be
   * asynchronous.
   *
   * @returns A promise if any of the following handlers is asynchronous, or `undefined` if they have already finished.
   *
   * @example Run code before and after the next handlers
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Use(async (ctx) => {
   *   const started = performance.now();
   *   await ctx.Next();
   *   ctx.Header("x-took", performance.now() >= started ? "some time" : "none");
   * });
   * app.Get("/", (ctx) => ctx.WriteString("hello"));
   *
   * (await app.fetch(new Request("http://localhost/"))).headers.get("x-took"); // → "some time"
   * ```
   */
  Next(): Promise<void> | undefined {
    return next(this.#exchange);
  }

  /**
   * Stops the chain. No further handlers run.
   *
   * @example `ctx.StopExecution(); // later handlers do not run`
   */
  StopExecution(): void {
    stop(this.#exchange);
  }

  /**
   * Reports whether a handler has stopped the chain.
   *
   * @returns `true` after `StopExecution` or any other method that stops the chain.
   *
   * @example `if (ctx.IsStopped()) ctx.Logger().Debug("stopped");`
   */
  IsStopped(): boolean {
    return this.#exchange.chain.stopped;
  }

  /**
   * Stops the chain and responds with a status code. The error handler for the status code writes the body.
   *
   * @param status The status code.
   * @throws {FrameworkError} If the status code is not between 200 and 599.
   *
   * @example Reject a request in a guard
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Use((ctx) => ctx.GetHeader("x-key") === "tea" ? ctx.Next() : ctx.StopWithStatus(403));
   * app.Get("/", (ctx) => ctx.WriteString("inside"));
   *
   * (await app.fetch(new Request("http://localhost/"))).status; // → 403
   * ```
   */
  StopWithStatus(status: number): void {
    stopWith(this.#exchange, status);
  }

  /**
   * Stops the chain and responds with plain text.
   *
   * @param status The status code.
   * @param text The body.
   *
   * @example `ctx.StopWithText(403, "This page is only for members");`
   */
  StopWithText(status: number, text: string): void {
    writeTyped(stopWith(this.#exchange, status), text, this.#exchange.runtime.textType);
  }

  /**
   * Stops the chain and responds with JSON.
   *
   * @param status The status code.
   * @param value The value to serialize.
   *
   * @example `ctx.StopWithJSON(409, { reason: "sold out" });`
   */
  StopWithJSON(status: number, value: unknown): void {
    stopWithJSON(this.#exchange, status, value);
  }

  /**
   * Stops the chain and responds with an error. The error message becomes the body unless an error handler writes one.
   *
   * @param status The status code.
   * @param error The error. Its message is sent to the client.
   *
   * @example Respond with an error message
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Get("/age", (ctx) => {
   *   const [age, error] = ctx.URLParamInt("age");
   *   if (error !== null) return ctx.StopWithError(422, error);
   *   ctx.JSON({ age });
   * });
   *
   * const response = await app.fetch(new Request("http://localhost/age?age=old"));
   * response.status; // → 422
   * await response.text(); // → 'Cannot read query parameter "age" as an integer: current value is "old"'
   * ```
   */
  StopWithError(status: number, error: Error): void {
    stopWithError(this.#exchange, status, error);
  }

  /**
   * Stops the chain and responds with problem details (RFC 9457). The format is JSON, or XML if the client prefers it.
   *
   * @param problem The problem, or its members.
   *
   * @example Report a conflict
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Post("/users", (ctx) => ctx.StopWithProblem({ Status: 409, Detail: "The name is taken" }));
   *
   * const response = await app.fetch(new Request("http://localhost/users", { method: "POST" }));
   * await response.json(); // → { type: "about:blank", title: "Conflict", status: 409, detail: "The name is taken" }
   * ```
   */
  StopWithProblem(problem: Problem | ProblemOptions): void {
    stopWithProblem(this.#exchange, problem);
  }

  /**
   * Sets the status to 404 and discards the body written so far. The chain continues, and later handlers can write
   * another body.
   *
   * @example `if (tea === undefined) return ctx.NotFound();`
   */
  NotFound(): void {
    notFound(this.#exchange.draft);
  }

  /**
   * Stores an error for the error handlers. If the status code is an error and no handler writes a body, the error
   * message becomes the body.
   *
   * @param error The error. Its message may be sent to the client.
   *
   * @example `ctx.SetErr(new Error("The printer is out of paper"));`
   */
  SetErr(error: Error): void {
    setPublicError(this.#exchange, error);
  }

  /**
   * Returns the error that a handler threw or stored with `SetErr`.
   *
   * @returns The error, or `undefined` if there is none.
   *
   * @example `ctx.GetErr()?.message; // in an error handler`
   */
  GetErr(): Error | undefined {
    return inLanguage(this.#exchange, this.#exchange.error);
  }

  /**
   * Sets the status code of the response.
   *
   * @param status The status code, from 200 to 599.
   * @throws {FrameworkError} If the status code is not between 200 and 599.
   *
   * @example Accept a request for later processing
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Post("/jobs", (ctx) => {
   *   ctx.StatusCode(202);
   *   ctx.WriteString("accepted");
   * });
   *
   * (await app.fetch(new Request("http://localhost/jobs", { method: "POST" }))).status; // → 202
   * ```
   */
  StatusCode(status: number): void {
    setStatus(this.#exchange.draft, status);
  }

  /**
   * Returns the current status code of the response.
   *
   * @returns The status code. Defaults to 200.
   *
   * @example `ctx.GetStatusCode(); // → 200`
   */
  GetStatusCode(): number {
    return this.#exchange.draft.status;
  }

  /**
   * Sets a response header, replacing any existing value.
   *
   * @param name The header name.
   * @param value The value. An empty string removes the header.
   * @throws {FrameworkError} If the name or the value is not valid, for example if it contains a line break.
   *
   * @example Set a response header
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Get("/", (ctx) => {
   *   ctx.Header("x-tea", "green");
   *   ctx.WriteString("brewed");
   * });
   *
   * (await app.fetch(new Request("http://localhost/"))).headers.get("x-tea"); // → "green"
   * ```
   */
  Header(name: string, value: string): void {
    setHeader(this.#exchange.draft, name, value);
  }

  /**
   * Appends a response header, keeping existing values.
   *
   * @param name The header name.
   * @param value The value.
   * @throws {FrameworkError} If the name or the value is not valid, for example if it contains a line break.
   *
   * @example `ctx.AddHeader("vary", "accept-language");`
   */
  AddHeader(name: string, value: string): void {
    addHeader(this.#exchange.draft, name, value);
  }

  /**
   * Returns the current value of a response header.
   *
   * @param name The header name.
   * @returns The value, or an empty string if the header is not set.
   *
   * @example `ctx.GetResponseHeader("content-type"); // → "text/html; charset=utf-8"`
   */
  GetResponseHeader(name: string): string {
    return readHeader(this.#exchange.draft, name);
  }

  /**
   * Sets the content type of the response. Adds the configured charset to text types that do not have one. The content
   * type is kept if a document, such as JSON, is written or replaces another one.
   *
   * @param type The content type.
   *
   * @example `ctx.ContentType("text/csv");`
   */
  ContentType(type: string): void {
    chooseType(
      this.#exchange.draft,
      withCharset(checkText(type, "type", "ContentType"), this.#exchange.runtime.config.Charset),
    );
  }

  /**
   * Sets a cookie. By default, the cookie is `HttpOnly` and `SameSite=Lax`, is sent
   * for the base path of the application, and is `Secure` over TLS.
   *
   * @param name The cookie name.
   * @param value The value. Characters that are not allowed in a cookie are escaped.
   * @param options The cookie attributes.
   * @throws {FrameworkError} If the name or an attribute is not valid.
   *
   * @example Set a signed cookie
   * ```ts
   * import * as fw from "@fw/web";
   * import * as httptest from "@fw/web/httptest";
   * import * as keys from "@fw/web/keys";
   *
   * const ring = keys.New(keys.Generate());
   * const app = fw.New();
   * app.Get("/set", (ctx) => ctx.SetCookie("theme", "dark", { Sign: ring, MaxAge: 3_600_000 }));
   * app.Get("/get", (ctx) => ctx.WriteString(ctx.GetCookie("theme", { Sign: ring })));
   *
   * const visitor = httptest.New(app);
   * await visitor.GET("/set").Expect().Status(200);
   * await visitor.GET("/get").Expect().Body("dark");
   * const forged = new Request("http://localhost/get", { headers: { cookie: "theme=light" } });
   * await (await app.fetch(forged)).text(); // → ""
   * ```
   */
  SetCookie(name: string, value: string, options: CookieOptions = {}): void {
    setCookie(this.#exchange, name, value, options);
  }

  /**
   * Sets options for all cookies that {@linkcode SetCookie} and {@linkcode RemoveCookie} write during the rest of the
   * request, and the keys with which {@linkcode GetCookie} reads them. Options of a single cookie take precedence. The
   * cookies of fw itself, such as that of a session, have their own options.
   *
   * @param options The options. They are added to those set before.
   *
   * @example Encrypt all cookies
   * ```ts
   * import * as fw from "@fw/web";
   * import * as keys from "@fw/web/keys";
   *
   * const ring = keys.New(keys.Generate());
   * const app = fw.New();
   * app.Use((ctx) => {
   *   ctx.AddCookieOptions({ Encrypt: ring, SameSite: "Strict" });
   *   return ctx.Next();
   * });
   * app.Get("/", (ctx) => {
   *   ctx.SetCookie("tea", "Assam");
   *   ctx.WriteString(ctx.GetCookie("tea"));
   * });
   *
   * const response = await app.fetch(new Request("http://localhost/"));
   * response.headers.get("set-cookie")?.includes("Assam"); // → false
   * await response.text(); // → "Assam"
   * ```
   */
  AddCookieOptions(options: CookieOptions): void {
    addCookieOptions(this.#exchange, options);
  }

  /**
   * Deletes a cookie on the client.
   *
   * @param name The cookie name.
   * @param options The attributes. The path and domain must match those the cookie was set with.
   *
   * @example `ctx.RemoveCookie("theme");`
   */
  RemoveCookie(name: string, options: CookieOptions = {}): void {
    removeCookie(this.#exchange, name, options);
  }

  /**
   * Appends a string to the response body. If no content type is set, the response is sent as plain text.
   *
   * @param text The string to append.
   *
   * @example Write a body in pieces
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Get("/", (ctx) => {
   *   ctx.WriteString("one, ");
   *   ctx.WriteString("two");
   * });
   *
   * await (await app.fetch(new Request("http://localhost/"))).text(); // → "one, two"
   * ```
   */
  WriteString(text: string): void {
    writeTyped(this.#exchange.draft, text, this.#exchange.target.runtime.textType);
  }

  /**
   * Appends data to the response body without changing the content type.
   *
   * @param content The string or bytes to append.
   *
   * @example `ctx.Write(new Uint8Array([104, 105]));`
   */
  Write(content: string | Uint8Array): void {
    typeof content === "string" ? writeText(this.#exchange.draft, content) : writeBytes(this.#exchange.draft, content);
  }

  /**
   * Responds with plain text.
   *
   * @param text The body.
   *
   * @example `ctx.Text("User-agent: *");`
   */
  Text(text: string): void {
    writePlain(this.#exchange.draft, text, this.#exchange.runtime.textType);
  }

  /**
   * Responds with HTML.
   *
   * @param html The body. It is not escaped.
   *
   * @example Respond with a page
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Get("/", (ctx) => ctx.HTML("<h1>Hello</h1>"));
   *
   * const response = await app.fetch(new Request("http://localhost/"));
   * response.headers.get("content-type"); // → "text/html; charset=utf-8"
   * ```
   */
  HTML(html: string): void {
    writeTyped(this.#exchange.draft, html, this.#exchange.runtime.htmlType);
  }

  /**
   * Responds with JSON. Bigints are serialized as numbers.
   *
   * @param value The value to serialize. Use `fw.Map` as the type of plain objects.
   * @param options The formatting options, such as the indentation. If omitted, the JSON is compact.
   *
   * @example Respond with an object and a status code
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Post("/users", (ctx) => {
   *   ctx.StatusCode(201);
   *   ctx.JSON({ id: 1n, name: "Ada" });
   * });
   *
   * const response = await app.fetch(new Request("http://localhost/users", { method: "POST" }));
   * response.status; // → 201
   * await response.text(); // → '{"id":1,"name":"Ada"}'
   * ```
   */
  JSON(value: unknown, options?: JSONLayout): void {
    writeLayout(this.#exchange.draft, value, options);
  }

  /**
   * Responds with JSONP, a script that passes a value to a function on the page.
   *
   * @param value The value to serialize.
   * @param options The options. If `Callback` is omitted, the function name is read from the query parameter
   * `callback`.
   * @throws {HTTPError} 400 if the name is not a valid function name.
   *
   * @example `ctx.JSONP(tea, { Callback: "show" });`
   */
  JSONP(value: unknown, options: JSONPOptions = {}): void {
    writeJSONP(this.#exchange, value, options);
  }

  /**
   * Responds with problem details (RFC 9457). The format is JSON, or XML if the client prefers it. The chain continues.
   *
   * @param problem The problem, or its members.
   *
   * @example `ctx.Problem({ Status: 409, Title: "Sold out" });`
   */
  Problem(problem: Problem | ProblemOptions): void {
    respondWithProblem(this.#exchange, problem);
  }

  /**
   * Responds with XML. Each property becomes an element, and the element is repeated for each item of an array.
   *
   * @param value The value to serialize. The root element is named after its class.
   * @param options The formatting options.
   * @returns A promise if the encoder has to be loaded first. The response waits for it.
   *
   * @example `await ctx.XML(tea);`
   */
  XML(value: unknown, options?: XMLOptions): Promise<void> | undefined {
    return waitFor(this.#exchange, writeXML(this.#exchange.draft, value, options));
  }

  /**
   * Responds with YAML.
   *
   * @param value The value to serialize.
   * @returns A promise if the encoder has to be loaded first. The response waits for it.
   *
   * @example `await ctx.YAML(tea);`
   */
  YAML(value: unknown): Promise<void> | undefined {
    return waitFor(this.#exchange, writeYAML(this.#exchange.draft, value));
  }

  /**
   * Responds with MessagePack.
   *
   * @param value The value to serialize.
   * @returns A promise if the encoder has to be loaded first. The response waits for it.
   *
   * @example `await ctx.MsgPack(tea);`
   */
  MsgPack(value: unknown): Promise<void> | undefined {
    return waitFor(this.#exchange, writeMsgPack(this.#exchange.draft, value));
  }

  /**
   * Renders Markdown and responds with HTML. Unless `Sanitize` is `false`, HTML in the Markdown source is escaped.
   *
   * @param text The Markdown source.
   * @param options The options.
   * @returns A promise if the renderer has to be loaded first. The response waits for it.
   *
   * @example `await ctx.Markdown("# Teas");`
   */
  Markdown(text: string, options?: MarkdownOptions): Promise<void> | undefined {
    return waitFor(this.#exchange, writeMarkdown(this.#exchange, text, options));
  }

  /**
   * Returns the negotiation object for the request. Handlers and middleware can add representations to it.
   *
   * @returns The negotiation object. It is the same for the whole request.
   *
   * @example `ctx.Negotiation().JSON().XML();`
   */
  Negotiation(): Negotiation {
    return negotiationOf(this.#exchange);
  }

  /**
   * Responds with the representation that the client prefers, based on its `Accept` headers. If none is acceptable,
   * responds with 406.
   *
   * @param value The value for content types that were offered without one.
   * @returns A promise that resolves when the response has been written.
   *
   * @example `await ctx.Negotiate(tea);`
   */
  Negotiate(value?: unknown): Promise<void> {
    return waitFor(this.#exchange, negotiate(this.#exchange, value));
  }

  /**
   * Responds with bytes.
   *
   * @param bytes The body.
   *
   * @example `ctx.Binary(await Deno.readFile("logo.png"));`
   */
  Binary(bytes: Uint8Array<ArrayBuffer>): void {
    writeDocument(this.#exchange.draft, bytes, contentTypes.bytes);
  }

  /**
   * Responds with a stream. Each chunk is sent as soon as it is available.
   *
   * @param source A byte stream, an iterable of strings or bytes, or a function that returns one. The function receives
   * a signal that is aborted if the client disconnects.
   * @param options The options, such as whether proxies may buffer the response.
   *
   * @example `ctx.Stream(["id,name\n", "1,Assam\n"]);`
   */
  Stream(source: StreamSource, options: StreamOptions = {}): void {
    sendStream(this.#exchange.draft, byteStream(source, streamTerms(this.#exchange)), options);
  }

  /**
   * Responds with server-sent events, which browsers receive with `EventSource`. Events are sent until the source ends,
   * the client disconnects, or the application begins to shut down. When a browser reconnects, the source receives the
   * ID of the last event the browser has seen.
   *
   * @param source The events, or a function that returns them. A plain value becomes the data of an event, as a string
   * or JSON. The function receives the ID of the last event the client has seen and a signal that is aborted at the
   * end.
   * @param options The options, such as the heartbeat interval and the reconnection delay.
   *
   * @example Resume after the last event
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const news = ["rain", "sun"];
   * const app = fw.New();
   * app.Get("/news", (ctx) =>
   *   ctx.Events(function* (lastID) {
   *     for (let id = Number(lastID); id < news.length; id++) yield fw.NewEvent(news[id], { ID: String(id + 1) });
   *   }));
   *
   * const request = new Request("http://localhost/news", { headers: { "last-event-id": "1" } });
   * const response = await app.fetch(request);
   * await response.text(); // → ":\n\nid: 2\ndata: sun\n\n"
   * ```
   *
   * @example `ctx.Events(["rain", "sun"]);`
   */
  Events(source: EventsSource, options: EventsOptions = {}): void {
    sendEvents(this.#exchange.draft, source, options, () => eventsTerms(this.#exchange));
  }

  /**
   * Redirects the client to another URL and stops the chain.
   *
   * A path, such as `/home`, is a path of the application. It gets the base path, the prefix of the mount and, if the
   * request's path starts with a language, that language, unless it already starts with them. The result of
   * {@linkcode Context.URLPath} is therefore not changed. Relative references and absolute URLs are not changed either.
   *
   * @param url The URL. Characters that are not allowed in a URL are escaped.
   * @param status The status code: 301, 302, 303, 307 or 308. Defaults to 302.
   * @throws {FrameworkError} If the status code is not a redirect, or if the URL contains a line break.
   *
   * @example Redirect after a form submission
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Post("/login", (ctx) => ctx.Redirect("/home", 303));
   *
   * const response = await app.fetch(new Request("http://localhost/login", { method: "POST" }));
   * [response.status, response.headers.get("location")]; // → [303, "/home"]
   * ```
   */
  Redirect(url: string, status = 302): void {
    stopWithRedirect(this.#exchange, url, status);
  }

  /**
   * Responds with a file. Sets the content type and the entity tag, and handles range and conditional requests. If the
   * file does not exist, responds with 404. Unless `Cache-Control` was set before, clients must revalidate the file on
   * each use (`no-cache`).
   *
   * A relative path must not contain `..` segments. If it does, the response is 404. If any part of the path comes from
   * the client, set `Root` to confine it to a folder: `ctx.ServeFile(ctx.Params().Get("file"), { Root: "./public" })`.
   *
   * @param file The path of the file.
   * @param options The options.
   * @returns A promise that resolves when the response is ready to be sent.
   *
   * @example Serve the files of one folder
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * const folder = await Deno.makeTempDir();
   * await Deno.writeTextFile(`${folder}/tea.txt`, "green");
   * app.Get("/files/{name:path}", (ctx) => ctx.ServeFile(ctx.Params().Get("name"), { Root: folder }));
   *
   * await (await app.fetch(new Request("http://localhost/files/tea.txt"))).text(); // → "green"
   * (await app.fetch(new Request("http://localhost/files/..%2Fetc%2Fpasswd"))).status; // → 404
   * await Deno.remove(folder, { recursive: true });
   * ```
   */
  ServeFile(file: string | URL, options: FileOptions = {}): Promise<void> {
    return waitFor(this.#exchange, sendRestricted(this.#exchange, serveFile(this.#exchange, file, options)));
  }

  /**
   * Responds with content that is not a file on disk, with support for validators and range requests. Validators,
   * content types and other headers that the handler has set are kept.
   *
   * @param content The content: a string, bytes, a `Blob`, or an object with `size` and `slice`, such as one that reads
   * parts of an object in a store.
   * @param name The file name. Its extension determines the content type.
   * @param modified The time of the last modification.
   * @returns A promise that resolves when the response is ready to be sent.
   *
   * @example Serve a part of a generated file
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Get("/report", (ctx) => ctx.ServeContent("a,b\n1,2\n", "report.csv", new Date(0)));
   *
   * const headers = { range: "bytes=0-2" };
   * const response = await app.fetch(new Request("http://localhost/report", { headers }));
   * response.status; // → 206
   * await response.text(); // → "a,b"
   * ```
   */
  ServeContent(content: ServedContent, name: string, modified?: Date): Promise<void> {
    return sendRestricted(this.#exchange, serveContent(this.#exchange, content, name, modified));
  }

  /**
   * Responds with a file as a download.
   *
   * @param file The path of the file.
   * @param name The file name to suggest to the client. Defaults to the name of the file.
   * @returns A promise that resolves when the response is ready to be sent.
   *
   * @example `await ctx.SendFile("reports/2026.pdf", "Bericht für 2026.pdf");`
   */
  SendFile(file: string | URL, name?: string): Promise<void> {
    return waitFor(this.#exchange, sendRestricted(this.#exchange, sendFile(this.#exchange, file, name)));
  }

  /**
   * Responds with a file as a download and limits the transfer rate, so that a single download does not use all the
   * bandwidth.
   *
   * @param file The path of the file.
   * @param bytesPerSecond The maximum rate, in bytes per second.
   * @param options The options, such as the burst size.
   * @returns A promise that resolves when the response is ready to be sent.
   *
   * @example `await ctx.SendFileWithRate("film.mp4", 1 << 20);`
   */
  SendFileWithRate(file: string | URL, bytesPerSecond: number, options: RateOptions = {}): Promise<void> {
    return waitFor(
      this.#exchange,
      sendRestricted(this.#exchange, sendFileWithRate(this.#exchange, file, bytesPerSecond, options)),
    );
  }

  /**
   * Renders a template and responds with the result.
   *
   * @param name The template name.
   * @param data The data for the template.
   * @returns A promise if the template engine is asynchronous. The response waits for it.
   * @throws {FrameworkError} If no template engine is registered, or if the template does not exist and there is no
   * fallback.
   *
   * @example Render a page
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * const views = await Deno.makeTempDir();
   * await Deno.writeTextFile(`${views}/hello.html`, "<h1>Hello, <%= it.name %></h1>");
   * app.RegisterView(fw.HTML(views, ".html"));
   * app.Get("/", (ctx) => ctx.View("hello", { name: "Ann & Bob" }));
   *
   * await (await app.fetch(new Request("http://localhost/"))).text(); // → "<h1>Hello, Ann &amp; Bob</h1>"
   * await Deno.remove(views, { recursive: true });
   * ```
   */
  View(name: string, data?: unknown): Promise<void> | undefined {
    return waitFor(this.#exchange, writeView(this.#exchange, name, data));
  }

  /**
   * Stores a value for the template that a later handler renders.
   *
   * @param key The name of the value in the template.
   * @param value The value.
   *
   * @example `ctx.ViewData("title", "Teas");`
   */
  ViewData(key: string, value: unknown): void {
    addViewData(this.#exchange, key, value);
  }

  /**
   * Returns the values that handlers stored with {@linkcode ViewData}, and the data of an `mvc.View`.
   *
   * @returns The values by name, or `null` if there are none.
   *
   * @example `ctx.GetViewData()?.title; // → "Teas"`
   */
  GetViewData(): Record<string, unknown> | null {
    return this.#exchange.extras?.view?.data ?? null;
  }

  /**
   * Sets the template engine for the rest of the request.
   *
   * @param engine The engine.
   *
   * @example `ctx.ViewEngine(fw.HTML("./emails"));`
   */
  ViewEngine(engine: Engine): void {
    setEngine(this.#exchange, engine);
  }

  /**
   * Adds fallbacks to render if a template or a layout does not exist. They take precedence over the party's fallbacks.
   *
   * @param fallbacks The name of another view, `{ Layout: name }` for the same view in another layout, or a function
   * that writes the response.
   *
   * @example `ctx.FallbackView("default");`
   */
  FallbackView(...fallbacks: Fallback<Context>[]): void {
    addFallbacks(this.#exchange, fallbacks);
  }

  /**
   * Sets the layout for the template that a later handler renders.
   *
   * @param name The layout name, or `fw.NoLayout` for none.
   *
   * @example `ctx.ViewLayout("print");`
   */
  ViewLayout(name: string): void {
    setLayout(this.#exchange, name);
  }

  /**
   * Returns a recorder. Middleware can use it to inspect and change the response before it is sent.
   *
   * @returns The recorder.
   *
   * @example `ctx.Recorder();`
   */
  Recorder(): Recorder {
    return new Recorder(this.#exchange);
  }

  /**
   * Registers a function to run when the response has been sent or the client has disconnected, such as a background
   * task that the client does not wait for. Functions run in reverse order of registration. Errors are logged. A
   * graceful shutdown waits for the functions.
   *
   * @param task The function to run.
   *
   * @example `ctx.OnClose(() => ctx.Logger().Info("sent"));`
   */
  OnClose(task: () => unknown): void {
    onClose(this.#exchange, task);
  }

  /**
   * Registers a function to run if the client disconnects before it has received the whole response. Errors are logged.
   *
   * @param task The function to run.
   *
   * @example `ctx.OnConnectionClose(() => ctx.Logger().Info("the client has gone"));`
   */
  OnConnectionClose(task: () => void): void {
    onDisconnect(this.#exchange, task);
  }

  /**
   * Returns a signal that is aborted if the client disconnects before it has received the whole response. Use it to
   * cancel work. If a request takes longer than 100 ms or uses HTTP/2, Deno prints a line about `request.signal` once
   * per process, unless its option `no-legacy-abort` is set.
   *
   * @returns The signal.
   *
   * @example `const response = await fetch("https://api.example/teas", { signal: ctx.Signal() });`
   */
  Signal(): AbortSignal {
    return watchOf(this.#exchange).share();
  }

  static {
    signCopy(this);
    exchangeOf = (ctx) => {
      try {
        return ctx.#exchange;
      } catch (cause) {
        throw new FrameworkError("FW_STATE", foreignReason("Context", ctx), { cause });
      }
    };
  }
}

/**
 * A callback for each uploaded file. It is called before the first byte of the file is read. The file header contains
 * the field name (`Field`), the content type (`ContentType`) and the file name (`Filename`), which the callback can
 * change. To reject the upload, throw an error. An `HTTPError` becomes the response.
 */
export type UploadHook = (ctx: Context, header: FileHeader) => void | Promise<void>;
