/**
 * The error about a template or a layout that does not exist.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";

/** A template or a layout that does not exist: the one failure of a view that fallback views handle. */
export class ViewNotFound extends FrameworkError {
  /** The name that was not found. */
  readonly Name: string;
  /** Whether a layout was not found, rather than the view itself. */
  readonly IsLayout: boolean;

  /**
   * Creates the error.
   *
   * @param message The message.
   * @param name The name that was not found.
   * @param isLayout Whether it is a layout.
   */
  constructor(message: string, name: string, isLayout: boolean) {
    super("FW_VIEW", message);
    this.Name = name;
    this.IsLayout = isLayout;
  }
}
