/**
 * Urlencoded bodies as forms.
 *
 * @module
 */

import { hasMorePairs, parseUrlencoded } from "../http/urlencoded.ts";
import { type BodyLimits, tooLarge } from "./body_head.ts";
import { Form } from "./form.ts";

const act = "read the urlencoded form";
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
  if (bytes.length > maxFormSize) throw tooLarge(act, `its fields are larger than ${maxFormSize} bytes`);
  const text = decoder.decode(bytes);
  if (hasMorePairs(text, maxFields)) throw tooLarge(act, `it has more than ${maxFields} fields`);
  return new Form(parseUrlencoded(text));
}
