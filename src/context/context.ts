/**
 * The context of a request: many methods, no logic. Each method is one call into a part.
 *
 * @module
 */

import type { Parsed, Result } from "../base/errors.ts";
import type { Host } from "../base/host.ts";
import type { Problem, ProblemOptions } from "../base/problem.ts";
import type { FileHeader } from "../body/file_header.ts";
import type { FormPart } from "../body/multipart/form_parts.ts";
import type { MarkdownOptions } from "../formats/markdown.ts";
import type { XMLOptions } from "../formats/xml_writer.ts";
import { contentTypes, withCharset } from "../http/content_type.ts";
import type { MethodName } from "../http/methods.ts";
import { sentPath } from "../http/request_url.ts";
import type { ValueMap } from "../http/urlencoded.ts";
import { platformForm } from "../input/form_data.ts";
import { formFile, formFiles, uploadFormFiles } from "../input/form_files.ts";
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
} from "../input/form_values.ts";
import type { JSONStreamOptions } from "../input/json_stream.ts";
import type { Params } from "../input/params.ts";
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
} from "../input/query.ts";
import type { FormInput } from "../input/form_input.ts";
import { type FormResult, readFormResult } from "../input/form_result.ts";
import { getBody, type JSONOptions, readForm, readJSON, readQuery } from "../input/read_input.ts";
import type { StandardSchema } from "../input/schema.ts";
import type { Locale } from "../i18n/locale.ts";
import type { Logger } from "../log/logger.ts";
import { type CookieOptions, readCookie, writeCookie } from "../response/cookies.ts";
import {
  addHeader,
  readHeader,
  setHeader,
  setStatus,
  setType,
  writeBytes,
  writeDocument,
  writeLayout,
  writePlain,
  writeText,
  writeTyped,
} from "../response/draft.ts";
import type { FileOptions, RateOptions } from "../response/file/file_options.ts";
import type { JSONLayout, JSONPOptions } from "../response/json_options.ts";
import type { CookieSeal } from "../response/sealed_cookies.ts";
import { sendFile, sendFileWithRate, serveFile } from "../response/serve_file.ts";
import { type EventsOptions, type EventsSource, sendEvents } from "../response/server_events.ts";
import { sendStream, type StreamOptions } from "../response/send_stream.ts";
import { byteStream, type StreamSource } from "../response/stream.ts";
import type { Engine } from "../view/engine.ts";
import { next } from "./chain/chain.ts";
import { remoteAddr } from "./client/remote_addr.ts";
import { firstLabel, requestHost, subdomainOf } from "./client/request_host.ts";
import { absoluteURI, requestScheme } from "./client/request_scheme.ts";
import type { CompiledRoute } from "./compiled_route.ts";
import { onClose } from "./ending/end_tasks.ts";
import { bodyOf, Exchange, paramsOf, queryOf, routedPath, setPublicError, valuesOf, watchOf } from "./exchange.ts";
import { handOut } from "./hand_out.ts";
import { localeOf, setLanguage, tr } from "./language.ts";
import { negotiate, type Negotiation, negotiationOf } from "./negotiation.ts";
import { readBody, readFormat, readJSONStream } from "./read_format.ts";
import { Recorder } from "./recorder.ts";
import { handlerHeaders } from "./request_header.ts";
import { loggerOf } from "./request_logger.ts";
import type { RequestTarget } from "./request_target.ts";
import type { RouteInfo } from "./route_info.ts";
import {
  notFound,
  respondWithProblem,
  stop,
  stopWith,
  stopWithError,
  stopWithJSON,
  stopWithProblem,
  stopWithRedirect,
} from "./stop.ts";
import { eventsTerms, streamTerms } from "./stream_terms.ts";
import { logout, setUser, type User, userOf } from "./user.ts";
import type { Values } from "./values.ts";
import { addFallbacks, addViewData, setEngine, setLayout, writeView } from "./view.ts";
import type { Fallback } from "./view_state.ts";
import { writeJSONP, writeMarkdown, writeMsgPack, writeXML, writeYAML } from "./write_format.ts";

/** Every slot of a request behind its context: the one door for the other files of fw, set in the static block. */
export let exchangeOf: (ctx: Context) => Exchange<Context>;

/**
 * One request and its response: what every handler receives.
 *
 * The response is a draft until the last handler has finished, so status and headers can change late and writes append.
 *
 * @example Reading a request and responding to it
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
   * The application as a request sees it: its logger and its settings.
   *
   * @returns The application.
   */
  Application(): Host {
    return this.#exchange.runtime.host;
  }

  /**
   * The application's log, whose lines tell which request they are about: they carry the id of the request where it has
   * one, its route, and what {@linkcode Logger.AddFields} adds. The lines that fw writes of a request carry them too.
   *
   * @returns The logger of this request.
   *
   * @example A field that all further lines of the request carry
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
   * The id of the request, by which logs and other services know it.
   *
   * @returns The id that `SetID` or the middleware `requestid` gave it; empty if none did.
   */
  GetID(): string {
    return this.#exchange.id;
  }

  /**
   * Gives the request an id, which the lines of its log then carry.
   *
   * @param id The id.
   */
  SetID(id: string): void {
    this.#exchange.id = id;
  }

  /**
   * The platform's own request, for other libraries. Where the size of the body is limited, it is a request whose body
   * is counted: reading more fails with status 413.
   *
   * @returns The request; what is read of its body is not there for the context's own methods.
   */
  Request(): Request {
    return handOut(this.#exchange);
  }

  /**
   * Runs another route inside of this handler, as if the client had asked for it: its middleware and handlers write
   * this response, share the values of this request and see their own path and parameters. Middleware of `UseRouter`
   * does not run again. A path that leads to no route gives status 404.
   *
   * @param method The HTTP method.
   * @param path The path, with a query if there is one.
   * @returns A promise if one of the handlers is asynchronous; await it.
   *
   * @example An old path that serves what a new one does
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
    return this.#exchange.runtime.exec?.(this, method, path);
  }

  /**
   * The HTTP method.
   *
   * @returns The method in capitals.
   */
  Method(): string {
    return this.#exchange.method;
  }

  /**
   * The canonical path, which routes and guards are selected by: escapes are decoded, dot segments resolved and
   * repeated slashes collapsed, and letters are lower-cased under `WithLowercaseRouting`. Behind `rewrite` it is the
   * new path.
   *
   * @returns The path, from its first slash; `/` for CONNECT, which names none.
   *
   * @example The path without the query
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
   * Returns the raw path as the client sent it, before any rewriting, with its dot segments and repeated slashes. In a
   * guard, compare {@linkcode Context.Path}, which is the path that the router matched.
   *
   * @returns The path without the query string, with its percent-encoding.
   */
  RequestPath(): string {
    return sentPath(this.#exchange.request.url);
  }

  /**
   * The host that the client asked for, with its port if it named one.
   *
   * @returns The host; a trusted proxy may name it by a configured header.
   */
  Host(): string {
    return requestHost(this.#exchange.target);
  }

  /**
   * The first part of the host before the root domain.
   *
   * @returns Its first label, such as `bob` of `bob.eu.example.com`; empty for the root domain.
   */
  Subdomain(): string {
    return firstLabel(this.SubdomainFull());
  }

  /**
   * The whole part of the host before the root domain.
   *
   * @returns All labels with a final dot, such as `bob.eu.` of `bob.eu.example.com`; empty for the root domain.
   */
  SubdomainFull(): string {
    return subdomainOf(this.Host(), this.#exchange.runtime.config.VHost);
  }

  /**
   * The scheme that the client uses.
   *
   * @returns `https` or `http`; a trusted proxy may name it by a configured header.
   */
  Scheme(): "http" | "https" {
    return requestScheme(this.#exchange.target);
  }

  /**
   * An absolute URL that leads back here, for mails and other places outside of a page.
   *
   * @param reference A path, or what else follows the URL of the request; not one that a client chose.
   * @returns The URL with the scheme and host that the client uses.
   */
  AbsoluteURI(reference: string): string {
    return absoluteURI(this.#exchange.target, reference);
  }

  /**
   * The whole URL of the request, with the scheme and host that the client uses.
   *
   * @returns The URL; behind `rewrite` it has the new path.
   *
   * @example The URL behind a proxy
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
   * The client's address.
   *
   * @returns The address without port; forwarding headers count only from configured proxies.
   */
  RemoteAddr(): string {
    return remoteAddr(this.#exchange.target);
  }

  /**
   * Reads a header of the request.
   *
   * @param name The header's name, in any case.
   * @returns Its value; empty when it is absent.
   *
   * @example A header of the request
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
    return handlerHeaders(this.#exchange).get(name) ?? "";
  }

  /**
   * Reads a cookie of the request.
   *
   * @param name The cookie's name.
   * @param seal The keys of a cookie that was sent with `Sign` or `Encrypt`.
   * @returns Its value; empty when it is absent, or was not signed or encrypted by these keys.
   *
   * @example A cookie that an earlier response sent
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
    return readCookie(handlerHeaders(this.#exchange), name, seal);
  }

  /**
   * The path parameters.
   *
   * @returns The parameters of the current route.
   *
   * @example A number of the path
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
   * What the handlers of this request leave for one another.
   *
   * @returns The values, by typed key.
   *
   * @example A value from middleware to handler, typed
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
   * Who sends the request, as an authentication middleware found out.
   *
   * @returns The user; `undefined` before a login.
   */
  User(): User | undefined {
    return userOf(this.#exchange);
  }

  /**
   * Says who sends the request; authentication middleware calls it.
   *
   * @param user The user.
   * @param logout What `Logout` does beside forgetting the user.
   */
  SetUser(user: User, logout?: () => void | Promise<void>): void {
    setUser(valuesOf(this.#exchange), user, logout);
  }

  /**
   * Logs the user out, by the middleware that logged them in: a session ends, a token is blocked.
   *
   * @returns A promise where that takes time.
   */
  Logout(): void | Promise<void> {
    return logout(this.#exchange);
  }

  /**
   * Translates a key into the language of the request.
   *
   * @param key The key; sections are separated by dots.
   * @param args The values for printf verbs, or one object of named values.
   * @returns The translation. A missing key is translated into the default language, unless `app.I18n.Strict` is set.
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
   * Returns the language of the request and its translations.
   *
   * @returns The locale.
   * @throws {FrameworkError} If the application has no translations.
   */
  GetLocale(): Locale {
    return localeOf(this.#exchange);
  }

  /**
   * Sets the language of the request.
   *
   * @param language The language tag. If it is not supported, the default language is used.
   * @throws {FrameworkError} If the application has no translations.
   */
  SetLanguage(language: string): void {
    setLanguage(this.#exchange, language);
  }

  /**
   * The route that the request led to.
   *
   * @returns The route, or `undefined` when there is none.
   */
  GetCurrentRoute(): RouteInfo | undefined {
    return this.#exchange.route.info;
  }

  /**
   * Reads a parameter of the query.
   *
   * @param name The parameter's name.
   * @returns Its first value; empty when it is absent.
   *
   * @example A parameter of the query
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
   * Reads a parameter of the query, with another value in its place when it is absent.
   *
   * @param name The parameter's name.
   * @param def What is returned when it is absent.
   * @returns Its first value or the default.
   */
  URLParamDefault(name: string, def: string): string {
    return urlParamDefault(queryOf(this.#exchange), name, def);
  }

  /**
   * Reports whether the query has a parameter.
   *
   * @param name The parameter's name.
   * @returns True when it is present, also without a value.
   */
  URLParamExists(name: string): boolean {
    return urlParamExists(queryOf(this.#exchange), name);
  }

  /**
   * All parameters of the query.
   *
   * @returns An object without prototype, name to list of values.
   */
  URLParams(): ValueMap {
    return urlParams(queryOf(this.#exchange));
  }

  /**
   * Reads a parameter of the query as an integer.
   *
   * @param name The parameter's name.
   * @returns The value, or `-1` and an error.
   */
  URLParamInt(name: string): Parsed<number> {
    return urlParamInt(queryOf(this.#exchange), name);
  }

  /**
   * Reads a parameter of the query as an integer.
   *
   * @param name The parameter's name.
   * @param def What is returned when it is absent or not an integer.
   * @returns The value or the default.
   */
  URLParamIntDefault(name: string, def: number): number {
    return urlParamIntDefault(queryOf(this.#exchange), name, def);
  }

  /**
   * Reads a parameter of the query as a 64-bit integer.
   *
   * @param name The parameter's name.
   * @returns The value, or `-1n` and an error.
   */
  URLParamInt64(name: string): Parsed<bigint> {
    return urlParamInt64(queryOf(this.#exchange), name);
  }

  /**
   * Reads a parameter of the query as a 64-bit integer.
   *
   * @param name The parameter's name.
   * @param def What is returned when it is absent or not a 64-bit integer.
   * @returns The value or the default.
   */
  URLParamInt64Default(name: string, def: bigint): bigint {
    return urlParamInt64Default(queryOf(this.#exchange), name, def);
  }

  /**
   * Reads a parameter of the query as a number.
   *
   * @param name The parameter's name.
   * @returns The value, or `-1` and an error.
   */
  URLParamFloat64(name: string): Parsed<number> {
    return urlParamFloat64(queryOf(this.#exchange), name);
  }

  /**
   * Reads a parameter of the query as a number.
   *
   * @param name The parameter's name.
   * @param def What is returned when it is absent or not a number.
   * @returns The value or the default.
   */
  URLParamFloat64Default(name: string, def: number): number {
    return urlParamFloat64Default(queryOf(this.#exchange), name, def);
  }

  /**
   * Reads a parameter of the query as a truth value.
   *
   * @param name The parameter's name.
   * @returns The value, or `false` and an error.
   */
  URLParamBool(name: string): Parsed<boolean> {
    return urlParamBool(queryOf(this.#exchange), name);
  }

  /**
   * Reads a parameter of the query as a truth value.
   *
   * @param name The parameter's name.
   * @param def What is returned when it is absent or not a truth value.
   * @returns The value or the default.
   */
  URLParamBoolDefault(name: string, def: boolean): boolean {
    return urlParamBoolDefault(queryOf(this.#exchange), name, def);
  }

  /**
   * Reads a field of the form: of the body if it has it, else of the query.
   *
   * @param name The field's name.
   * @returns Its first value; empty when it is absent.
   *
   * @example A field of the body, or else of the query
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
   * Reads a field of the form, with another value in its place when it is absent.
   *
   * @param name The field's name.
   * @param def What is returned when it is absent.
   * @returns Its first value or the default.
   */
  FormValueDefault(name: string, def: string): Promise<string> {
    return formValueDefault(bodyOf(this.#exchange), queryOf(this.#exchange), name, def);
  }

  /**
   * All fields of the form, body and query.
   *
   * @returns An object without prototype, name to list of values; `null` when there is none.
   */
  FormValues(): Promise<ValueMap | null> {
    return formValues(bodyOf(this.#exchange), queryOf(this.#exchange));
  }

  /**
   * Reads a field of the body.
   *
   * @param name The field's name.
   * @returns Its first value; empty when it is absent.
   *
   * @example A field of a form
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
   * Reads a field of the body, with another value in its place when it is absent.
   *
   * @param name The field's name.
   * @param def What is returned when it is absent.
   * @returns Its first value or the default.
   */
  PostValueDefault(name: string, def: string): Promise<string> {
    return postValueDefault(bodyOf(this.#exchange), name, def);
  }

  /**
   * Reads a field of the body without the spaces at its end.
   *
   * @param name The field's name.
   * @returns Its first value, trimmed; empty when it is absent.
   */
  PostValueTrim(name: string): Promise<string> {
    return postValueTrim(bodyOf(this.#exchange), name);
  }

  /**
   * Reads all values of a field of the body.
   *
   * @param name The field's name.
   * @returns The values in their order; none when it is absent.
   */
  PostValues(name: string): Promise<string[]> {
    return postValues(bodyOf(this.#exchange), name);
  }

  /**
   * Reads a field of the body as an integer.
   *
   * @param name The field's name.
   * @returns The value, or `-1` and an error.
   *
   * @example A number of a form, checked
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
   * Reads a field of the body as an integer.
   *
   * @param name The field's name.
   * @param def What is returned when it is absent or not an integer.
   * @returns The value or the default.
   */
  PostValueIntDefault(name: string, def: number): Promise<number> {
    return postValueIntDefault(bodyOf(this.#exchange), name, def);
  }

  /**
   * Reads a field of the body as a 64-bit integer.
   *
   * @param name The field's name.
   * @returns The value, or `-1n` and an error.
   */
  PostValueInt64(name: string): Promise<Parsed<bigint>> {
    return postValueInt64(bodyOf(this.#exchange), name);
  }

  /**
   * Reads a field of the body as a 64-bit integer.
   *
   * @param name The field's name.
   * @param def What is returned when it is absent or not a 64-bit integer.
   * @returns The value or the default.
   */
  PostValueInt64Default(name: string, def: bigint): Promise<bigint> {
    return postValueInt64Default(bodyOf(this.#exchange), name, def);
  }

  /**
   * Reads a field of the body as a number.
   *
   * @param name The field's name.
   * @returns The value, or `-1` and an error.
   */
  PostValueFloat64(name: string): Promise<Parsed<number>> {
    return postValueFloat64(bodyOf(this.#exchange), name);
  }

  /**
   * Reads a field of the body as a number.
   *
   * @param name The field's name.
   * @param def What is returned when it is absent or not a number.
   * @returns The value or the default.
   */
  PostValueFloat64Default(name: string, def: number): Promise<number> {
    return postValueFloat64Default(bodyOf(this.#exchange), name, def);
  }

  /**
   * Reads a field of the body as a truth value: `false`, `0`, `f` and nothing are false, all else is true.
   *
   * @param name The field's name.
   * @returns The value; `false` and an error when it is absent.
   */
  PostValueBool(name: string): Promise<Parsed<boolean>> {
    return postValueBool(bodyOf(this.#exchange), name);
  }

  /**
   * Reads a field of the body as a truth value.
   *
   * @param name The field's name.
   * @param def What is returned when it is absent.
   * @returns The value or the default.
   */
  PostValueBoolDefault(name: string, def: boolean): Promise<boolean> {
    return postValueBoolDefault(bodyOf(this.#exchange), name, def);
  }

  /**
   * The first uploaded file of a field.
   *
   * @param key The field's name.
   * @returns The file, its header and `null`, or nothing and an error: `fw.ErrMissingFile` when there is none.
   *
   * @example One uploaded file
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
   * All uploaded files of a field.
   *
   * @param key The field's name.
   * @returns The files, their headers and `null`, or nothing and an error: `fw.ErrMissingFile` when there is none.
   */
  FormFiles(key: string): Promise<readonly [File[], FileHeader[], Error | null]> {
    return formFiles(bodyOf(this.#exchange), key);
  }

  /**
   * Reads a multipart form part by part, in constant memory, while it arrives: to pass an upload on to an object store,
   * for example. Nothing else must have read the body. Read each part before you request the next one.
   *
   * @returns The parts, fields and files, in the order in which they arrive.
   * @throws {HTTPError} 415 if the body is not a multipart form, 400 if it is malformed.
   *
   * @example An upload that is passed on while it arrives
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
   */
  FormParts(): AsyncIterable<FormPart> {
    return bodyOf(this.#exchange).parts();
  }

  /**
   * Saves every uploaded file to a directory, each whole or not at all.
   *
   * @param destDirectory The directory; it is created when it is missing.
   * @param before Called for each file before it is saved; changing `Filename` changes its name on disk.
   * @returns The bytes saved and `null`, or an error: `fw.ErrMissingFile` when the request carries no file.
   *
   * @example Files that are saved under names of their own
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
   */
  UploadFormFiles(destDirectory: string, ...before: UploadHook[]): Promise<Parsed<bigint>> {
    return uploadFormFiles(bodyOf(this.#exchange), destDirectory, before.map((save) => save.bind(undefined, this)));
  }

  /**
   * Limits the body of this request; reading more fails with status 413.
   *
   * @param max How many bytes it may have.
   */
  SetMaxRequestBodySize(max: number): void {
    bodyOf(this.#exchange).limit(max);
  }

  /**
   * Sets the maximum size of the body of this request if it is read as JSON; a larger one fails with status 413.
   *
   * @param max The size, in bytes.
   */
  SetMaxJSONSize(max: number): void {
    bodyOf(this.#exchange).limitJSON(max);
  }

  /**
   * Decompresses the request body if it is compressed with gzip or deflate. Call it before the body is read. The size
   * limits apply to the compressed and to the decompressed body. Without this call, reading a compressed body as text,
   * JSON or a form fails with status 415.
   */
  CompressReader(): void {
    bodyOf(this.#exchange).unpack();
  }

  /**
   * Reads the body as bytes.
   *
   * @returns The bytes and `null`, or nothing and an error.
   */
  GetBody(): Promise<Result<Uint8Array<ArrayBuffer>>> {
    return getBody(bodyOf(this.#exchange));
  }

  /**
   * Reads the input in the format that the request declares: JSON, XML, YAML, MessagePack or a form. GET requests and
   * requests without a content type are read from the query. Another content type is an error with status 415.
   *
   * @param schema The schema that the input must match, of any Standard Schema library.
   * @returns The value and `null`, or an error that responds with its own status if it is thrown.
   *
   * @example One handler for all formats
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
    return readBody(this.#exchange, schema);
  }

  /**
   * Reads a body of many JSON values, one at a time in memory: values that follow one another, as in JSON Lines, or the
   * items of one array. A malformed body and a value that does not match the schema throw, with the values before
   * them already delivered.
   *
   * @param schema The schema that each value must match.
   * @param options The options.
   * @returns The values.
   *
   * @example Lines of JSON
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
   * Reads the body as XML. Child elements are properties, repeated ones arrays, attributes properties that begin with
   * `@`; all values are strings. Document type definitions are ignored, so entities are never expanded.
   *
   * @param schema The schema that the input must match.
   * @param options The options.
   * @returns The content of the root element and `null`, or an error that responds with its own status if it is thrown.
   */
  ReadXML<T = unknown>(schema?: StandardSchema<T>, options: JSONOptions = {}): Promise<Result<T>> {
    return readFormat(this.#exchange, "XML", schema, options);
  }

  /**
   * Reads the body as YAML. Aliases are refused.
   *
   * @param schema The schema that the input must match.
   * @param options The options.
   * @returns The value and `null`, or an error that responds with its own status if it is thrown.
   */
  ReadYAML<T = unknown>(schema?: StandardSchema<T>, options: JSONOptions = {}): Promise<Result<T>> {
    return readFormat(this.#exchange, "YAML", schema, options);
  }

  /**
   * Reads the body as MessagePack.
   *
   * @param schema The schema that the input must match.
   * @param options The options.
   * @returns The value and `null`, or an error that responds with its own status if it is thrown.
   */
  ReadMsgPack<T = unknown>(schema?: StandardSchema<T>, options: JSONOptions = {}): Promise<Result<T>> {
    return readFormat(this.#exchange, "MsgPack", schema, options);
  }

  /**
   * Reads the body as JSON. A body that declares another content type is refused with status 415, unless the options
   * say otherwise.
   *
   * @param schema What the input must fit, by any Standard Schema library.
   * @param options How it is read.
   * @returns The value and `null`, or an error that responds with its own status when it is thrown.
   *
   * @example A JSON body
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
    return readJSON(bodyOf(this.#exchange), schema, options);
  }

  /**
   * Reads the body as a form.
   *
   * @param schema What the input must fit, by any Standard Schema library.
   * @returns The fields and `null`, or an error that responds with its own status when it is thrown. If the form does
   * not match the schema, the error is a `ValidationError` with the messages by field name and the submitted values.
   */
  ReadForm<T = Record<string, FormInput>>(schema?: StandardSchema<T>): Promise<Result<T>> {
    return readForm(bodyOf(this.#exchange), schema);
  }

  /**
   * Reads the body as a form for a page that shows the form again, with its errors, if it does not match the schema.
   *
   * Throws if the body cannot be read as a form.
   *
   * @example A form that is shown again
   * ```ts
   * import * as fw from "@fw/web";
   * import { z } from "npm:zod@^4";
   *
   * const tea = z.object({ name: z.string().min(1, "Enter a name"), grams: z.coerce.number() });
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
   * @param schema A schema of any library that implements Standard Schema.
   * @returns The output of the schema, or the errors by field name; in both cases with the submitted values.
   */
  FormResult<T>(schema: StandardSchema<T>): Promise<FormResult<T>> {
    return readFormResult(bodyOf(this.#exchange), schema);
  }

  /**
   * Reads the query.
   *
   * @param schema What the input must fit, by any Standard Schema library.
   * @returns The parameters and `null`, or an error that responds with its own status when it is thrown.
   */
  ReadQuery<T = Record<string, FormInput>>(schema?: StandardSchema<T>): Promise<Result<T>> {
    return readQuery(queryOf(this.#exchange), schema);
  }

  /**
   * Passes control to the next handler. Await it where something is to happen after handlers that may be asynchronous.
   *
   * @returns A promise if any handler below is asynchronous, else nothing: all is done then.
   *
   * @example Middleware that acts before and after
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
   * Keeps the handlers that have not run yet from running.
   */
  StopExecution(): void {
    stop(this.#exchange);
  }

  /**
   * Reports whether a handler stopped the chain.
   *
   * @returns True after `StopExecution` and the methods that call it.
   */
  IsStopped(): boolean {
    return this.#exchange.chain.stopped;
  }

  /**
   * Stops the chain and responds with a status; the error handlers for it write the body.
   *
   * @param status The status.
   *
   * @example A guard
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
   * Stops the chain and responds with a text.
   *
   * @param status The status.
   * @param text The body.
   */
  StopWithText(status: number, text: string): void {
    writeTyped(stopWith(this.#exchange, status), text, this.#exchange.runtime.textType);
  }

  /**
   * Stops the chain and responds with JSON.
   *
   * @param status The status.
   * @param value The body.
   */
  StopWithJSON(status: number, value: unknown): void {
    stopWithJSON(this.#exchange, status, value);
  }

  /**
   * Stops the chain and responds with an error; its message is the body unless an error handler writes another.
   *
   * @param status The status.
   * @param error The error; the client sees its message.
   *
   * @example A failure with its message
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
   * Stops the chain and responds with problem details (RFC 9457): as JSON, or as XML to a client that prefers it.
   *
   * @param problem The problem, or its members.
   *
   * @example A conflict
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
   * Sets the status code to 404 and discards the body that was written. The chain goes on, and a later handler may
   * write another body; `StopWithStatus(404)` stops the chain.
   */
  NotFound(): void {
    notFound(this.#exchange.draft);
  }

  /**
   * Keeps an error for the error handlers; its message is the body when the status is an error and no handler writes
   * one.
   *
   * @param error The error; the client may see its message.
   */
  SetErr(error: Error): void {
    setPublicError(this.#exchange, error);
  }

  /**
   * The error that `SetErr` kept or that a handler threw.
   *
   * @returns The error, or `undefined`.
   */
  GetErr(): Error | undefined {
    return this.#exchange.error;
  }

  /**
   * Sets the status of the response.
   *
   * @param status 200 to 599.
   *
   * @example Something that was accepted and takes time
   * ```ts
   * import * as fw from "@fw/web";
   *
   * const app = fw.New();
   * app.Post("/jobs", (ctx) => {
   *   ctx.StatusCode(202);
   *   ctx.WriteString("under way");
   * });
   *
   * (await app.fetch(new Request("http://localhost/jobs", { method: "POST" }))).status; // → 202
   * ```
   */
  StatusCode(status: number): void {
    setStatus(this.#exchange.draft, status);
  }

  /**
   * The status of the response as it stands.
   *
   * @returns 200 unless it was changed.
   */
  GetStatusCode(): number {
    return this.#exchange.draft.status;
  }

  /**
   * Sets a header of the response, in place of an earlier one of its name.
   *
   * @param name The header's name.
   * @param value Its value; empty removes the header. Line breaks are refused.
   *
   * @example A header of the response
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
   * Adds a header to the response beside those of its name.
   *
   * @param name The header's name.
   * @param value Its value. Line breaks are refused.
   */
  AddHeader(name: string, value: string): void {
    addHeader(this.#exchange.draft, name, value);
  }

  /**
   * Reads back a header of the response as it stands.
   *
   * @param name The header's name.
   * @returns Its value; empty when it is absent.
   */
  GetResponseHeader(name: string): string {
    return readHeader(this.#exchange.draft, name);
  }

  /**
   * Sets the content type of the response; text gets the configured charset if it names none.
   *
   * @param type The content type.
   */
  ContentType(type: string): void {
    setType(this.#exchange.draft, withCharset(type, this.#exchange.runtime.config.Charset));
  }

  /**
   * Sends a cookie: HttpOnly, SameSite=Lax, path `/`, Secure over TLS, unless the options say otherwise.
   *
   * @example A cookie that the client can read and not change
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
   *
   * @param name The cookie's name.
   * @param value Its value; characters that a cookie cannot hold are escaped.
   * @param options Its attributes.
   */
  SetCookie(name: string, value: string, options: CookieOptions = {}): void {
    writeCookie(
      this.#exchange.draft,
      { name, value, secure: requestScheme(this.#exchange.target) === "https" },
      options,
    );
  }

  /**
   * Tells the client to forget a cookie.
   *
   * @param name The cookie's name.
   * @param options The path and domain that it was sent with.
   */
  RemoveCookie(name: string, options: CookieOptions = {}): void {
    this.SetCookie(name, "", { ...options, MaxAge: 0, Expires: new Date(0) });
  }

  /**
   * Appends to the body. A content type that was set is kept; otherwise the response is plain text.
   *
   * @param text The text.
   *
   * @example A text in pieces
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
    writeTyped(this.#exchange.draft, text, this.#exchange.runtime.textType);
  }

  /**
   * Appends to the body and leaves the content type alone.
   *
   * @param content Text or bytes.
   */
  Write(content: string | Uint8Array): void {
    typeof content === "string" ? writeText(this.#exchange.draft, content) : writeBytes(this.#exchange.draft, content);
  }

  /**
   * Appends plain text to the body and sets the content type to `text/plain`. {@linkcode Context.WriteString} keeps a
   * content type that was set.
   *
   * @param text The text.
   */
  Text(text: string): void {
    writePlain(this.#exchange.draft, text, this.#exchange.runtime.textType);
  }

  /**
   * Appends HTML to the body. The content type is `text/html` unless another was set.
   *
   * @param html The HTML, sent as it is.
   *
   * @example A page
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
   * Responds with JSON: compact, a bigint as a number. The last call replaces a body that was written before, and
   * `fw.WithDevelopment` logs a warning then.
   *
   * @param value The value; `fw.Map` is a type for plain objects.
   * @param options The layout, such as an indentation.
   *
   * @example An object with a status
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
   * Responds with a script that passes a value to a function of the page (JSONP).
   *
   * @param value The value.
   * @param options The name of the function. If omitted, the query parameter `callback` names it.
   * @throws {HTTPError} 400 if the name is not that of a function.
   */
  JSONP(value: unknown, options: JSONPOptions = {}): void {
    writeJSONP(this.#exchange, value, options);
  }

  /**
   * Responds with XML: an element for each property, repeated for each item of an array. Replaces a body that was
   * written before.
   *
   * @param value The value; the root element is named after its class.
   * @param options The layout.
   * @returns A promise while the writer is loaded, else nothing.
   */
  XML(value: unknown, options?: XMLOptions): Promise<void> | undefined {
    return writeXML(this.#exchange.draft, value, options);
  }

  /**
   * Responds with YAML.
   *
   * @param value The value.
   * @returns A promise while the writer is loaded, else nothing.
   */
  YAML(value: unknown): Promise<void> | undefined {
    return writeYAML(this.#exchange.draft, value);
  }

  /**
   * Responds with MessagePack.
   *
   * @param value The value.
   * @returns A promise while the writer is loaded, else nothing.
   */
  MsgPack(value: unknown): Promise<void> | undefined {
    return writeMsgPack(this.#exchange.draft, value);
  }

  /**
   * Responds with Markdown rendered as HTML. HTML inside of the text is escaped unless `Sanitize` is false.
   *
   * @param text The Markdown.
   * @param options The options.
   * @returns A promise while the renderer is loaded, else nothing.
   */
  Markdown(text: string, options?: MarkdownOptions): Promise<void> | undefined {
    return writeMarkdown(this.#exchange, text, options);
  }

  /**
   * Returns the representations that handlers and middleware offer; each of them can add to it.
   *
   * @returns The negotiation, the same at every call.
   */
  Negotiation(): Negotiation {
    return negotiationOf(this.#exchange);
  }

  /**
   * Responds with the representation that the client prefers, by the weights of its `Accept` header. Responds with 406
   * if the client accepts none of those that were offered.
   *
   * @param value The value of the types that were offered without one.
   * @returns A promise that resolves when the response is written.
   */
  Negotiate(value?: unknown): Promise<void> {
    return negotiate(this.#exchange, value);
  }

  /**
   * Responds with bytes.
   *
   * @param bytes The bytes.
   */
  Binary(bytes: Uint8Array<ArrayBuffer>): void {
    writeDocument(this.#exchange.draft, bytes, contentTypes.bytes);
  }

  /**
   * Responds with a stream: what it yields is sent as it comes.
   *
   * @param source A stream of bytes, an iterable of texts and bytes, or a function that returns one; it gets a signal
   * that is aborted when the client leaves.
   * @param options Whether a proxy sends each piece on as it comes.
   */
  Stream(source: StreamSource, options: StreamOptions = {}): void {
    sendStream(this.#exchange.draft, byteStream(source, streamTerms(this.#exchange)), options);
  }

  /**
   * Responds with server-sent events, for `EventSource` in a browser: what the source yields is sent as it comes, until
   * the source ends, the client leaves or the application begins to stop. Then browsers connect again, and the source
   * gets the id of the last event that they have seen.
   *
   * @example
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
   * @param source Events and plain values, which become the data of one: a text, or JSON. Or a function that returns
   * them; it gets the id of the last event that the client has seen, and a signal that is aborted at the end.
   * @param options How long silence may last, and how long a browser waits before it connects again.
   */
  Events(source: EventsSource, options: EventsOptions = {}): void {
    sendEvents(this.#exchange.draft, source, options, eventsTerms(this.#exchange));
  }

  /**
   * Redirects the client to another URL and stops the chain. It is the only method without `Stop` in its name that
   * does, since no handler has anything to add to a redirect.
   *
   * @param url The URL; line breaks are refused, other characters escaped.
   * @param status 301, 302, 303, 307 or 308.
   *
   * @example Another page after a form
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
   * Responds with a file: its type, entity tag, and the parts or the 304 that the client asked for; 404 if there is
   * none. Clients ask every time whether it has changed (`no-cache`), unless a `cache-control` was set before.
   *
   * A relative path with a step upwards is 404. Where a part of the path comes from the client, `Root` names the folder
   * that it is bound to: `ctx.ServeFile(ctx.Params().Get("file"), { Root: "./public" })`.
   *
   * @param file Where it lies.
   * @param options How it is sent.
   * @returns A promise that is done when the response is ready to leave.
   *
   * @example A file of a folder, and nothing outside of it
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
    return serveFile(this.#exchange, file, options);
  }

  /**
   * Responds with a file for the client to save.
   *
   * @param file Where it lies.
   * @param name The name to save it under; its own by default.
   * @returns A promise that is done when the response is ready to leave.
   */
  SendFile(file: string | URL, name?: string): Promise<void> {
    return sendFile(this.#exchange, file, name);
  }

  /**
   * Responds with a file for the client to save, no faster than at a rate: so that one download leaves something of the
   * line to others.
   *
   * @param file Where it lies.
   * @param bytesPerSecond How many bytes are sent per second.
   * @param options How it is sent, and how many bytes at once.
   * @returns A promise that is done when the response is ready to leave.
   */
  SendFileWithRate(file: string | URL, bytesPerSecond: number, options: RateOptions = {}): Promise<void> {
    return sendFileWithRate(this.#exchange, file, bytesPerSecond, options);
  }

  /**
   * Responds with a page rendered from a template.
   *
   * @param name The template's name.
   * @param data What it shows.
   * @returns A promise only if the engine is asynchronous.
   *
   * @example A page from a template
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
    return writeView(this.#exchange, name, data);
  }

  /**
   * Keeps a value for the template that a later handler renders.
   *
   * @param key The name in the template.
   * @param value The value.
   */
  ViewData(key: string, value: unknown): void {
    addViewData(this.#exchange, key, value);
  }

  /**
   * Returns the values that handlers stored with {@linkcode ViewData}.
   *
   * @returns The values by name, or `null` if there are none.
   */
  GetViewData(): Record<string, unknown> | null {
    return this.#exchange.view?.data ?? null;
  }

  /**
   * Chooses the template engine for the rest of the request.
   *
   * @param engine The engine.
   */
  ViewEngine(engine: Engine): void {
    setEngine(this.#exchange, engine);
  }

  /**
   * Chooses what is rendered if a template or a layout does not exist, before the fallbacks of the party.
   *
   * @param fallbacks The name of another view, `{ Layout: name }` for the same view in another layout, or a function
   *   that writes the response.
   */
  FallbackView(...fallbacks: Fallback<Context>[]): void {
    addFallbacks(this.#exchange, fallbacks);
  }

  /**
   * Chooses the layout for the template that a later handler renders.
   *
   * @param name The layout's name; `fw.NoLayout` for none.
   */
  ViewLayout(name: string): void {
    setLayout(this.#exchange, name);
  }

  /**
   * The body as the platform's own `FormData`, with its `File`s: for libraries that take one. It is read by fw's
   * reader, so that limits hold and large files lie on disk.
   *
   * @returns The form; empty where the body is not one.
   */
  FormData(): Promise<FormData> {
    return platformForm(bodyOf(this.#exchange));
  }

  /**
   * Responds with problem details (RFC 9457): as JSON, or as XML to a client that prefers it. Replaces a body that was
   * written before. The chain goes on; {@linkcode Context.StopWithProblem} stops it.
   *
   * @param problem The problem, or its members.
   */
  Problem(problem: Problem | ProblemOptions): void {
    respondWithProblem(this.#exchange, problem);
  }

  /**
   * The response as it stands, for middleware that looks at it or changes it before it is sent.
   *
   * @returns The recorder.
   */
  Recorder(): Recorder {
    return new Recorder(this.#exchange);
  }

  /**
   * Runs a function when the response has been sent, or the client has gone.
   *
   * @param task The function; the last registered runs first, and a failure is only logged.
   */
  OnClose(task: () => void | Promise<void>): void {
    onClose(this.#exchange, task);
  }

  /**
   * Runs a function when the client goes before it has the whole response.
   *
   * @param task The function.
   */
  OnConnectionClose(task: () => void): void {
    watchOf(this.#exchange).whenGone(task);
  }

  /**
   * A signal that is aborted when the client goes before it has the whole response: for work that is then in vain. The
   * first use in a process lets Deno print one line about its own `request.signal`.
   *
   * @returns The signal.
   */
  Signal(): AbortSignal {
    return watchOf(this.#exchange).signal;
  }

  static {
    exchangeOf = (ctx) => ctx.#exchange;
  }
}

/**
 * Called for each uploaded file before its first byte is read. The header has the field name (`Field`), the content
 * type (`ContentType`) and the name of the file, which the hook may change. Throwing refuses the upload: an `HTTPError`
 * becomes the response.
 */
export type UploadHook = (ctx: Context, header: FileHeader) => void | Promise<void>;
