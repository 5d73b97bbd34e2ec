/**
 * Reads a response according to its content type.
 *
 * @module
 */

import { bytesOf, eventsIn, linesIn, textsOf } from "../../base/text/body_lines.ts";
import { parseLossless } from "../../base/text/lossless_json.ts";
import type { ReceivedEvent } from "./json_type.ts";

/** The reader for each content type. The first match is used. */
const readers: readonly { readonly types: RegExp; readonly read: (response: Response) => unknown }[] = [
  { types: /^text\/event-stream\b/i, read: eventsOf },
  { types: /^application\/(?:x-)?(?:ndjson|jsonlines|jsonl)\b/i, read: linesOf },
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

/** Yields the values of a JSON lines response. */
async function* linesOf(response: Response): AsyncGenerator<unknown> {
  for await (const line of linesIn(response)) if (line !== "") yield parseLossless(line);
}

/** Yields server-sent events. */
async function* eventsOf(response: Response): AsyncGenerator<ReceivedEvent> {
  for await (const { id, name, data, isText } of eventsIn(response)) {
    yield { ID: id, Name: name, Data: isText ? data : dataOf(data) };
  }
}

/**
 * Parses event data. The server marks strings that would otherwise be parsed as JSON. Data that is not valid JSON is
 * returned as a string.
 */
function dataOf(data: string): unknown {
  try {
    return parseLossless(data);
  } catch {
    return data;
  }
}
