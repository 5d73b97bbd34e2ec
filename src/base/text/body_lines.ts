/**
 * Reads response bodies as they arrive: bytes, text, lines and server-sent events.
 *
 * @module
 */

/** A server-sent event, with its fields as strings. */
export interface EventFields {
  /** The ID of the last event that has one, or an empty string. */
  readonly id: string;
  readonly name: string;
  readonly data: string;
  /** Whether the server has marked the data as a string, because it could be parsed as JSON. */
  readonly isText: boolean;
}

/** Yields the bytes as they arrive. Ending the iteration early closes the connection. */
export async function* bytesOf(response: Response): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  try {
    for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) yield read.value;
  } finally {
    await reader?.cancel();
  }
}

/** Yields the text as it arrives. */
export async function* textsOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const bytes of bytesOf(response)) yield decoder.decode(bytes, { stream: true });
}

/** Yields the lines as they arrive. */
export async function* linesIn(response: Response): AsyncGenerator<string> {
  let rest = "";
  for await (const text of textsOf(response)) {
    // A carriage return at the end may be followed by a line feed in the next chunk.
    const lines = (rest + text).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    yield* lines;
  }
  yield* rest.split("\r");
}

/** Yields server-sent events as they arrive. */
export async function* eventsIn(response: Response): AsyncGenerator<EventFields> {
  let fields: Record<string, string> = {};
  for await (const line of linesIn(response)) {
    const { id = "", event, data, text } = fields;
    if (line === "") {
      if (data !== undefined) yield { id, name: event || "message", data, isText: text !== undefined };
      // The last event ID persists until the server sends another one.
      fields = { id };
    } else {
      const [, name = "", value = ""] = /^([^:]*):? ?(.*)/s.exec(line) ?? [];
      fields[name] = name === "data" && data !== undefined ? `${data}\n${value}` : value;
    }
  }
}
