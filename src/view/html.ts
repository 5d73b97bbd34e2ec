/**
 * The default template engine: HTML files with tags of JavaScript, escaped unless they say otherwise.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import { builtins, Compiler, replaceable } from "./compile.ts";
import { directoryPath } from "./directory.ts";
import { type Engine, NoLayout, type RenderOptions, type ViewFunc } from "./engine.ts";
import { renderTemplate } from "./frame.ts";
import { scriptJSON } from "./script_json.ts";
import { DirectoryLibrary } from "./library.ts";

/**
 * Creates the default engine for the templates of a directory.
 *
 * @example A page, its layout and a function
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { HTML } from "@fw/web/view";
 *
 * const views = await Deno.makeTempDir();
 * await Deno.writeTextFile(`${views}/main.html`, "<title><%= it.Title %></title><%~ body %>");
 * await Deno.writeTextFile(`${views}/hello.html`, "<h1><%= upper(it.Name) %></h1>");
 *
 * const engine = HTML(views).Layout("main").AddFunc("upper", (text: string) => text.toUpperCase());
 * assertEquals(engine.Render("hello", { Title: "Hi", Name: "Ann & Bob" }), "<title>Hi</title><h1>ANN &amp; BOB</h1>");
 * await Deno.remove(views, { recursive: true });
 * ```
 *
 * @param directory A path, or a `file:` URL such as `new URL("./views/", import.meta.url)`, which also works inside
 * a compiled program.
 * @param extension How the names of the templates end.
 * @returns The engine, to be configured and given to `RegisterView`.
 */
export function HTML(directory: string | URL, extension = ".html"): HTMLEngine {
  return new HTMLEngine(directory, extension);
}

/** The default engine, created by {@linkcode HTML}. Everything is set before the templates are loaded. */
export class HTMLEngine implements Engine {
  readonly #directory: string;
  readonly #extension: string;
  readonly #functions: Map<string, ViewFunc> = new Map([["json", scriptJSON]]);
  #delimiters: readonly [string, string] = ["<%", "%>"];
  #layout = "";
  #reload = false;
  #library: DirectoryLibrary | undefined = undefined;

  /**
   * Creates an engine; {@linkcode HTML} is the shorter way.
   *
   * @param directory A path or a `file:` URL.
   * @param extension How the names of the templates end.
   */
  constructor(directory: string | URL, extension: string) {
    this.#directory = directoryPath(directory);
    this.#extension = extension.startsWith(".") ? extension : `.${extension}`;
  }

  /**
   * Puts a layout around every view that asks for no other.
   *
   * @param name The layout's name.
   * @returns The engine itself.
   */
  Layout(name: string): this {
    this.#expectUnloaded("set the layout");
    this.#layout = name === NoLayout ? "" : name;
    return this;
  }

  /**
   * Makes a function known to the templates: `<%= upper(it.Name) %>`. What it returns is escaped as any value.
   *
   * @param name The name in templates.
   * @param fn The function; it must return a value, not a promise.
   * @returns The engine itself.
   */
  AddFunc(name: string, fn: ViewFunc): this {
    this.#expectUnloaded(`add function "${name}"`);
    if (!isIdentifier(name)) {
      throw new FrameworkError("FW_VIEW", `Cannot add function "${name}": it is not a name in JavaScript`);
    }
    if (name === "it" || name === "__view" || Object.hasOwn(builtins, name) && !replaceable.has(name)) {
      throw new FrameworkError("FW_VIEW", `Cannot add function "${name}": templates already know that name`);
    }
    this.#functions.set(name, fn);
    return this;
  }

  /**
   * Looks at the files again before every rendering, so that a change is seen at the next request. For development:
   * every rendering then reads the directory.
   *
   * @param on Whether to do so.
   * @returns The engine itself.
   */
  Reload(on = true): this {
    this.#reload = on;
    return this;
  }

  /**
   * Changes what tags begin and end with.
   *
   * @param left What a tag begins with, at first `<%`.
   * @param right What a tag ends with, at first `%>`.
   * @returns The engine itself.
   */
  Delims(left: string, right: string): this {
    this.#expectUnloaded("set the delimiters");
    if (left === "" || right === "") {
      throw new FrameworkError("FW_VIEW", `Cannot set the delimiters "${left}" and "${right}": one is empty`);
    }
    this.#delimiters = [left, right];
    return this;
  }

  /** Reads and compiles all templates; a broken one is an error with its file, line and text. */
  Load(): void {
    this.#library ??= this.#load();
  }

  /**
   * Renders a view within its layout.
   *
   * @param name The path below the directory, with or without the extension.
   * @param data What the templates call `it`.
   * @param options The layout that the handler asks for.
   * @returns The text.
   */
  Render(name: string, data?: unknown, options: RenderOptions = {}): string {
    const library = this.#library ??= this.#load();
    if (this.#reload) library.read();
    const asked = options.Layout ?? "";
    const forced = asked !== "";
    const layout = asked === NoLayout ? "" : forced ? asked : this.#layout;
    return renderTemplate({ library, links: options.Links }, name, data ?? {}, { layout, forced });
  }

  #load(): DirectoryLibrary {
    const library = new DirectoryLibrary(
      this.#directory,
      this.#extension,
      new Compiler(this.#delimiters, this.#functions),
    );
    library.read();
    if (library.isEmpty() && !this.#reload) {
      throw new FrameworkError(
        "FW_VIEW",
        `Cannot load views of "${this.#directory}": no file there ends in "${this.#extension}"`,
      );
    }
    library.compileAll();
    if (this.#layout !== "" && !this.#reload) library.find(this.#layout, "layout");
    return library;
  }

  #expectUnloaded(act: string): void {
    if (this.#library !== undefined) {
      throw new FrameworkError("FW_STATE", `Cannot ${act} of the views: the templates are already loaded`);
    }
  }
}

function isIdentifier(name: string): boolean {
  if (!/^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name)) return false;
  try {
    new Function(`"use strict";var ${name}`);
    return true;
  } catch {
    return false;
  }
}
