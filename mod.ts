/**
 * A complete web framework for Deno that keeps your code small: typed routes, forms and uploads in bounded memory,
 * controllers as plain classes, sessions, views, static files, a typed client and OpenAPI. No decorators, no code
 * generation, no build step. Requires Deno 2.9.5 or later.
 *
 * ```ts ignore
 * import * as fw from "@fw/web";
 *
 * const app = fw.Default();
 * app.Get("/", (ctx) => ctx.HTML("<h1>Hello</h1>"));
 * app.Get("/users/{id:int}", (ctx) => ctx.JSON({ id: ctx.Params().GetIntDefault("id", 0) }));
 *
 * await app.Run(fw.Addr(":8080"));
 * ```
 *
 * Save this as `main.ts`, then run `deno add jsr:@fw/web` and `deno run --allow-net main.ts`. To start from a complete
 * application with tests, run `deno run -A jsr:@fw/web/init my-app`.
 *
 * **Controllers are plain classes.** Method names define routes, default values define parameter types, and
 * dependencies are injected and checked at start-up.
 *
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mvc from "@fw/web/mvc";
 *
 * class Users {
 *   find(id: bigint): string | undefined {
 *     return id === 1n ? "Ada" : undefined;
 *   }
 * }
 *
 * class UserController {
 *   users = mvc.Inject(Users);
 *
 *   // GET /users/{id:long}
 *   GetBy(id = 0n) {
 *     const name = this.users.find(id);
 *     return mvc.Tuple({ id, name }, name !== undefined); // false responds with 404
 *   }
 * }
 *
 * const app = fw.New();
 * mvc.Configure(app.Party("/users"), (m) => m.Register(Users).Handle(UserController));
 *
 * await (await app.fetch(new Request("http://localhost/users/1"))).json(); // → { id: 1, name: "Ada" }
 * (await app.fetch(new Request("http://localhost/users/2"))).status; // → 404
 * ```
 *
 * Features are separate entry points, such as `@fw/web/sessions`. `@fw/web/mvc` is loaded with `@fw/web`, the others
 * only if you import them. Importing requires no permissions, and serving requires `--allow-net`.
 *
 * @example Send a request without a port
 * ```ts
 * import * as fw from "@fw/web";
 *
 * const app = fw.New();
 * app.Get("/hello/{name}", (ctx) => ctx.JSON({ message: `Hello ${ctx.Params().Get("name")}` }));
 *
 * const response = await app.fetch(new Request("http://localhost/hello/Ada"));
 * await response.json(); // → { message: "Hello Ada" }
 * ```
 *
 * @module
 */

import "./src/base/command/needs_deno.ts";

/** Controllers: plain classes whose method names define routes. Also available as `@fw/web/mvc`. */
export * as mvc from "./mvc/mod.ts";

export { Application, New } from "./src/core/app/application.ts";
export { Default } from "./src/middleware/default.ts";
export { I18n } from "./src/core/app/i18n.ts";
export type {
  APIContainer,
  InjectedErrorHandler,
  InjectedHandler,
  ResultHandler,
  ResultMiddleware,
} from "./src/core/app/api_container.ts";
export { Party } from "./src/core/app/party.ts";
export { Extend } from "./src/core/context/extend.ts";
export type {
  Call,
  CallFunc,
  CallHandler,
  CallRoute,
  CallValues,
  Carry,
  ErrorFactory,
  ErrorText,
  Extension,
  Host,
  HostApp,
  HostConfiguration,
  HostLogger,
  HostParty,
  HostRoute,
  Installed,
  KindTypes,
  LabelUse,
  OptionRule,
  OptionRules,
  OptionsOf,
  PanelCall,
  PanelElement,
  RunOptions,
} from "./src/core/context/extension.ts";
export { type MethodName, Methods } from "./src/http/headers/methods.ts";
export {
  ErrMissingFile,
  type ErrorCode,
  ErrorCodes,
  FrameworkError,
  HTTPError,
  type Parsed,
  type Result,
} from "./src/base/errors/errors.ts";
export { WriteProblem } from "./src/core/app/serve/write_problem.ts";
export { NewProblem, Problem, type ProblemObject, type ProblemOptions } from "./src/http/headers/problem.ts";
export type { Storable } from "./src/base/codec/storable.ts";
export { Negotiation, NegotiationAccept } from "./src/core/context/format/negotiation.ts";
export { Recorder } from "./src/core/context/recorder.ts";
export type { ExplainedHandler, Explanation, OtherRoute } from "./src/core/app/inspect/explain.ts";
export type { EventFact } from "./src/core/exchange/handler_facts.ts";
export type { ErrorObserver } from "./src/core/app/record/error_observers.ts";
export type { RouterWrapper, RouteTarget } from "./src/core/context/router_wrapper.ts";
export { NewSubdomainPartyRedirectHandler } from "./src/core/app/host_redirect.ts";
export type { DirOptions } from "./src/core/static/options.ts";
export { type ForeignFetch, FromFetch } from "./src/core/app/mount.ts";
export { Proxy } from "./src/hosts/proxy/proxy.ts";
export type { ReverseProxyOptions } from "./src/hosts/proxy/options.ts";
export type { PathItem, PathValue } from "./src/base/text/path_value.ts";
export {
  RouteError,
  RouteOverlap,
  RouteOverride,
  type RouteRegisterRule,
  RouteSkip,
} from "./src/core/app/record/register_rule.ts";
export { Route } from "./src/core/app/record/route.ts";
export type {
  ChangeFreq,
  InputKind,
  ResponseDescription,
  RouteDescription,
  RouteInput,
  SitemapEntry,
} from "./src/core/app/record/route_description.ts";
export type { Fetch } from "./src/core/app/serve/dispatch.ts";

export { Context, type UploadHook } from "./src/core/context/context.ts";
export type { CookieKeys, CookieSeal } from "./src/http/response/sealed_cookies.ts";
export type { CookieOptions } from "./src/http/response/cookies.ts";
export type { User } from "./src/core/context/user.ts";
export type { FormPart } from "./src/http/body/multipart/form_parts.ts";
export type { UploadLimits, UploadOptions } from "./src/http/body/save_uploads.ts";
export { FileHeader } from "./src/http/body/form/file_header.ts";
export type { FileOptions, RangeSource, RateOptions, ServedContent } from "./src/http/response/file/file_options.ts";
export type { Handler } from "./src/core/context/handler.ts";
export type { RouteInfo } from "./src/core/exchange/compiled_route.ts";
export type { Map } from "./src/base/config/config.ts";
export { Env, type EnvOptions } from "./src/core/accessors/env.ts";
export { Params } from "./src/core/accessors/params.ts";
export type { ConnectionInfo } from "./src/core/exchange/peer/peer_address.ts";
export {
  type FieldErrors,
  type InputPlace,
  type IssueParts,
  type ProblemDetails,
  type ProblemPlace,
  ValidationError,
  type ValidationIssue,
} from "./src/core/accessors/validation_error.ts";
export type { FormInput } from "./src/core/accessors/form_input.ts";
export type { FormOptions, KeptValues } from "./src/core/accessors/form_options.ts";
export {
  type FieldValue,
  type FormResult,
  type FormState,
  type InvalidForm,
  NewForm,
  type ValidForm,
} from "./src/core/accessors/form_result.ts";
export type { JSONOptions } from "./src/core/accessors/read_input.ts";
export type { JSONStreamOptions } from "./src/core/accessors/json_stream.ts";
export type { SchemaIssue, SchemaResult, StandardSchema } from "./src/core/accessors/schema.ts";
export { type EventOptions, NewEvent, ServerEvent } from "./src/http/response/server_event.ts";
export type { EventsSource } from "./src/http/response/event_texts.ts";
export type { EventsOptions } from "./src/http/response/server_events.ts";
export type { Format } from "./src/pages/formats/format.ts";
export type { MarkdownOptions } from "./src/pages/formats/markdown.ts";
export type { XMLOptions } from "./src/pages/formats/xml_writer.ts";
export type { JSONLayout, JSONPOptions } from "./src/http/response/json_options.ts";
export type { StreamOptions } from "./src/http/response/stream.ts";
export type { StreamSource } from "./src/http/response/stream.ts";
export type { ValueMap } from "./src/http/headers/urlencoded.ts";
export { Key, Values } from "./src/core/exchange/values.ts";
export { type Filter, NewConditionalHandler } from "./src/middleware/conditional.ts";
export { Cache304, NoCache, StaticCache } from "./src/middleware/cache_control.ts";
export { Compression } from "./src/middleware/lazy_compression.ts";
export { type HTTPSOptions, RedirectToHTTPS } from "./src/middleware/redirect_to_https.ts";
export { LimitDocument, LimitRequestBodySize } from "./src/middleware/body_limit.ts";

export type { BodyTimeout, Configuration, Configurator } from "./src/base/config/config.ts";
export { type ForwardingHeader, type ProxyOptions, WithProxy } from "./src/base/config/with_proxy.ts";
export {
  WithBasePath,
  WithBodyTimeout,
  WithCharset,
  WithConfiguration,
  WithDevelopment,
  WithDrainDelay,
  WithHandlerTimeout,
  WithLogLevel,
  WithLowercaseRouting,
  WithMaxBody,
  WithMaxDocument,
  WithMaxForm,
  WithMaxFormFields,
  WithOnListen,
  WithoutAutoHead,
  WithoutAutoOptions,
  WithoutExit,
  WithoutHostCheck,
  WithoutInterruptHandler,
  WithoutMethodNotAllowed,
  WithoutPathCorrection,
  WithoutPathCorrectionRedirection,
  WithoutStartupLog,
  WithPostMaxMemory,
  WithShutdownTimeout,
  WithSitemap,
  WithSocketSharding,
  WithVHost,
} from "./src/base/config/configurators.ts";
export type { RunningApplication } from "./src/base/config/running_application.ts";

export type { LevelName } from "./src/base/log/level.ts";
export type { LogFields } from "./src/base/log/fields.ts";
export { type LogFormat, Logger, type LogTimeFormat } from "./src/base/log/logger.ts";
export type { LogRecord } from "./src/base/log/sink.ts";
export type { LogOutput, LogWriter } from "./src/base/log/sink.ts";
export {
  type ListFuncBuilder,
  Macros,
  type ParamErrorHandler,
  type ParamFuncBuilder,
  type RegisteredType,
} from "./src/http/parameter_types/macros.ts";
export type { ParamType } from "./src/http/parameter_types/types.ts";
export {
  Addr,
  type AddrRunner,
  type PEM,
  type Runner,
  TLS,
  type TLSRunner,
  Unix,
  type UnixOptions,
  type UnixRunner,
} from "./src/http/server/runner.ts";
export { type Engine, NoLayout, type RenderOptions, type ViewFunc } from "./src/pages/engine/engine.ts";
export { HTML, type HTMLEngine } from "./src/pages/engine/default/html.ts";
export { ViewNotFound } from "./src/pages/engine/engine.ts";
export type { Fallback } from "./src/core/exchange/compiled_route.ts";
