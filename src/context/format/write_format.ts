/**
 * Writes responses in formats other than JSON, HTML and plain text. Encoders are loaded on first use.
 *
 * @module
 */

import { urlParam } from "../../accessors/query.ts";
import { LazyModule, loadModule } from "../../async/lazy_module.ts";
import type { CapturedStack } from "../../errors/caller_frames.ts";
import { HTTPError } from "../../errors/errors.ts";
import { type Exchange, queryOf } from "../../exchange/exchange.ts";
import type { MarkdownOptions } from "../../formats/markdown.ts";
import type { XMLOptions } from "../../formats/xml_writer.ts";
import { contentTypes } from "../../http/content_type.ts";
import { addHeader, type Draft, setHeader, setType, writeDocument, writeJSON } from "../../response/draft.ts";
import { type JSONPOptions, scriptOf } from "../../response/json_options.ts";
import { assertSettled } from "../../text/json.ts";

const xml = new LazyModule(() => import("../../formats/xml_writer.ts"));
const yaml = new LazyModule(() => import("../../formats/yaml_format.ts"));
const msgpack = new LazyModule(() => import("../../formats/msgpack_format.ts"));
const markdown = new LazyModule(() => import("../../formats/markdown.ts"));

/** The encoders, by media type family. */
const families: readonly { readonly types: RegExp; write(draft: Draft, value: unknown): Promise<void> | undefined }[] =
  [
    { types: /^[^;]*[/+]json\b/i, write: (draft, value) => void writeJSON(draft, value) },
    { types: /^[^;]*[/+]xml\b/i, write: (draft, value) => writeXML(draft, value) },
    { types: /^[^;]*[/+](?:x-)?yaml\b/i, write: (draft, value) => writeYAML(draft, value) },
    { types: /^[^;]*\/(?:vnd\.|x-)?msgpack\b/i, write: (draft, value) => writeMsgPack(draft, value) },
  ];

/**
 * Responds with a value in a content type. Strings and bytes are sent unchanged unless the content type is JSON.
 *
 * @throws {HTTPError} 406 if there is no encoder for the content type.
 */
export function writeAs(draft: Draft, value: unknown, contentType: string): Promise<void> | undefined {
  const family = families.find(({ types }) => types.test(contentType));
  const isReady = typeof value === "string" || value instanceof Uint8Array;
  if (family === undefined && !isReady) {
    throw new HTTPError(406, "", { Code: "FW_RETURN", cause: `No encoder for content type "${contentType}"` });
  }
  setType(draft, contentType);
  if (family === undefined || value instanceof Uint8Array) {
    return void writeDocument(draft, value as string | Uint8Array<ArrayBuffer>, contentType);
  }
  return family.write(draft, value);
}

/** Responds with XML. */
export function writeXML(draft: Draft, value: unknown, options?: XMLOptions): Promise<void> | undefined {
  assertSettled(value, "XML");
  return withRoom(xml.get(), ({ toXML }) => writeDocument(draft, toXML(value, options), contentTypes.xml));
}

/** Responds with YAML. */
export function writeYAML(draft: Draft, value: unknown): Promise<void> | undefined {
  assertSettled(value, "YAML");
  return withRoom(yaml.get(), ({ toYAML }) => writeDocument(draft, toYAML(value), contentTypes.yaml));
}

/** Responds with MessagePack. */
export function writeMsgPack(draft: Draft, value: unknown): Promise<void> | undefined {
  assertSettled(value, "MessagePack");
  return withRoom(msgpack.get(), ({ toMsgPack }) => writeDocument(draft, toMsgPack(value), contentTypes.msgpack));
}

/** Renders Markdown and responds with HTML. */
export function writeMarkdown<C>(
  { draft, runtime }: Exchange<C>,
  text: string,
  options?: MarkdownOptions,
): Promise<void> | undefined {
  return withRoom(markdown.get(), ({ toHTML }) => writeDocument(draft, toHTML(text, options), runtime.htmlType));
}

/** Responds with a script that passes a value to a function of the page. */
export function writeJSONP<C>(exchange: Exchange<C>, value: unknown, options: JSONPOptions): void {
  const { draft } = exchange;
  const callback = options.Callback ?? urlParam(queryOf(exchange), "callback");
  writeDocument(draft, scriptOf(value, callback, options.Indent), contentTypes.script);
  setHeader(draft, "x-content-type-options", "nosniff");
  if (options.Callback === undefined) addHeader(draft, "cross-origin-resource-policy", "cross-origin");
}

function withRoom<Room>(room: Room | Promise<Room>, use: (room: Room) => void): Promise<void> | undefined {
  if (room instanceof Promise) {
    const caller = {};
    Error.captureStackTrace(caller, withRoom);
    return useLater(room, use, caller);
  }
  use(room);
  return undefined;
}

/**
 * Uses an encoder after it has been loaded. By then, the handler is no longer on the stack, so its frames are added to
 * errors.
 */
async function useLater<Room>(room: Promise<Room>, use: (room: Room) => void, caller: CapturedStack): Promise<void> {
  const loaded = await room;
  try {
    use(loaded);
  } catch (error) {
    const { appendFrames } = await loadModule(() => import("../../errors/caller_frames.ts"));
    appendFrames(error, caller);
    throw error;
  }
}
