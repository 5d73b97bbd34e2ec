/**
 * The table of all formats other than JSON and forms. Readers, writers and negotiation use only this table.
 *
 * @module
 */

import { FrameworkError } from "../../../base/errors/errors.ts";
import { mediaTypeOf } from "../../../http/headers/content_type.ts";
import type { Format } from "../../../pages/formats/format.ts";
import type { XMLOptions } from "../../../pages/formats/xml_writer.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import { msgpack, xmlReader, xmlWriter, yaml } from "../../feature_list.ts";

/** The name of a built-in format. */
export type FormatName = "XML" | "YAML" | "MsgPack";

/** A format that can be written and read. */
type WholeFormat = Required<Pick<Format, "Encode" | "Decode">> & Format;

/** The built-in formats. */
export const builtIn: Readonly<Record<FormatName, WholeFormat>> = {
  XML: {
    Name: "XML",
    Types: ["application/xml", "text/xml", "+xml"],
    IsText: true,
    Encode: (value) => encodeXML(value),
    Decode: (bytes, charset) => use(xmlReader.get(), ({ readXML }) => readXML(bytes, charset)),
  },
  YAML: {
    Name: "YAML",
    Types: ["application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml", "+yaml"],
    Encode: (value) => use(yaml.get(), ({ toYAML }) => toYAML(value)),
    Decode: (bytes, charset) => use(yaml.get(), ({ readYAML }) => readYAML(bytes, charset)),
  },
  MsgPack: {
    Name: "MessagePack",
    Types: ["application/vnd.msgpack", "application/msgpack", "application/x-msgpack", "+msgpack"],
    Encode: (value) => use(msgpack.get(), ({ toMsgPack }) => toMsgPack(value)),
    Decode: (bytes) => use(msgpack.get(), ({ fromMsgPack }) => fromMsgPack(bytes)),
  },
};

const ofFramework: readonly Format[] = Object.values(builtIn);

/** Writes XML with options. */
export function encodeXML(value: unknown, options?: XMLOptions): string | Promise<string> {
  return use(xmlWriter.get(), ({ toXML }) => toXML(value, options));
}

/** The syntax of the media types and suffixes of a format. */
const typePattern = /^(\+|[\w.+-]+\/)[\w.+-]+$/;

/**
 * Checks a format of the application, which may be an instance of a class.
 *
 * @returns The format as a row of the table.
 * @throws {FrameworkError} If the format has no valid media type, or can neither be written nor read.
 */
export function checkFormat(format: Format): Format {
  const { Name, Types, IsText } = Object(format);
  const [Encode, Decode] = [format?.Encode, format?.Decode].map((each) =>
    typeof each === "function" && each.bind(format)
  );
  if (
    !Array.isArray(Types) || !Types[0] || !Types.every((type: string) => typePattern.test(type)) || !(Encode || Decode)
  ) {
    throw new FrameworkError(
      "FW_CONFIG",
      `Cannot register the format "${Name}": it needs Types such as "application/cbor", and Encode or Decode`,
    );
  }
  return { Name, Types: Types.map((type: string) => type.toLowerCase()), IsText, Encode, Decode } as unknown as Format;
}

/** Finds a format of a content type that can be read or written. Formats of the application take precedence. */
export function findFormat<C>(
  { runtime }: Exchange<C>,
  contentType: string,
  act: "Encode" | "Decode",
): Format | undefined {
  const formats = [...runtime.formats, ...ofFramework];
  return formatOf(formats.filter((each) => each[act]), mediaTypeOf(contentType));
}

/** Returns the media types of a format, without suffixes. */
export function typesOf({ Types }: Format): readonly string[] {
  return Types.filter((type) => !type.startsWith("+"));
}

function use<Room, T>(room: Room | Promise<Room>, call: (room: Room) => T): T | Promise<T> {
  return room instanceof Promise ? room.then(call) : call(room);
}

/**
 * Finds the format of a media type.
 *
 * @param formats The formats, in order of precedence.
 * @param type The media type in lower case, without parameters.
 */
export function formatOf<F extends Pick<Format, "Types">>(formats: readonly F[], type: string): F | undefined {
  return formats.find(({ Types }) => Types.some((each) => each.startsWith("+") ? type.endsWith(each) : type === each));
}
