/**
 * Reads the bytes of request bodies.
 *
 * @module
 */

import type { Body } from "../body/body.ts";
import type { Result } from "../errors/errors.ts";
import { toError } from "../errors/to_error.ts";

/** Returns the bytes of the body. */
export async function getBody(body: Body): Promise<Result<Uint8Array<ArrayBuffer>>> {
  try {
    return [await body.bytes(), null];
  } catch (error) {
    return [undefined, toError(error)];
  }
}
