/**
 * Controllers are plain classes whose method names define routes. They need no decorators, no metadata and no code
 * generation.
 *
 * The name of a method defines its path, the default values of its arguments define their types, and its return value
 * becomes the response.
 *
 * Minifiers shorten argument names. If a route can no longer be determined as a result, `Handle` throws. In code that
 * will be minified, `By` methods must use the field `Ctx` or the argument `ctx = mvc.Inject(fw.Context)`, and every
 * path argument needs a default value, including strings: `name = ""`.
 *
 * @example Serve users
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mvc from "@fw/web/mvc";
 *
 * class UserService {
 *   readonly #names = new Map([[1n, "Ada"]]);
 *   all() {
 *     return [...this.#names.values()];
 *   }
 *   find(id: bigint) {
 *     return this.#names.get(id);
 *   }
 * }
 * class UserController {
 *   Ctx!: fw.Context; // filled for every request
 *   users = mvc.Inject(UserService);
 *   Get() { // GET /users
 *     return this.users.all();
 *   }
 *   GetBy(id = 0n) { // GET /users/{id:long}
 *     const name = this.users.find(id);
 *     return mvc.Tuple({ id, name }, name !== undefined); // false is 404
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app.Party("/users")).Register(new UserService()).Handle(UserController);
 *
 * await (await app.fetch(new Request("http://localhost/users"))).json(); // → ["Ada"]
 * (await app.fetch(new Request("http://localhost/users/2"))).status; // → 404
 * ```
 *
 * @module
 */

export { AfterActivation, BeforeActivation } from "./route/activation.ts";
export {
  Application,
  Configure,
  type ControllerDescription,
  type HandleOptions,
  New,
  type Served,
} from "./application.ts";
export { type ControllerOption, Deprecated, Version } from "../src/hosts/versioning/party_option.ts";
export { SessionController } from "./session_controller.ts";
export {
  Parallel,
  PerRequest,
  type PlainValue,
  /** Registers a value, a function or a class for a token. */
  Provide,
  type Provision,
  /** Registers a class or a function that creates one value for all requests. */
  Singleton,
  Value,
} from "./inject/provision.ts";
export { Dependencies, type ReadonlyDependencies } from "./inject/dependencies.ts";
export { Signature } from "../src/base/signature/signature.ts";
export type { ControllerGuard } from "./reflect/controller_guard.ts";
export type { ErrorHandler } from "./result/result_handlers.ts";
export {
  type NotAnError,
  type NotUndefined,
  /** A pair of return values of a controller method. */
  Tuple,
  type TupleMark,
} from "./result/tuple.ts";
export { type Dispatcher, Response, type ResponseOptions, View, type ViewOptions } from "./result/result.ts";
export type { From, SourceOf } from "./reflect/input_type.ts";
export {
  /** Returns the dependency that is registered for a class, a token or a function. */
  Inject,
  /** Returns the dependency that is registered for a class, a token or a function, if there is one. */
  InjectOptional,
  Stop,
} from "./inject/inject.ts";
export {
  Body,
  type Checked,
  type CheckedForm,
  Form,
  FormResult,
  Header,
  type InputOutput,
  type InputSent,
  Params,
  Query,
} from "./inject/input.ts";
export {
  type AnyToken,
  type Class,
  type ClosedClass,
  Code,
  Err,
  type NotAFunction,
  type Provider,
  /** A typed name for a dependency that has no class. */
  Token,
} from "./reflect/token.ts";
