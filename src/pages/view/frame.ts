/**
 * Runs a template. Contains its output and the functions that its code can call.
 *
 * @module
 */

import { Eta } from "npm:eta@^4/core";
import { FrameworkError } from "../../base/errors/errors.ts";
import { type Links, NoLayout } from "../engine/engine.ts";
import { renderFault } from "./template_error.ts";
import type { Library, Template, Wrapping } from "../engine/template_parts.ts";

const escapeHTML = new Eta().config.escapeFunction;
const mostLayouts = 20;
const deepestPartial = 500;

const unwrapped: Wrapping = { layout: "", forced: false };

/** The templates and functions available to a view. */
export interface ViewSources {
  readonly library: Library;
  /** The functions for URLs and translations, or `undefined` outside a request. */
  readonly links: Links | undefined;
}

/** Renders a view in its layouts. */
export function renderTemplate(sources: ViewSources, name: string, it: unknown, wrapping: Wrapping): string {
  return renderPart(new Rendering(sources), sources.library.find(name), it, wrapping);
}

/** The state shared by all templates of one rendering. */
class Rendering {
  readonly library: Library;
  readonly links: Links | undefined;
  blocks: Map<string, string> | undefined = undefined;
  depth = 0;

  constructor(sources: ViewSources) {
    this.library = sources.library;
    this.links = sources.links;
  }
}

function renderPart(rendering: Rendering, template: Template, it: unknown, wrapping: Wrapping): string {
  let frame = new Frame(rendering, "", wrapping);
  run(template, frame, it);
  for (let depth = 0; frame.layout !== ""; depth++) {
    if (depth === mostLayouts) {
      throw new FrameworkError(
        "FW_VIEW",
        `Cannot render template "${template.file}": the chain of layouts does not end, the last is "${frame.layout}"`,
      );
    }
    const layout = rendering.library.find(frame.layout, "layout");
    it = merge(it, frame.layoutData);
    frame = new Frame(rendering, frame.text, unwrapped);
    run(layout, frame, layout.readsBody ? merge(it, { body: frame.body }) : it);
  }
  return frame.text;
}

function run(template: Template, frame: Frame, it: unknown): void {
  try {
    template.run(frame, it);
  } catch (error) {
    throw renderFault(template, frame.line, error);
  }
}

/**
 * The output and the functions of a compiled template. A new frame is created each time a template runs, so that
 * nothing is shared.
 */
class Frame {
  /** The output so far. */
  text = "";
  /** The line of the last value that was written. */
  line = 1;
  /** The rendered view if this is a layout, or an empty string if this is the view itself. */
  readonly body: string;
  /** The next layout, or an empty string for none. */
  layout: string;
  /** The additional data that the template passes to its layout. */
  layoutData: unknown = undefined;
  readonly #rendering: Rendering;
  readonly #forced: boolean;

  constructor(rendering: Rendering, body: string, wrapping: Wrapping) {
    this.body = body;
    this.layout = wrapping.layout;
    this.#rendering = rendering;
    this.#forced = wrapping.forced;
  }

  /**
   * Writes an escaped value. This is a setter, because the code in a tag may end in the middle of a call, as in `f(()
   * => {`.
   */
  set escaped(value: unknown) {
    if (typeof value === "number") this.text += value;
    else if (value !== undefined && value !== null) this.text += escapeHTML(toText(value));
  }

  /** Writes a value without escaping it. */
  set raw(value: unknown) {
    if (value !== undefined && value !== null) this.text += toText(value);
  }

  /** Renders a partial with the template's data, optionally merged with additional data. */
  include(name: string, it: unknown, extra: unknown): string {
    const rendering = this.#rendering;
    const template = rendering.library.find(name, "partial");
    // The depth is checked to prevent a stack overflow, which could occur anywhere and leave no stack space for
    // building a message.
    if (rendering.depth === deepestPartial) {
      throw new FrameworkError(
        "FW_VIEW",
        `Cannot include template "${template.file}": more than ${deepestPartial} partials are nested`,
      );
    }
    rendering.depth++;
    try {
      return renderPart(rendering, template, merge(it, extra), unwrapped);
    } finally {
      rendering.depth--;
    }
  }

  /** Returns the request's functions for URLs and translations. */
  links(name: string): Links {
    if (this.#rendering.links !== undefined) return this.#rendering.links;
    throw new FrameworkError("FW_VIEW", `Cannot use "${name}": the view is not rendered for a request`);
  }

  /** Sets the layout, unless the handler has already chosen one. */
  wrap(name: string, extra: unknown): void {
    if (!this.#forced) this.layout = name === NoLayout ? "" : name;
    this.layoutData = extra;
  }

  /**
   * Stores a block for the layout if called in a view. If several templates define the block, the innermost one
   * applies. Returns the stored block if called in a layout.
   */
  block(name: string, write: (() => void) | undefined): string {
    const kept = this.#rendering.blocks?.get(name);
    if (write === undefined) return kept ?? "";
    if (this.layout === "") return kept ?? this.capture(write);
    if (kept === undefined) (this.#rendering.blocks ??= new Map()).set(name, this.capture(write));
    return "";
  }

  /** Returns the output of a function instead of writing it. */
  capture(write: () => void): string {
    const before = this.text;
    this.text = "";
    try {
      write();
      return this.text;
    } finally {
      this.text = before;
    }
  }
}

function toText(value: unknown): string {
  if (typeof value === "string") return value;
  if (value instanceof Promise) {
    value.catch(() => {});
    throw new TypeError("A promise cannot be rendered: await it in the handler and pass its value");
  }
  return String(value);
}

// A spread defines keys instead of setting them, so that a "__proto__" key from JSON gets no special treatment.
function merge(it: unknown, extra: unknown): unknown {
  if (extra === undefined || extra === null) return it;
  if (typeof extra !== "object") {
    throw new TypeError(`The data for a partial or layout must be an object, not a ${typeof extra}`);
  }
  return { ...(it as object), ...extra };
}
