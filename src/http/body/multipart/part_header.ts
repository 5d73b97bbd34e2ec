/**
 * The header of a part in a multipart body.
 *
 * @module
 */

import { readExtendedValue, readFormParameters } from "../../headers/header_parameters.ts";
import { act, headerLines } from "../form/file_header.ts";
import { malformed } from "../source/body_errors.ts";

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const none = new Uint8Array(0);

/** The properties in a part's header. */
export interface PartHeader {
  /** The name of the form field. */
  readonly name: string;
  /** The client's file name, or `undefined` for a field. */
  readonly filename: string | undefined;
  /** The content type, or an empty string if the part has none. */
  readonly type: string;
  /** The unparsed header of a file. Empty for a field. */
  readonly block: Uint8Array;
}

/**
 * Parses the header of a part.
 *
 * @param block The header lines, without the last line break.
 */
export function readPartHeader(block: Uint8Array): PartHeader {
  let disposition: string | undefined;
  let type = "";
  for (const [name, value] of headerLines(decoder.decode(block))) {
    if (name === "content-type") type = value;
    if (name !== "content-disposition") continue;
    if (disposition !== undefined) throw malformed(act, "a part has two content dispositions");
    disposition = value;
  }
  const parts = readFormParameters(disposition ?? "");
  const name = parts === null ? undefined : parameter(parts.parameters, "name");
  if (parts === null || parts.value !== "form-data" || name === undefined) {
    throw malformed(act, "a part has no valid name");
  }
  const filename = parameter(parts.parameters, "filename");
  // Copy the block, because the buffer is reused.
  return { name, filename, type, block: filename === undefined ? none : block.slice() };
}

function parameter(parameters: Record<string, string>, name: string): string | undefined {
  const extended = parameters[`${name}*`];
  if (extended === undefined) return unescapeName(parameters[name]);
  const text = readExtendedValue(extended) ?? unescapeName(parameters[name]);
  if (text === undefined) throw malformed(act, "a part has a name that cannot be decoded");
  return text;
}

/** Decodes the three characters that browsers escape in quoted names. */
function unescapeName(name: string | undefined): string | undefined {
  if (name === undefined || !name.includes("%")) return name;
  return name.replaceAll("%22", '"').replace(/%0d/gi, "\r").replace(/%0a/gi, "\n");
}
