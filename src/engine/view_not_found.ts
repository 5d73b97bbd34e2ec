/**
 * The error for a template or layout that does not exist.
 *
 * @module
 */

import { FrameworkError } from "../errors/errors.ts";

/** The error for a template or layout that does not exist. It is the only view error that fallback views handle. */
export class ViewNotFound extends FrameworkError {
  /** The name that was not found. */
  readonly Name: string;
  /** Whether the layout was not found, rather than the view itself. */
  readonly IsLayout: boolean;

  /**
   * Creates the error.
   *
   * @param message The error message.
   * @param name The name that was not found.
   * @param isLayout Whether the name is that of a layout.
   */
  constructor(message: string, name: string, isLayout: boolean) {
    super("FW_VIEW", message);
    this.Name = name;
    this.IsLayout = isLayout;
  }
}
