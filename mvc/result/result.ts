/**
 * Return values of controller methods that are more than a body, such as responses and views.
 *
 * @module
 */

import { count, either, kind, required, text } from "../../src/base/config/option_kinds.ts";
import { assertOptions, optionTable } from "../../src/base/config/option_table.ts";
import { isPlainObject } from "../../src/base/data/plain_object.ts";
import type { Context } from "../../src/core/context/context.ts";
import { writeEncoded } from "../../src/core/serialize/encode.ts";
import { failWith, respondWithError } from "./result_handlers.ts";

/** A return value of a controller method that writes the response itself, such as {@linkcode Response}. */
export interface Dispatcher {
  /**
   * Writes the response.
   *
   * @param ctx The request context.
   * @returns A promise if writing is asynchronous.
   */
  Dispatch(ctx: Context): void | Promise<void>;
}

/** Options for {@linkcode Response}. */
export interface ResponseOptions {
  /** The status code. Defaults to 200, or 400 for an error. */
  Code?: number;
  /** The content type of the body. */
  ContentType?: string;
  /** The raw body. */
  Content?: string | Uint8Array;
  /** The body as text. Defaults to plain text unless `ContentType` is set. */
  Text?: string;
  /**
   * The body as an object. It is serialized as JSON, or as XML, YAML or MessagePack if `ContentType` specifies that.
   */
  Object?: unknown;
  /** The URL to redirect to. The status defaults to 302, or to 303 after a POST request. */
  Path?: string;
  /** An error to respond with. All other properties except `Code` are ignored. */
  Err?: Error | null;
}

const value = kind<NonNullable<unknown>, undefined>("any value", () => true, undefined);
const bytesRule = kind("bytes", (content) => content instanceof Uint8Array, undefined);
const error = kind<Error, undefined>("an error", (value) => value === null || value instanceof Error, undefined);
const code = count(undefined, { from: 0, to: 599 });

const responseTable = optionTable<ResponseOptions>("mvc.ResponseOptions", "Response")({
  Code: code,
  ContentType: text(),
  Content: either(undefined, text(), bytesRule),
  Text: text(),
  Object: value,
  Path: text(),
  Err: error,
});

/**
 * A response with individual properties. If several are set, the first of `Err`, `Path`, `Object`, `Text` and `Content`
 * is sent.
 *
 * This class has the same name as the global `Response`. Write `mvc.Response` and import the module as a namespace:
 * `import * as mvc from "@fw/web/mvc"`. Importing `Response` by name would shadow the global.
 *
 * @example Respond with a page and a redirect
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
  /** The status code. If 0, the current status is kept. */
  Code: number;
  /** The content type of the body. If empty, the current content type is kept. */
  ContentType: string;
  /** The raw body. */
  Content: string | Uint8Array | undefined;
  /** The body as text. */
  Text: string | undefined;
  /** The body as an object. */
  Object: unknown;
  /** The URL to redirect to. */
  Path: string;
  /** An error to respond with. */
  Err: Error | null;

  /**
   * Creates a response from its parts.
   *
   * @param options The parts.
   */
  constructor(options: ResponseOptions = {}) {
    assertOptions(responseTable, options);
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
   * @param ctx The request context.
   * @returns A promise if the encoder for the content type has to be loaded first.
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
  // A browser must not repeat the POST request at the new URL.
  return ctx.Method() === "POST" ? 303 : 302;
}

function writeObject(ctx: Context, value: unknown, contentType: string): void | Promise<void> {
  return contentType === "" ? ctx.JSON(value) : writeEncoded(ctx, value, contentType);
}

/** Options for {@linkcode View}. */
export interface ViewOptions {
  /** The template name. */
  Name: string;
  /** The layout. Defaults to the engine's layout. */
  Layout?: string;
  /**
   * The data for the template. If it is a plain object, its members are added to the values set with `ctx.ViewData`.
   */
  Data?: unknown;
  /** The status code. Defaults to 200. */
  Code?: number;
  /** An error to respond with instead. */
  Err?: Error | null;
}

const viewTable = optionTable<ViewOptions>("mvc.ViewOptions", "View")({
  Name: required(text()),
  Layout: text(),
  Data: value,
  Code: code,
  Err: error,
});

/** A page rendered from a template. */
export class View implements Dispatcher {
  /** The template name. If empty, nothing is rendered. */
  Name: string;
  /** The layout. If empty, the engine's layout is used. */
  Layout: string;
  /** The data for the template. */
  Data: unknown;
  /** The status code. If 0, the current status is kept. */
  Code: number;
  /** An error to respond with instead. */
  Err: Error | null;

  /**
   * Creates a view.
   *
   * @param options The template and its data.
   */
  constructor(options: ViewOptions) {
    assertOptions(viewTable, options);
    this.Name = options.Name;
    this.Layout = options.Layout ?? "";
    this.Data = options.Data;
    this.Code = options.Code ?? 0;
    this.Err = options.Err ?? null;
  }

  /**
   * Renders the template and writes the response.
   *
   * @param ctx The request context.
   * @returns A promise if the template engine is asynchronous.
   */
  Dispatch(ctx: Context): Promise<void> | undefined {
    if (this.Err !== null) return failWith(ctx, this.Err, respondWithError, this.Code);
    if (this.Code !== 0) ctx.StatusCode(this.Code);
    if (this.Layout !== "") ctx.ViewLayout(this.Layout);
    // `EndRequest` and error pages also see the data.
    if (isPlainObject(this.Data)) { for (const [key, value] of Object.entries(this.Data)) ctx.ViewData(key, value); }
    return this.Name === "" ? undefined : ctx.View(this.Name, this.Data);
  }
}
