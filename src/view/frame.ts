/**
 * One template at work: what it has written, and what its code may call.
 *
 * @module
 */

import { Eta } from "npm:eta@^4/core";
import { FrameworkError } from "../base/errors.ts";
import { type Links, NoLayout } from "./engine.ts";
import { renderFault } from "./template_error.ts";
import type { Library, Template, Wrapping } from "./template_parts.ts";

const escapeHTML = new Eta().config.escapeFunction;
const mostLayouts = 20;
const deepestPartial = 500;

const unwrapped: Wrapping = { layout: "", forced: false };

/** Where a view finds what it speaks of. */
export interface ViewSources {
  readonly library: Library;
  /** What builds URLs; absent outside of a request. */
  readonly links: Links | undefined;
}

/** Renders a view within its layouts. */
export function renderTemplate(sources: ViewSources, name: string, it: unknown, wrapping: Wrapping): string {
  return renderPart(new Rendering(sources), sources.library.find(name), it, wrapping);
}

/** What all templates of one rendering share. */
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
        `Cannot render template "${template.file}": its layouts do not end, the last is "${frame.layout}"`,
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

/** What compiled code writes to and calls; created for each run of a template, so that no two ever share anything. */
class Frame {
  /** What was written so far. */
  text = "";
  /** The line of the last value written. */
  line = 1;
  /** The rendered view that a layout is put around; empty for the view itself. */
  readonly body: string;
  /** The layout to come, empty for none. */
  layout: string;
  /** What the template gives its layout beside its own data. */
  layoutData: unknown = undefined;
  readonly #rendering: Rendering;
  readonly #forced: boolean;

  constructor(rendering: Rendering, body: string, wrapping: Wrapping) {
    this.body = body;
    this.layout = wrapping.layout;
    this.#rendering = rendering;
    this.#forced = wrapping.forced;
  }

  /** Writes a value, escaped. A setter, because the code of a tag may end in the middle of a call: `f(() => {`. */
  set escaped(value: unknown) {
    if (typeof value === "number") this.text += value;
    else if (value !== undefined && value !== null) this.text += escapeHTML(toText(value));
  }

  /** Writes a value as it is. */
  set raw(value: unknown) {
    if (value !== undefined && value !== null) this.text += toText(value);
  }

  /** Renders a partial with the template's own data, or with more laid over it. */
  include(name: string, it: unknown, extra: unknown): string {
    const rendering = this.#rendering;
    const template = rendering.library.find(name, "partial");
    // Told before the stack is full, where the failure could come up anywhere and the message could not be built.
    if (rendering.depth === deepestPartial) {
      throw new FrameworkError(
        "FW_VIEW",
        `Cannot include template "${template.file}": more than ${deepestPartial} partials are inside each other`,
      );
    }
    rendering.depth++;
    try {
      return renderPart(rendering, template, merge(it, extra), unwrapped);
    } finally {
      rendering.depth--;
    }
  }

  /** Returns the functions of the request. */
  links(name: string): Links {
    if (this.#rendering.links !== undefined) return this.#rendering.links;
    throw new FrameworkError("FW_VIEW", `Cannot use "${name}": the view is not rendered for a request`);
  }

  /** Asks for a layout, unless the handler has already decided. */
  wrap(name: string, extra: unknown): void {
    if (!this.#forced) this.layout = name === NoLayout ? "" : name;
    this.layoutData = extra;
  }

  /** Below a layout: keeps a piece for it, the innermost template's winning. Otherwise: returns the piece kept. */
  block(name: string, write: (() => void) | undefined): string {
    const kept = this.#rendering.blocks?.get(name);
    if (write === undefined) return kept ?? "";
    if (this.layout === "") return kept ?? this.capture(write);
    if (kept === undefined) (this.#rendering.blocks ??= new Map()).set(name, this.capture(write));
    return "";
  }

  /** Returns what a function writes instead of writing it. */
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
    throw new TypeError("A promise cannot be shown: await it in the handler and pass its value");
  }
  return String(value);
}

// A spread defines keys and never sets them, so a key "__proto__" that came out of JSON stays a mere name.
function merge(it: unknown, extra: unknown): unknown {
  if (extra === undefined || extra === null) return it;
  if (typeof extra !== "object") throw new TypeError(`Data for a partial or layout must be an object: ${typeof extra}`);
  return { ...(it as object), ...extra };
}
