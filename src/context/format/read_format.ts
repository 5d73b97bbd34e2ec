/**
 * Reads request bodies in formats other than JSON and forms. Decoders are loaded on first use.
 *
 * @module
 */

import { type JSONStreamOptions, jsonValues } from "../../accessors/json_stream.ts";
import { type JSONOptions, readForm, readJSON, readQuery } from "../../accessors/read_input.ts";
import { type StandardSchema, validate } from "../../accessors/schema.ts";
import { shapeOf } from "../../accessors/schema_shape.ts";
import { typedInput } from "../../accessors/text_input.ts";
import { LazyModule } from "../../async/lazy_module.ts";
import { assertJSON, isForm, isJSON } from "../../body/source/body_type.ts";
import { HTTPError, type Result } from "../../errors/errors.ts";
import { messageOf, toError } from "../../errors/to_error.ts";
import { bodyOf, type Exchange, queryOf } from "../../exchange/exchange.ts";
import { handlerHeaders } from "../../exchange/request_header.ts";
import { charsetOf, mediaTypeOf } from "../../http/content_type.ts";
import { decodeText } from "../../text/charset.ts";
import { inLanguage } from "./issue_messages.ts";

/** A format, with its media types and its decoder. */
interface Format {
  readonly name: string;
  readonly types: RegExp;
  /** Whether all values are strings, which are converted to the types in the schema. */
  readonly isText?: boolean;
  /** Parses a body. The charset is that of the content type, or an empty string. */
  read(bytes: Uint8Array, charset: string): unknown;
}

const xmlReader = new LazyModule(() => import("../../formats/xml_reader.ts"));
const yamlReader = new LazyModule(() => import("../../formats/yaml_format.ts"));
const msgpackReader = new LazyModule(() => import("../../formats/msgpack_format.ts"));

/** The name of a format. */
export type FormatName = "XML" | "YAML" | "MsgPack";

const formats: Readonly<Record<FormatName, Format>> = {
  XML: {
    name: "XML",
    types: /^(?:application\/xml|text\/xml|.+\+xml)$/,
    isText: true,
    read: async (bytes, charset) => (await xmlReader.get()).fromXML(decodeText(bytes, charset || declaredIn(bytes))),
  },
  YAML: {
    name: "YAML",
    types: /^(?:application|text)\/(?:x-)?yaml$|^.+\+yaml$/,
    read: async (bytes, charset) => (await yamlReader.get()).fromYAML(decodeText(bytes, charset)),
  },
  MsgPack: {
    name: "MessagePack",
    types: /^application\/(?:vnd\.|x-)?msgpack$/,
    read: async (bytes) => (await msgpackReader.get()).fromMsgPack(bytes),
  },
};

/** Reads the body in one of these formats. */
export async function readFormat<C, T>(
  exchange: Exchange<C>,
  name: FormatName,
  schema?: StandardSchema<T>,
  options: JSONOptions = {},
): Promise<Result<T>> {
  const format = formats[name];
  try {
    const type = handlerHeaders(exchange).get("content-type") ?? "";
    if (options.AnyType !== true && !format.types.test(mediaTypeOf(type))) throw unsupported(format.name);
    const value = await parse(format, await bodyOf(exchange).document(format.name), charsetOf(type));
    const isTyped = schema !== undefined && format.isText === true;
    return await validate(isTyped ? typedInput(value, shapeOf(schema), "body") : value, schema);
  } catch (error) {
    return [undefined, toError(error)];
  }
}

/**
 * Reads the input in the format declared by the request. This is the query string for GET requests and requests without
 * a body, and the body otherwise.
 */
export async function readBody<C, T>(exchange: Exchange<C>, schema?: StandardSchema<T>): Promise<Result<T>> {
  const declared = handlerHeaders(exchange).get("content-type");
  if (exchange.method === "GET" || exchange.method === "HEAD" || declared === null || declared.trim() === "") {
    return await readQuery(queryOf(exchange), schema);
  }
  if (isJSON(declared)) return await readJSON(bodyOf(exchange), schema);
  if (isForm(declared)) return await readForm(bodyOf(exchange), schema);
  const type = mediaTypeOf(declared);
  for (const [name, { types }] of Object.entries(formats)) {
    if (types.test(type)) return await readFormat(exchange, name as FormatName, schema);
  }
  const message = `Cannot read the request body: its content type "${type}" is not supported`;
  return [undefined, new HTTPError(415, message, { Code: "FW_BODY" })];
}

/** Reads the values of a JSON stream, one at a time. */
export async function* readJSONStream<C, T>(
  exchange: Exchange<C>,
  schema: StandardSchema<T> | undefined,
  options: JSONStreamOptions,
): AsyncGenerator<T> {
  if (options.AnyType !== true) assertStreamType(handlerHeaders(exchange).get("content-type"));
  try {
    yield* jsonValues(bodyOf(exchange).chunks(), schema, options);
  } catch (error) {
    throw inLanguage(exchange, error);
  }
}

/** Checks the content type. JSON streams have their own media types. */
function assertStreamType(type: string | null): void {
  if (type !== null && /^application\/(?:x-)?(?:ndjson|jsonlines|jsonl|json-seq)$/.test(mediaTypeOf(type))) return;
  assertJSON(type);
}

/** Parses a body. Parser errors are always caused by the client's input. */
async function parse({ name, read }: Format, bytes: Uint8Array, charset: string): Promise<unknown> {
  try {
    return await read(bytes, charset);
  } catch (cause) {
    if (cause instanceof HTTPError) throw cause;
    const reason = cause instanceof RangeError
      ? "it is nested too deeply or incomplete"
      : messageOf(cause).split("\n", 1)[0];
    throw new HTTPError(400, `Cannot read the request body as ${name}: ${reason}`, { Code: "FW_BODY", cause });
  }
}

function unsupported(name: string): HTTPError {
  const message = `Cannot read the request body as ${name}: its content type is not ${name}`;
  return new HTTPError(415, message, { Code: "FW_BODY" });
}

/** Returns the encoding in an XML declaration, or an empty string if there is none. */
function declaredIn(bytes: Uint8Array): string {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 200));
  return /^<\?xml\s[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1] ?? "";
}
