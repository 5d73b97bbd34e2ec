/**
 * A web framework: routes, parties and middleware, forms and uploads in bounded memory, plain classes as controllers.
 * It needs Deno 2.7.7 or newer.
 *
 * @example A whole application
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import * as fw from "@fw/web";
 *
 * const app = fw.New();
 * app.Get("/hello", (ctx) => ctx.JSON({ message: "Hello" }));
 *
 * const answer = await app.fetch(new Request("http://localhost/hello"));
 * assertEquals(await answer.json(), { message: "Hello" });
 * // await app.Run(fw.Addr(":8080"));
 * ```
 *
 * @module
 */

/** Controllers: plain classes whose methods are routes; also the entry `@fw/web/mvc`. */
export * as mvc from "./mvc/mod.ts";

export { Application } from "./src/app/application.ts";
export { Default, New } from "./src/app/create.ts";
export type { APIContainer, InjectedErrorHandler, InjectedHandler } from "./src/app/api_container.ts";
export { Party } from "./src/app/party.ts";
export { type MethodName, Methods } from "./src/http/methods.ts";
export { NewProblem, Problem, type ProblemObject, type ProblemOptions } from "./src/base/problem.ts";
export { Recorder } from "./src/context/recorder.ts";
export type { ExplainedHandler, Explanation, OtherRoute } from "./src/app/inspect/explain.ts";
export type { RouterWrapper, RouteTarget } from "./src/app/router_wrapper.ts";
export type { DirOptions } from "./src/static/options.ts";
export { Route } from "./src/app/route.ts";
export type { InputKind, RouteDescription, RouteInput } from "./src/app/route_description.ts";
export type { Fetch } from "./src/app/dispatch.ts";

export { Context, type UploadHook } from "./src/context/context.ts";
export type { CookieOptions } from "./src/response/cookies.ts";
export type { CookieKeys, CookieSeal } from "./src/response/sealed_cookies.ts";
export type { User } from "./src/context/user.ts";
export { FileHeader } from "./src/body/file_header.ts";
export type { FileOptions } from "./src/response/serve_file.ts";
export type { Handler } from "./src/context/handler.ts";
export type { RouteInfo } from "./src/context/route_info.ts";
export type { Map } from "./src/base/map.ts";
export { Params } from "./src/input/params.ts";
export type { ConnectionInfo } from "./src/context/client_address.ts";
export { type ProblemDetails, ValidationError, type ValidationIssue } from "./src/input/problem.ts";
export type { FormInput, JSONOptions } from "./src/input/read_input.ts";
export type { SchemaIssue, SchemaResult, StandardSchema } from "./src/input/schema.ts";
export type { StreamSource } from "./src/response/stream.ts";
export type { ValueMap } from "./src/http/urlencoded.ts";
export { Key, Values } from "./src/context/values.ts";
export { Cache304, NoCache, StaticCache } from "./src/middleware/cache_control.ts";
export { LimitRequestBodySize } from "./src/middleware/limit.ts";

export type { BodyTimeout, Configuration, Configurator } from "./src/base/config.ts";
export {
  WithBodyTimeout,
  WithCharset,
  WithConfiguration,
  WithDevelopment,
  WithHandlerTimeout,
  WithHostProxyHeader,
  WithLogLevel,
  WithLowercaseRouting,
  WithMaxFormFields,
  WithMaxFormSize,
  WithMaxRequestBody,
  WithOnListen,
  WithoutAutoHead,
  WithoutAutoOptions,
  WithoutHostCheck,
  WithoutInterruptHandler,
  WithoutMethodNotAllowed,
  WithoutPathCorrection,
  WithoutPathCorrectionRedirection,
  WithoutStartupLog,
  WithPostMaxMemory,
  WithRemoteAddrHeader,
  WithShutdownTimeout,
  WithSocketSharding,
  WithVHost,
} from "./src/base/configurators.ts";
export { type ForwardingHeader, type ProxyOptions, WithProxy } from "./src/base/with_proxy.ts";
export {
  ErrMissingFile,
  type ErrorCode,
  ErrorCodes,
  FrameworkError,
  HTTPError,
  type Parsed,
  type Result,
} from "./src/base/errors.ts";
export type { Host } from "./src/base/host.ts";

export type { LogFields } from "./src/log/fields.ts";
export type { LevelName } from "./src/log/level.ts";
export { type LogFormat, Logger, type LogTimeFormat } from "./src/log/logger.ts";
export type { LogOutput, LogWriter } from "./src/log/sink.ts";
export { Macros, type ParamFuncBuilder } from "./src/macro/macros.ts";
export type { ParamType } from "./src/macro/param_type.ts";
export {
  Addr,
  type AddrRunner,
  type PEM,
  type Runner,
  TLS,
  type TLSRunner,
  Unix,
  type UnixRunner,
} from "./src/server/runner.ts";
export { type Engine, HTML, type HTMLEngine, NoLayout, type RenderOptions, type ViewFunc } from "./src/view/mod.ts";
