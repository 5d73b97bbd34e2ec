/**
 * Handlers with dependencies, as a party offers them; `@fw/web/mvc` knows how.
 *
 * @module
 */

import type { Context } from "../context/context.ts";
import type { MethodName } from "../http/methods.ts";
import type { Route } from "./route.ts";

/**
 * A handler whose further arguments are dependencies and inputs by their default values, and whose returned value is
 * the response, as that of a controller's method is.
 */
export type InjectedHandler = (ctx: Context) => unknown;

/** Responds to an error; the status is set when it is called. */
export type InjectedErrorHandler = (ctx: Context, error: Error) => void | Promise<void>;

/**
 * Writes a returned object. An error that it returns, or that its promise resolves to, takes the way of a returned
 * error.
 */
export type ResultHandler = (ctx: Context, value: unknown) => void | Error | null | Promise<void | Error | null>;

/** Wraps the writing of returned objects: it receives the next handler, and returns the one that calls it. */
export type ResultMiddleware = (next: ResultHandler) => ResultHandler;

/** A party whose handlers have dependencies: what `party.ConfigureContainer()` returns. */
export interface APIContainer {
  /**
   * Registers dependencies for the handlers of this party and of those below it, and for the controllers there.
   *
   * @param dependencies What `mvc.Application.Register` takes.
   * @returns This container.
   */
  Register(...dependencies: unknown[]): this;
  /**
   * Responds to the errors that the handlers of this party, and of those below it without a handler of their own,
   * return or throw.
   *
   * @param handler Receives the request, with the status set, and the error.
   * @returns This container.
   */
  OnError(handler: InjectedErrorHandler): this;
  /**
   * Adds a handler that sees the objects that handlers and methods of controllers return, here and in parties below,
   * before they are written. It may pass on another value, or write the response itself. The first one registered is
   * the outermost. Texts, numbers, errors and bodies such as a `Response` are not handed to it.
   *
   * @param handler Receives the next handler, and returns the one that calls it.
   * @returns This container.
   */
  UseResultHandler(handler: ResultMiddleware): this;
  /**
   * Adds middleware with dependencies to the routes registered from now on, here and in parties created from now on.
   *
   * @param handlers The middleware; each passes on with `ctx.Next()`.
   * @returns This container.
   */
  Use(...handlers: InjectedHandler[]): this;
  /**
   * Adds handlers with dependencies that run after the main handler of the routes registered from now on.
   *
   * @param handlers The handlers.
   * @returns This container.
   */
  Done(...handlers: InjectedHandler[]): this;
  /**
   * Creates a group of routes below this one, with the same dependencies.
   *
   * @param path Its prefix.
   * @param handlers Its first middleware.
   * @returns The container of the new party; what is registered on it is not seen here.
   */
  Party(path: string, ...handlers: InjectedHandler[]): APIContainer;
  /**
   * Registers handlers for a method and a path.
   *
   * @param method The HTTP method.
   * @param path The path template, relative to the party.
   * @param handlers The handlers; each but the last passes on with `ctx.Next()`.
   * @returns The route.
   */
  Handle(method: MethodName, path: string, ...handlers: InjectedHandler[]): Route;
  /** Registers handlers for GET. */
  Get(path: string, ...handlers: InjectedHandler[]): Route;
  /** Registers handlers for POST. */
  Post(path: string, ...handlers: InjectedHandler[]): Route;
  /** Registers handlers for PUT. */
  Put(path: string, ...handlers: InjectedHandler[]): Route;
  /** Registers handlers for DELETE. */
  Delete(path: string, ...handlers: InjectedHandler[]): Route;
  /** Registers handlers for PATCH. */
  Patch(path: string, ...handlers: InjectedHandler[]): Route;
  /** Registers handlers for HEAD. */
  Head(path: string, ...handlers: InjectedHandler[]): Route;
  /** Registers handlers for OPTIONS. */
  Options(path: string, ...handlers: InjectedHandler[]): Route;
  /** Registers handlers for CONNECT. */
  Connect(path: string, ...handlers: InjectedHandler[]): Route;
  /** Registers handlers for TRACE. */
  Trace(path: string, ...handlers: InjectedHandler[]): Route;
  /** Registers handlers for every method. */
  Any(path: string, ...handlers: InjectedHandler[]): Route[];
}

/** Creates the container of a party; set when the floor above is loaded, which `@fw/web` does. */
export let create: (party: object) => APIContainer;

/**
 * Says how the container of a party is created. The floor above does that when it is loaded, since containers are its
 * work.
 *
 * @param factory Creates the container of a party, or finds the one that it has.
 */
export function setContainerFactory(factory: (party: object) => APIContainer): void {
  create = factory;
}
