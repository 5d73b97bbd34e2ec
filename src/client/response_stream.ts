/**
 * Responses that are read piece by piece.
 *
 * @module
 */

import { parseLossless } from "../base/lossless_json.ts";
import type { ReceivedEvent } from "./event_type.ts";

/** The bytes, as they arrive. A reader that stops early closes the connection. */
export async function* bytesOf(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  let isDone = false;
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
    isDone = true;
  } finally {
    if (!isDone) await reader.cancel();
  }
}

/** The text, as it arrives. */
export async function* textsOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const bytes of bytesOf(response)) {
    const text = decoder.decode(bytes, { stream: true });
    if (text !== "") yield text;
  }
}

/** The values of JSON lines. */
export async function* linesOf(response: Response): AsyncGenerator<unknown> {
  for await (const line of linesIn(response)) if (line !== "") yield parseLossless(line);
}

/** Server-sent events. */
export async function* eventsOf(response: Response): AsyncGenerator<ReceivedEvent> {
  let fields: Record<string, string> = {};
  for await (const line of linesIn(response)) {
    if (line === "") {
      if (fields["data"] !== undefined) yield eventOf(fields);
      // The id stays until another one comes.
      fields = fields["id"] === undefined ? {} : { id: fields["id"] };
      continue;
    }
    const [, name = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    fields[name] = name === "data" && fields["data"] !== undefined ? `${fields["data"]}\n${value}` : value;
  }
}

function eventOf({ id = "", event = "", data = "", text }: Record<string, string>): ReceivedEvent {
  return { ID: id, Name: event || "message", Data: text === undefined ? dataOf(data) : data };
}

/** The server marks strings that would be taken for JSON; any other text that is not JSON is a string. */
function dataOf(data: string): unknown {
  try {
    return parseLossless(data);
  } catch {
    return data;
  }
}

async function* linesIn(response: Response): AsyncGenerator<string> {
  let rest = "";
  for await (const text of textsOf(response)) {
    // A carriage return at the end may be the first half of a line break.
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest.replace(/\r$/, "");
}
