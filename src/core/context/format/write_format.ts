/**
 * Writes responses in formats other than JSON, HTML and plain text. Encoders are loaded on first use.
 *
 * @module
 */

import { urlParam } from "../../accessors/query.ts";
import { loadModule } from "../../../base/async/lazy_module.ts";
import { isThenable } from "../../../base/async/thenable.ts";
import { checkText, readOptions } from "../../../base/config/option_table.ts";
import type { CapturedStack } from "../../../base/errors/caller_frames.ts";
import { FrameworkError } from "../../../base/errors/errors.ts";
import { isJSON } from "../../../http/body/source/body_type.ts";
import { type Exchange, queryOf } from "../../exchange/exchange.ts";
import type { Document, Format } from "../../../pages/formats/format.ts";
import type { MarkdownOptions } from "../../../pages/formats/markdown.ts";
import type { XMLOptions } from "../../../pages/formats/xml_writer.ts";
import { contentTypes } from "../../../http/headers/content_type.ts";
import { addHeader, type Draft, setHeader, setType, writeDocument, writeJSON } from "../../../http/response/draft.ts";
import { type JSONPOptions, scriptOf, scriptTable } from "../../../http/response/json_options.ts";
import { assertSettled } from "../../../base/text/json.ts";
import { markdown } from "../../feature_list.ts";
import { builtIn, encodeXML, findFormat } from "./formats.ts";

/**
 * Responds with a value in a content type. Strings and bytes are sent unchanged unless the content type is JSON.
 *
 * @throws {FrameworkError} If there is no format for the content type.
 */
export function writeAs<C>(exchange: Exchange<C>, value: unknown, contentType: string): Promise<void> | undefined {
  const { draft } = exchange;
  const format = findFormat(exchange, contentType, "Encode");
  if (format === undefined && isJSON(contentType)) {
    setType(draft, contentType);
    return void writeJSON(draft, value);
  }
  if (value instanceof Uint8Array || (typeof value === "string" && format === undefined)) {
    return void writeDocument(draft, value as Document, contentType);
  }
  return writeIn(draft, format, value, contentType);
}

/** Responds with XML. */
export function writeXML(draft: Draft, value: unknown, options?: XMLOptions): Promise<void> | undefined {
  return writeIn(draft, { Name: "XML", Encode: (each) => encodeXML(each, options) }, value, contentTypes.xml);
}

/** Responds with YAML. */
export function writeYAML(draft: Draft, value: unknown): Promise<void> | undefined {
  return writeIn(draft, builtIn.YAML, value, contentTypes.yaml);
}

/** Responds with MessagePack. */
export function writeMsgPack(draft: Draft, value: unknown): Promise<void> | undefined {
  return writeIn(draft, builtIn.MsgPack, value, contentTypes.msgpack);
}

function writeIn(
  draft: Draft,
  format: Pick<Format, "Name" | "Encode"> | undefined,
  value: unknown,
  contentType: string,
): Promise<void> | undefined {
  const { Name, Encode } = format ?? {};
  if (Name === undefined || Encode === undefined) {
    throw unsendable(contentType, "there is no format for it, register one with app.RegisterFormat");
  }
  assertSettled(value, Name);
  return whenReady(Encode(value), (document) => {
    if (typeof document !== "string" && !(document instanceof Uint8Array)) {
      throw unsendable(contentType, `Encode of ${Name} returned neither a string nor bytes`);
    }
    writeDocument(draft, document, contentType);
  });
}

function unsendable(contentType: string, reason: string): FrameworkError {
  return new FrameworkError("FW_RETURN", `Cannot send a value as "${contentType}": ${reason}`);
}

/** Renders Markdown and responds with HTML. */
export function writeMarkdown<C>(
  { draft, runtime }: Exchange<C>,
  text: string,
  options?: MarkdownOptions,
): Promise<void> | undefined {
  checkText(text, "text", "Markdown");
  return whenReady(markdown.get(), ({ toHTML }) => writeDocument(draft, toHTML(text, options), runtime.htmlType));
}

/** Responds with a script that passes a value to a function of the page. */
export function writeJSONP<C>(exchange: Exchange<C>, value: unknown, options: JSONPOptions): void {
  readOptions(scriptTable, options);
  const { draft } = exchange;
  const callback = options.Callback ?? urlParam(queryOf(exchange), "callback");
  writeDocument(draft, scriptOf(value, callback, options.Indent), contentTypes.script);
  setHeader(draft, "x-content-type-options", "nosniff");
  if (options.Callback === undefined) addHeader(draft, "cross-origin-resource-policy", "cross-origin");
}

function whenReady<T>(ready: T | Promise<T>, use: (value: T) => void): Promise<void> | undefined {
  if (!isThenable(ready)) return void use(ready);
  const caller = {};
  Error.captureStackTrace(caller, whenReady);
  return useLater(ready, use, caller);
}

/**
 * Uses a document when its encoder has been loaded. By then, the handler is no longer on the stack, so its frames are
 * added to errors.
 */
async function useLater<T>(ready: Promise<T>, use: (value: T) => void, caller: CapturedStack): Promise<void> {
  try {
    use(await ready);
  } catch (error) {
    const { appendFrames } = await loadModule(() => import("../../../base/errors/caller_frames.ts"));
    appendFrames(error, caller);
    throw error;
  }
}
