/**
 * The parts of a multipart form as streams, one after another, in constant memory.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors.ts";
import { tooLarge } from "../body_errors.ts";
import { FileHeader } from "../file_header.ts";
import type { MultipartReader } from "./multipart_reader.ts";
import type { PartHeader } from "./part_header.ts";

/** The maximum size of a part that is read as a string, unless another limit is given. */
const maxText = 1 << 20;

/** A part of a multipart form: a field or a file, whose content is still arriving. */
export class FormPart {
  /** The name of the field. */
  readonly Name: string;
  /** The file name, without folders and control characters; empty for a field. */
  readonly Filename: string;
  /** Whether the part is a file. */
  readonly IsFile: boolean;
  /** The content type; empty if the part has none. */
  readonly ContentType: string;
  /** The header fields of a file; of a field, only its content type. */
  readonly Header: Headers;
  /** The content. It must be read before the next part is requested; what is left of it is skipped then. */
  readonly Body: ReadableStream<Uint8Array<ArrayBuffer>>;

  /**
   * Created by `ctx.FormParts()`.
   *
   * @ignore
   */
  constructor(header: PartHeader, body: ReadableStream<Uint8Array<ArrayBuffer>>) {
    this.Name = header.name;
    this.IsFile = header.filename !== undefined;
    const file = new FileHeader({
      field: header.name,
      filename: header.filename ?? "",
      type: header.type,
      block: header.block,
    });
    this.Filename = file.Filename;
    this.Header = file.Header;
    if (!this.IsFile && header.type !== "") this.Header.set("content-type", header.type);
    this.ContentType = header.type;
    this.Body = body;
  }

  /**
   * Reads the content as UTF-8.
   *
   * @param limit The maximum size, in bytes. Defaults to 1 MiB.
   * @returns The content.
   * @throws {HTTPError} 413 if the content is larger.
   */
  async Text(limit: number = maxText): Promise<string> {
    const decoder = new TextDecoder();
    let text = "";
    let size = 0;
    for await (const chunk of this.Body) {
      size += chunk.length;
      if (size > limit) {
        throw tooLarge("read the multipart form", `the part "${this.Name}" is larger than ${limit} bytes`);
      }
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  }
}

/** Reads a form part by part. */
export async function* formParts(reader: MultipartReader): AsyncGenerator<FormPart> {
  for (let header = await reader.next(); header !== null; header = await reader.next()) {
    const content = new PartContent(reader);
    yield new FormPart(header, new ReadableStream(content, { highWaterMark: 0 }));
    content.leave();
  }
}

/** Feeds the stream of one part, a chunk whenever one is asked for. */
class PartContent implements UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> {
  readonly #reader: MultipartReader;
  #isCurrent = true;

  constructor(reader: MultipartReader) {
    this.#reader = reader;
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): Promise<void> {
    if (!this.#isCurrent) {
      const message = "Cannot read the part: the next part was requested, and this one was skipped";
      return controller.error(new FrameworkError("FW_STATE", message));
    }
    const chunk = await this.#reader.chunk();
    if (chunk === null) controller.close();
    // The window of the reader is used again for what follows.
    else controller.enqueue(chunk.slice());
  }

  /** Ends the part: the reader goes on to the next one. */
  leave(): void {
    this.#isCurrent = false;
  }
}
