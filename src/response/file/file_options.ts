/**
 * What `ctx.ServeFile` and its sisters take.
 *
 * @module
 */

import type { Draft } from "../draft.ts";
import type { Bounds } from "./open_file.ts";

/** How a file is sent. */
export interface FileOptions {
  /** The name to save it under; without it the client may show the file. */
  Attachment?: string;
  /** The content type, where the file's extension does not tell it. */
  ContentType?: string;
  /**
   * The folder that the file must lie in: the path is then relative to it, and leads neither out of it, by dots or by
   * links, nor to a hidden file. Set it wherever a part of the path comes from the client.
   */
  Root?: string | URL;
}

/** How a file is sent to a client that must not have it all at once. */
export interface RateOptions extends FileOptions {
  /** How many bytes may be sent at once; what is sent in one second unless given. */
  Burst?: number;
}

/** The options, and what only fw itself may ask for. */
export interface FileSettings extends FileOptions {
  /** How many bytes may be sent per second. */
  readonly rate?: number;
  /** How many bytes may be sent at once, where there is a rate. */
  readonly burst?: number;
  /** The folder that the file must lie in, where the path was found in it. */
  readonly bounds?: Bounds;
}

/** What a file is written to, and the request that asks for it. */
export interface FileTarget {
  readonly draft: Draft;
  readonly request: Pick<Request, "method" | "headers">;
}
