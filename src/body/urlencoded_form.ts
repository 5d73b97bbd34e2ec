/**
 * Urlencoded bodies as forms.
 *
 * @module
 */

import { hasMorePairs, parseUrlencoded } from "../http/urlencoded.ts";
import { tooLarge } from "./body_errors.ts";
import type { BodyLimits } from "./body_limits.ts";
import { Form } from "./form.ts";

const urlencodedAct = "read the urlencoded form";
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Reads an urlencoded body.
 *
 * @param bytes The whole body.
 * @param limits How long it may be, and how many fields it may have.
 * @returns The form, without files.
 */
export function urlencodedForm(bytes: Uint8Array, limits: BodyLimits): Form {
  const { maxFormSize, maxFields } = limits;
  // Its bytes may have been read before, by an accessor that allows for more of them.
  if (bytes.length > maxFormSize) throw tooLarge(urlencodedAct, `its fields are larger than ${maxFormSize} bytes`);
  const text = decoder.decode(bytes);
  if (hasMorePairs(text, maxFields)) throw tooLarge(urlencodedAct, `it has more than ${maxFields} fields`);
  return new Form(parseUrlencoded(text));
}
