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
  try {
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) yield read.value;
  } finally {
    await reader?.cancel();
  }
}

/** The text, as it arrives. */
export async function* textsOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const bytes of bytesOf(response)) yield decoder.decode(bytes, { stream: true });
}

/** The values of JSON lines. */
export async function* linesOf(response: Response): AsyncGenerator<unknown> {
  for await (const line of linesIn(response)) if (line !== "") yield parseLossless(line);
}

/** Server-sent events. */
export async function* eventsOf(response: Response): AsyncGenerator<ReceivedEvent> {
  let fields: Record<string, string> = {};
  for await (const line of linesIn(response)) {
    const { id = "", event, data, text } = fields;
    if (line === "") {
      if (data !== undefined) {
        yield { ID: id, Name: event || "message", Data: text === undefined ? dataOf(data) : data };
      }
      // The id stays until another one comes.
      fields = { id };
    } else {
      const [, name = "", value = ""] = /^([^:]*):? ?(.*)/s.exec(line) ?? [];
      fields[name] = name === "data" && data !== undefined ? `${data}\n${value}` : value;
    }
  }
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
  yield* rest.split("\r");
}
