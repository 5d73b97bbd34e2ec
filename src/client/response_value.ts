/**
 * Reads a response according to its content type.
 *
 * @module
 */

import { parseLossless } from "../text/lossless_json.ts";
import { bytesOf, eventsOf, linesOf, textsOf } from "./response_stream.ts";

/** The reader for each content type. The first match is used. */
const readers: readonly { readonly types: RegExp; readonly read: (response: Response) => unknown }[] = [
  { types: /^text\/event-stream\b/i, read: eventsOf },
  { types: /^application\/jsonl\b/i, read: linesOf },
  { types: /^[^;]*[/+]json\b/i, read: readJSON },
  {
    types: /^text\/|^application\/[^;]*(?:xml|yaml|javascript|urlencoded)\b/i,
    read: (response) => response.text(),
  },
];

/**
 * Reads a response.
 *
 * @param response The response.
 * @returns The parsed JSON, a string, a stream, a `Blob`, or `undefined` if the body is empty.
 */
export async function responseValue(response: Response): Promise<unknown> {
  const type = response.headers.get("content-type") ?? "";
  const stream = response.headers.get("x-content-stream");
  if (stream !== null) return stream === "text" ? textsOf(response) : bytesOf(response);
  const reader = readers.find((each) => each.types.test(type));
  if (reader !== undefined) return await reader.read(response);
  const blob = await response.blob();
  return blob.size === 0 ? undefined : blob;
}

async function readJSON(response: Response): Promise<unknown> {
  const text = await response.text();
  return text === "" ? undefined : parseLossless(text);
}
