/**
 * Reads request bodies in formats other than JSON and forms.
 *
 * @module
 */

import { type JSONStreamOptions, jsonValues, streamSettings } from "../../accessors/json_stream.ts";
import { type JSONOptions, readForm, readJSON, readQuery, takesAnyType } from "../../accessors/read_input.ts";
import { type StandardSchema, validate } from "../../accessors/schema.ts";
import { shapeOf } from "../../accessors/schema_shape.ts";
import { typedInput } from "../../accessors/text_input.ts";
import { readerOf } from "../../../http/body/body.ts";
import { assertJSON, unsupportedBody } from "../../../http/body/source/expected_type.ts";
import { isForm, isJSON } from "../../../http/body/source/body_type.ts";
import { HTTPError, type Result } from "../../../base/errors/errors.ts";
import { messageOf, toError } from "../../../base/errors/to_error.ts";
import { bodyOf, type Exchange, queryOf } from "../../exchange/exchange.ts";
import { ownInputs } from "../../exchange/own_inputs.ts";
import { formRules } from "./form_rules.ts";
import { handlerHeaders } from "../../exchange/request_header.ts";
import type { Format } from "../../../pages/formats/format.ts";
import { charsetOf, isJSONStream, mediaTypeOf } from "../../../http/headers/content_type.ts";
import { builtIn, findFormat, type FormatName, formatOf } from "./formats.ts";
import { inLanguage } from "./issue_messages.ts";

/** Reads the body in one of these formats. */
export async function readFormat<C, T>(
  exchange: Exchange<C>,
  name: FormatName,
  schema?: StandardSchema<T>,
  options: JSONOptions = {},
): Promise<Result<T>> {
  const type = handlerHeaders(exchange).get("content-type") ?? "";
  const format = builtIn[name];
  if (takesAnyType(options) || formatOf([format], mediaTypeOf(type)) !== undefined) {
    return await readIn(exchange, format, type, schema);
  }
  return [undefined, unsupportedBody(`its content type is not ${format.Name}`, ` as ${format.Name}`)];
}

async function readIn<C, T>(
  exchange: Exchange<C>,
  format: Format,
  type: string,
  schema?: StandardSchema<T>,
): Promise<Result<T>> {
  try {
    const value = await parse(format, await readerOf(bodyOf(exchange)).document(format.Name), charsetOf(type));
    const isTyped = schema !== undefined && format.IsText === true;
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
    return await readQuery(queryOf(exchange), schema, ownInputs(exchange, "query"));
  }
  // A format of the application may be a kind of JSON, such as JSON:API.
  const format = findFormat(exchange, declared, "Decode");
  if (format !== undefined) return await readIn(exchange, format, declared, schema);
  if (isJSON(declared)) return await readJSON(readerOf(bodyOf(exchange)), schema);
  if (isForm(declared)) return await readForm(readerOf(bodyOf(exchange)), schema, formRules(exchange, undefined));
  return [undefined, unsupportedBody(`its content type "${mediaTypeOf(declared)}" is not supported`)];
}

/** Reads the values of a JSON stream, one at a time. */
export async function* readJSONStream<C, T>(
  exchange: Exchange<C>,
  schema: StandardSchema<T> | undefined,
  options: JSONStreamOptions,
): AsyncGenerator<T> {
  const settings = streamSettings(options);
  if (!settings.AnyType) assertStreamType(handlerHeaders(exchange).get("content-type"));
  try {
    yield* jsonValues(readerOf(bodyOf(exchange)).chunks(), schema, settings);
  } catch (error) {
    throw inLanguage(exchange, error);
  }
}

/** Checks the content type. JSON streams have their own media types. */
function assertStreamType(type: string | null): void {
  if (!isJSONStream(mediaTypeOf(type ?? ""))) assertJSON(type);
}

/** Parses a body. Parser errors are always caused by the client's input. */
async function parse(format: Format, bytes: Uint8Array<ArrayBuffer>, charset: string): Promise<unknown> {
  try {
    return await format.Decode?.(bytes, charset);
  } catch (cause) {
    if (cause instanceof HTTPError) throw cause;
    const reason = cause instanceof RangeError
      ? "it is nested too deeply or incomplete"
      : messageOf(cause).split("\n", 1)[0];
    throw new HTTPError(400, `Cannot read the request body as ${format.Name}: ${reason}`, { Code: "FW_BODY", cause });
  }
}
