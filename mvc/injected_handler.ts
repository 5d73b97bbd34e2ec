/**
 * A handler with dependencies, ready to serve.
 *
 * @module
 */

import type { RouteInput } from "../src/app/route_description.ts";
import { FrameworkError } from "../src/base/errors.ts";
import { isThenable } from "../src/base/thenable.ts";
import { toError } from "../src/base/to_error.ts";
import { type Context, exchangeOf } from "../src/context/context.ts";
import { resetBody } from "../src/response/draft.ts";
import { treeOf } from "./inject/check_dependencies.ts";
import type { Container } from "./inject/container.ts";
import { stopped } from "./inject/inject.ts";
import { Call } from "./inject/injected_call.ts";
import { invokeWith } from "./inject/invoke.ts";
import type { RequestValues } from "./inject/request_values.ts";
import { valuesOf } from "./inject/resolve_in_order.ts";
import type { Method } from "./reflect/controller.ts";
import { parametersOf } from "./reflect/function_signature.ts";
import { type ErrorHandler, failWith, respondWithError, statusOf } from "./result/returned_error.ts";
import { writeReturn } from "./result/returns.ts";

type Served = Promise<void> | undefined;

const nothing: object = {};

/** A handler whose further arguments are dependencies and inputs. */
export class InjectedHandler {
  readonly #call: Call;
  readonly #takesContext: boolean;
  readonly #errorHandler: () => ErrorHandler | undefined;

  /**
   * Makes a handler ready.
   *
   * @param handler The function.
   * @param container Where its dependencies are found.
   * @param errorHandler Returns what responds to its errors.
   */
  constructor(
    handler: (ctx: Context) => unknown,
    container: Container,
    errorHandler: () => ErrorHandler | undefined,
  ) {
    const label = handler.name === "" ? "an anonymous handler" : handler.name;
    const parameters = parametersOf(handler) ?? [];
    const [first] = parameters;
    this.#takesContext = first === undefined || first.fallback === undefined;
    const bare = parameters.findIndex((each, i) => each.fallback === undefined && each.form !== "rest" && i > 0);
    if (bare !== -1) {
      throw new FrameworkError(
        "FW_DEPENDENCY",
        `Cannot register the handler "${label}": argument ${bare + 1} "${
          parameters[bare]?.name
        }" receives nothing, so ` +
          "give it a default value, mvc.Inject(...) or mvc.Body(...)",
      );
    }
    this.#call = new Call(handler as Method, { container, owner: label, name: label, parameters });
    this.#errorHandler = errorHandler;
  }

  /** The checked inputs among its arguments. */
  inputs(): readonly RouteInput[] {
    return this.#call.inputs();
  }

  /** What it depends on, as the lines of a tree. */
  dependencies(): string[] {
    return treeOf([this.#call.needs]);
  }

  /** Makes sure, when the application is built, that every dependency is there. */
  check(): void {
    this.#call.check();
  }

  /**
   * Serves a request.
   *
   * @param ctx The request.
   * @returns A promise only if something takes time.
   */
  serve(ctx: Context): Served {
    const values = valuesOf(ctx);
    values.open();
    try {
      const made = { instance: nothing, args: this.#takesContext ? [ctx] : [] };
      const result = invokeWith(values, this.#call, made);
      if (isThenable(result)) return this.#serveLater(values, result);
      const written = this.#write(values, result);
      return written === undefined ? undefined : this.#serveLater(values, written);
    } catch (thrown) {
      return this.#fail(ctx, thrown);
    }
  }

  async #serveLater(values: RequestValues, result: PromiseLike<unknown>): Promise<void> {
    try {
      await this.#write(values, await result);
    } catch (thrown) {
      await this.#fail(values.ctx, thrown);
    }
  }

  #write(values: RequestValues, result: unknown): Served {
    // The response is that of the dependency that stopped the request, also where the handler went on regardless.
    if (values.isHalted) return undefined;
    return writeReturn(values.ctx, result, (ctx, error) => this.#respond(ctx, error));
  }

  /** Hands what was thrown to the error handler, or on to the application when there is none. */
  #fail(ctx: Context, thrown: unknown): Served {
    if (thrown === stopped) return undefined;
    if (this.#errorHandler() === undefined) throw thrown;
    const error = toError(thrown);
    return failWith(ctx, error, (_ctx, failed) => this.#respond(ctx, failed), statusOf(error) ?? 500);
  }

  #respond(ctx: Context, error: Error): Served {
    const handler = this.#errorHandler();
    if (handler === undefined) return void respondWithError(ctx, error);
    const exchange = exchangeOf(ctx);
    exchange.error = error;
    exchange.isErrorPublic = false;
    resetBody(exchange.draft);
    return handler(ctx, error) ?? undefined;
  }
}
