/**
 * Passes a request body to another application, even if middleware has already read it.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors/errors.ts";
import type { Body } from "../../http/body/body.ts";
import { platformForm } from "./platform_form.ts";

/** A request body that can be passed to another application. */
export type HandedBody = ReadableStream<Uint8Array<ArrayBuffer>> | Uint8Array<ArrayBuffer> | FormData | null;

/**
 * Returns a body that another application can read: the stream if nothing has read it yet, or the buffered content.
 *
 * @param body The request body.
 * @returns The body.
 */
export async function handedBody(body: Body): Promise<HandedBody> {
  if (body.isUntouched) return body.stream();
  switch (await body.remains()) {
    case "all":
      return body.stream();
    case "bytes":
      return await body.bytes();
    case "form":
      return await platformForm(body);
    default:
      throw new FrameworkError("FW_STATE", "Cannot pass on the request body: it was streamed and not stored");
  }
}
