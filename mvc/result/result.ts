/**
 * What controller methods return to say more than a body: a response or a view.
 *
 * @module
 */

import type { Context } from "../../src/context/context.ts";
import { writeEncoded } from "./encode.ts";
import { failWith, respondWithError } from "./returned_error.ts";

/** A return value of a controller method that writes the response itself, such as {@linkcode Response}. */
export interface Dispatcher {
  /**
   * Writes the response.
   *
   * @param ctx The request.
   * @returns A promise if it takes time.
   */
  Dispatch(ctx: Context): void | Promise<void>;
}

/** The fields of {@linkcode Response}; all may be left out. */
export interface ResponseOptions {
  /** The status; 200, or for an error 400, when left out. */
  Code?: number;
  /** The content type of the body. */
  ContentType?: string;
  /** The body as it is. */
  Content?: string | Uint8Array;
  /** The body as text; plain text unless `ContentType` says otherwise. */
  Text?: string;
  /** The body as an object: JSON, or XML, YAML or MessagePack if `ContentType` says so. */
  Object?: unknown;
  /** Where to send the client: 302, after a POST 303, or `Code`. */
  Path?: string;
  /** An error to respond with instead of all the rest. */
  Err?: Error | null;
}

/**
 * A response put together from its parts.
 *
 * If several parts are set, the first of `Err`, `Path`, `Object`, `Text` and `Content` is sent.
 *
 * The name is also that of the global `Response`. Import the module as a namespace,
 * `import * as mvc from "@fw/web/mvc"`, and write `mvc.Response`; importing `Response` by its name shadows the global
 * in that file.
 *
 * @example A page and a redirect
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mvc from "@fw/web/mvc";
 *
 * class PageController {
 *   Get() {
 *     return new mvc.Response({ ContentType: "text/html", Text: "<h1>Welcome</h1>" });
 *   }
 *   PostLogin() {
 *     return new mvc.Response({ Path: "/" });
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app).Handle(PageController);
 *
 * await (await app.fetch(new Request("http://localhost/"))).text(); // → "<h1>Welcome</h1>"
 * const response = await app.fetch(new Request("http://localhost/login", { method: "POST" }));
 * [response.status, response.headers.get("location")]; // → [303, "/"]
 * ```
 */
export class Response implements Dispatcher {
  /** The status; 0 leaves it as it is. */
  Code: number;
  /** The content type of the body; empty leaves it as it is. */
  ContentType: string;
  /** The body as it is. */
  Content: string | Uint8Array | undefined;
  /** The body as text. */
  Text: string | undefined;
  /** The body as an object. */
  Object: unknown;
  /** Where to send the client. */
  Path: string;
  /** An error to respond with instead. */
  Err: Error | null;

  /**
   * Puts a response together.
   *
   * @param options Its parts.
   */
  constructor(options: ResponseOptions = {}) {
    this.Code = options.Code ?? 0;
    this.ContentType = options.ContentType ?? "";
    this.Content = options.Content;
    this.Text = options.Text;
    this.Object = options.Object;
    this.Path = options.Path ?? "";
    this.Err = options.Err ?? null;
  }

  /**
   * Writes the response.
   *
   * @param ctx The request.
   * @returns A promise if what writes the content type has to be loaded.
   */
  Dispatch(ctx: Context): void | Promise<void> {
    if (this.Err !== null) return void failWith(ctx, this.Err, respondWithError, this.Code);
    if (this.Path !== "") return ctx.Redirect(this.Path, redirectStatus(ctx, this.Code));
    if (this.Code !== 0) ctx.StatusCode(this.Code);
    if (this.Object !== undefined) return writeObject(ctx, this.Object, this.ContentType);
    if (this.ContentType !== "") ctx.ContentType(this.ContentType);
    if (this.Text !== undefined) ctx.WriteString(this.Text);
    else if (this.Content !== undefined) ctx.Write(this.Content);
  }
}

function redirectStatus(ctx: Context, code: number): number {
  if (code >= 300 && code < 400) return code;
  // A browser must not repeat the POST at the new place.
  return ctx.Method() === "POST" ? 303 : 302;
}

function writeObject(ctx: Context, value: unknown, contentType: string): void | Promise<void> {
  return contentType === "" ? ctx.JSON(value) : writeEncoded(ctx, value, contentType);
}

/** The fields of {@linkcode View}; only the name is needed. */
export interface ViewOptions {
  /** The template's name. */
  Name: string;
  /** The layout around it, in place of the engine's. */
  Layout?: string;
  /** What the template shows. */
  Data?: unknown;
  /** The status; 200 when left out. */
  Code?: number;
  /** An error to respond with instead. */
  Err?: Error | null;
}

/** A page rendered from a template. */
export class View implements Dispatcher {
  /** The template's name; nothing is rendered when it is empty. */
  Name: string;
  /** The layout around it; empty for the engine's. */
  Layout: string;
  /** What the template shows. */
  Data: unknown;
  /** The status; 0 leaves it as it is. */
  Code: number;
  /** An error to respond with instead. */
  Err: Error | null;

  /**
   * Chooses a page.
   *
   * @param options The page and what it shows.
   */
  constructor(options: ViewOptions) {
    this.Name = options.Name;
    this.Layout = options.Layout ?? "";
    this.Data = options.Data;
    this.Code = options.Code ?? 0;
    this.Err = options.Err ?? null;
  }

  /**
   * Writes the page.
   *
   * @param ctx The request.
   * @returns A promise if the engine takes time.
   */
  Dispatch(ctx: Context): Promise<void> | undefined {
    if (this.Err !== null) return failWith(ctx, this.Err, respondWithError, this.Code);
    if (this.Code !== 0) ctx.StatusCode(this.Code);
    if (this.Layout !== "") ctx.ViewLayout(this.Layout);
    return this.Name === "" ? undefined : ctx.View(this.Name, this.Data);
  }
}
