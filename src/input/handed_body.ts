/**
 * The body of a request for another application, also after middleware has read it.
 *
 * @module
 */

import { FrameworkError } from "../base/errors.ts";
import { toJSON } from "../base/json.ts";
import type { Body } from "../body/body.ts";
import { platformForm } from "./form_data.ts";

/** A body that another reader may have. */
export type HandedBody = ReadableStream<Uint8Array<ArrayBuffer>> | Uint8Array<ArrayBuffer> | FormData | null;

/**
 * Hands a body on: as it comes if nothing has read it, else from what was kept.
 *
 * @param body The body.
 * @returns The body, or a promise of it if something has read it.
 */
export function handedBody(body: Body): HandedBody | Promise<HandedBody> {
  return body.isUntouched ? body.stream() : keptBody(body);
}

async function keptBody(body: Body): Promise<HandedBody> {
  switch (await body.remains()) {
    case "all":
      return body.stream();
    case "bytes":
      return await body.bytes();
    case "json":
      // Over a connection the text is not kept: written anew, it means the same.
      return new TextEncoder().encode(toJSON(await body.jsonOnly()));
    case "form":
      return await platformForm(body);
    default:
      throw new FrameworkError("FW_STATE", "Cannot hand the request body on: it was streamed and is not kept");
  }
}
