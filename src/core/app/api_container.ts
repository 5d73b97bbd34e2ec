/**
 * The interface for handlers with injected arguments. `@fw/web/mvc` implements it.
 *
 * @module
 */

import { type MethodName, Methods } from "../../http/headers/methods.ts";
import type { Context } from "../context/context.ts";
import type { Route } from "./record/route.ts";

/**
 * A handler with injected arguments. As with controller methods, the default values of its arguments after the context
 * declare its dependencies and inputs, and its return value becomes the response. An argument with a literal default
 * value, such as `id = 0`, receives the path parameter of the same name.
 */
export type InjectedHandler = (ctx: Context) => unknown;

/** A handler that responds to an error. The status code is already set when it is called. */
export type InjectedErrorHandler = (ctx: Context, error: Error) => void | Promise<void>;

/**
 * A function that writes a returned object. If it returns an error, or a promise that resolves to an error, the error
 * is handled as if a handler had returned it.
 */
export type ResultHandler = (ctx: Context, value: unknown) => void | Error | null | Promise<void | Error | null>;

/**
 * A function that wraps the writing of returned objects. It receives the next handler and returns a handler that calls
 * it.
 */
export type ResultMiddleware = (next: ResultHandler) => ResultHandler;

/** A party whose handlers have injected arguments. Returned by `party.ConfigureContainer()`. */
export abstract class APIContainer {
  /**
   * Registers dependencies for the handlers and controllers of this party and the parties inside it.
   *
   * @param dependencies The dependencies, as for `mvc.Application.Register`.
   * @returns This container, for chaining.
   */
  abstract Register(...dependencies: unknown[]): this;
  /**
   * Registers an error handler for this party. It handles the errors that handlers return or throw, including handlers
   * in nested parties without their own error handler.
   *
   * @param handler A function that receives the context, with the status code set, and the error.
   * @returns This container, for chaining.
   */
  abstract OnError(handler: InjectedErrorHandler): this;
  /**
   * Adds a handler for the objects that handlers and controller methods return, in this party and the parties inside
   * it. It runs before the objects are written and can pass on another value or write the response itself. The first
   * registered handler is the outermost one. Strings, numbers, errors and bodies such as a `Response` are not passed to
   * it. The replies of WebSocket controllers pass through it as well. Their response has been sent, so only the value
   * that it passes on counts.
   *
   * @param handler A function that receives the next handler and returns a handler that calls it.
   * @returns This container, for chaining.
   */
  abstract UseResultHandler(handler: ResultMiddleware): this;
  /**
   * Adds middleware with injected arguments to the routes and parties that are created after this call.
   *
   * @param handlers The middleware. Each function calls `ctx.Next()` to continue.
   * @returns This container, for chaining.
   */
  abstract Use(...handlers: InjectedHandler[]): this;
  /**
   * Adds handlers with injected arguments that run after the main handler of the routes registered after this call.
   *
   * @param handlers The handlers.
   * @returns This container, for chaining.
   */
  abstract Done(...handlers: InjectedHandler[]): this;
  /**
   * Creates a group of routes inside this party, with the same dependencies.
   *
   * @param path The prefix of the group.
   * @param handlers The first middleware of the group.
   * @returns The container of the new party. Dependencies registered on it are not visible in this container.
   */
  abstract Party(path: string, ...handlers: InjectedHandler[]): APIContainer;
  /**
   * Registers handlers for a method and a path.
   *
   * @param method The HTTP method.
   * @param path The path template, relative to the party.
   * @param handlers The handlers. Each handler except the last calls `ctx.Next()` to continue.
   * @returns The route.
   */
  abstract Handle(method: MethodName, path: string, ...handlers: InjectedHandler[]): Route;
  /**
   * Registers handlers for GET requests.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers.
   * @returns The route.
   */
  Get(path: string, ...handlers: InjectedHandler[]): Route {
    return this.Handle("GET", path, ...handlers);
  }

  /**
   * Registers handlers for POST requests.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers.
   * @returns The route.
   */
  Post(path: string, ...handlers: InjectedHandler[]): Route {
    return this.Handle("POST", path, ...handlers);
  }

  /**
   * Registers handlers for PUT requests.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers.
   * @returns The route.
   */
  Put(path: string, ...handlers: InjectedHandler[]): Route {
    return this.Handle("PUT", path, ...handlers);
  }

  /**
   * Registers handlers for DELETE requests.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers.
   * @returns The route.
   */
  Delete(path: string, ...handlers: InjectedHandler[]): Route {
    return this.Handle("DELETE", path, ...handlers);
  }

  /**
   * Registers handlers for PATCH requests.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers.
   * @returns The route.
   */
  Patch(path: string, ...handlers: InjectedHandler[]): Route {
    return this.Handle("PATCH", path, ...handlers);
  }

  /**
   * Registers handlers for HEAD requests.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers.
   * @returns The route.
   */
  Head(path: string, ...handlers: InjectedHandler[]): Route {
    return this.Handle("HEAD", path, ...handlers);
  }

  /**
   * Registers handlers for OPTIONS requests.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers.
   * @returns The route.
   */
  Options(path: string, ...handlers: InjectedHandler[]): Route {
    return this.Handle("OPTIONS", path, ...handlers);
  }

  /**
   * Registers handlers for CONNECT requests.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers.
   * @returns The route.
   */
  Connect(path: string, ...handlers: InjectedHandler[]): Route {
    return this.Handle("CONNECT", path, ...handlers);
  }

  /**
   * Registers handlers for TRACE requests.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers.
   * @returns The route.
   */
  Trace(path: string, ...handlers: InjectedHandler[]): Route {
    return this.Handle("TRACE", path, ...handlers);
  }

  /**
   * Registers handlers for all methods.
   *
   * @param path The path template, relative to the party.
   * @param handlers The handlers.
   * @returns The routes.
   */
  Any(path: string, ...handlers: InjectedHandler[]): Route[] {
    return Methods.map((method) => this.Handle(method, path, ...handlers));
  }
}

/** Returns the container of a party. Set when the controller module is loaded, which `@fw/web` does. */
export let containerOf: (party: object) => APIContainer;

/**
 * Sets the function behind {@linkcode containerOf}. Called when the controller module is loaded.
 *
 * @param factory A function that returns the container of a party, creating it if necessary.
 */
export function setContainerFactory(factory: (party: object) => APIContainer): void {
  containerOf = factory;
}
