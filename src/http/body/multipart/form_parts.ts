/**
 * The parts of a multipart form as streams, one after another, in constant memory.
 *
 * @module
 */

import { FrameworkError } from "../../../base/errors/errors.ts";
import { FileHeader } from "../form/file_header.ts";
import { safeName } from "../form/safe_name.ts";
import { checkField, tooLarge } from "../source/body_errors.ts";
import type { MultipartReader } from "./multipart_reader.ts";
import type { PartHeader } from "./part_header.ts";

/** The default maximum size of a part that is read as a string, in bytes. */
const maxText = 1 << 20;

/** A part of a multipart form: a field or a file whose content is still being received. */
export class FormPart {
  /** The name of the form field. */
  readonly Name: string;
  /** The file name, without folders or control characters. It is empty for a field. */
  readonly Filename: string;
  /** Whether the part is a file. */
  readonly IsFile: boolean;
  /** The content type, or an empty string if the part has none. */
  readonly ContentType: string;
  /** The header fields of a file. A field has only its content type. */
  readonly Header: Headers;
  /** The content. Read it before you request the next part. Otherwise, it is skipped. */
  readonly Body: ReadableStream<Uint8Array<ArrayBuffer>>;

  /**
   * Creates a part. Called by `ctx.FormParts()`.
   *
   * @ignore
   */
  constructor(header: PartHeader, body: ReadableStream<Uint8Array<ArrayBuffer>>) {
    this.Name = header.name;
    this.IsFile = header.filename !== undefined;
    const file = new FileHeader({
      field: header.name,
      filename: safeName(header.filename ?? ""),
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
   * @returns The content as a string.
   * @throws {HTTPError} With status 413 if the content is larger, or 400 if that of a field contains a NUL character.
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
    text += decoder.decode();
    if (!this.IsFile) checkField("read the multipart form", this.Name, text);
    return text;
  }
}

/** Reads the parts of a form one by one. */
export async function* formParts(reader: MultipartReader): AsyncGenerator<FormPart> {
  for (let header = await reader.next(); header !== null; header = await reader.next()) {
    const content = new PartContent(reader);
    yield new FormPart(header, new ReadableStream(content, { highWaterMark: 0 }));
    content.leave();
  }
}

/** Provides the content of a part, one chunk per read. */
class PartContent implements UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> {
  readonly #reader: MultipartReader;
  #isCurrent = true;

  constructor(reader: MultipartReader) {
    this.#reader = reader;
  }

  async pull(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): Promise<void> {
    if (!this.#isCurrent) {
      const message = "Cannot read the part: it was skipped because the next part was requested";
      return controller.error(new FrameworkError("FW_STATE", message));
    }
    const chunk = await this.#reader.chunk();
    if (chunk === null) controller.close();
    // Copy the chunk, because the reader reuses its window.
    else controller.enqueue(chunk.slice());
  }

  /** Ends the part, so that the reader can continue with the next one. */
  leave(): void {
    this.#isCurrent = false;
  }
}
