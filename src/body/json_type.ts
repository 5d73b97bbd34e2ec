/**
 * Which content types are JSON.
 *
 * @module
 */

import { HTTPError } from "../base/errors.ts";
import { mediaTypeOf } from "../http/header.ts";

/**
 * Refuses a body that does not declare to be JSON.
 *
 * @param type The content type of the request; `null` when it has none.
 */
export function assertJSON(type: string | null): void {
  if (type === "application/json" || isJSON(mediaTypeOf(type ?? ""))) return;
  throw new HTTPError(415, "Cannot read the request body as JSON: its content type is not JSON", { Code: "FW_BODY" });
}

function isJSON(mediaType: string): boolean {
  return mediaType === "application/json" || mediaType === "text/json" || mediaType.endsWith("+json");
}
