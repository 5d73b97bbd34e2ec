/**
 * The body of one request: the only place that reads it.
 *
 * Every accessor reads through it, so every byte is counted once, and what one has read serves the others as far as it
 * is kept.
 *
 * @module
 */

import { FrameworkError, HTTPError } from "../base/errors.ts";
import { LazyRoom } from "../base/lazy_room.ts";
import { parseLossless } from "../base/lossless_json.ts";
import { BodyClock } from "./body_clock.ts";
import { jsonTooLarge } from "./body_errors.ts";
import { type BodyLimits, defaultLimits, maxHeld, windowSize } from "./body_limits.ts";
import { assertJSON, isUrlencoded, multipartBoundary } from "./body_type.ts";
import { contentCoding, unsupportedCoding } from "./content_coding.ts";
import { assertLength, declaredLength } from "./content_length.ts";
import { countedRequest } from "./counted_request.ts";
import type { Form } from "./form.ts";
import type { FormPart } from "./multipart/form_parts.ts";
import { bytesOf, parseJSON, readAll, readShort, readShortText, type ShortBody } from "./read_whole.ts";
import { Source } from "./source.ts";
import type { FileStore } from "./spill_store.ts";
import { unpackedSource } from "./unpacked_source.ts";
import type { IncomingFiles, StreamedFiles } from "./upload/incoming_files.ts";

/**
 * A declared body up to this length is read whole and parsed where it lies, a longer or undeclared one is streamed. It
 * is the size of the window that streaming would take, and whole is cheaper up to there: 190 µs of CPU per request
 * instead of 365 at 4 KB, 335 instead of 480 at 60 KB, 665 instead of 855 at 250 KB.
 */
const wholeBelow = windowSize;

const forms = new LazyRoom(() => import("./form_body.ts"));

const methodsWithForm: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);

/** The body of one request. Creating it costs nothing: the request is touched when something is asked for. */
export class Body {
  readonly #request: Request;
  readonly #limits: BodyLimits;
  /** The limit that the route set; without one, that of the application counts. */
  #limit: number | undefined = undefined;
  #maxJSON: number;
  #isUnpacking = false;
  #length: number | undefined = undefined;
  #source: Source | undefined = undefined;
  #store: FileStore | undefined = undefined;
  #bytes: Promise<Uint8Array<ArrayBuffer>> | undefined = undefined;
  /** What a short body holds, if it was read as text first. */
  #text: Promise<string> | undefined = undefined;
  /** What a short body holds, if it was read as JSON first, and its text. */
  #json: Promise<unknown> | undefined = undefined;
  #kept: string | undefined = undefined;
  #form: Promise<Form> | undefined = undefined;
  #streamed: StreamedFiles | undefined = undefined;
  #counted: Request | undefined = undefined;

  /**
   * Creates the body of a request.
   *
   * @param request The request.
   * @param limits What it may cost.
   */
  constructor(request: Request, limits: BodyLimits = defaultLimits) {
    this.#request = request;
    this.#limits = limits;
    this.#maxJSON = limits.maxJSON;
  }

  /**
   * Limits the size of the body, in place of the application's limit; of several limits the smallest counts. A declared
   * length over it fails at once.
   *
   * @param max How many bytes may come.
   */
  limit(max: number): void {
    if (!(max >= 0)) {
      throw new FrameworkError("FW_CONFIG", `Cannot limit the request body: "${max}" is not a number from 0 up`);
    }
    this.#limit = Math.min(this.#limit ?? Infinity, max);
    if (this.#source !== undefined) this.#source.limit = Math.min(this.#source.limit, max);
    const { method } = this.#request;
    // A body is rare there, and is still counted when it is read; asking for headers costs every other request 3 µs.
    if (method !== "GET" && method !== "HEAD") assertLength(this.#declared(), this.#limit);
  }

  /**
   * Sets how many bytes the body may have if it is read as JSON, in place of the application's limit.
   *
   * @param max How many bytes.
   */
  limitJSON(max: number): void {
    if (!(max >= 0)) {
      throw new FrameworkError("FW_CONFIG", `Cannot limit JSON to "${max}" bytes: it must be a non-negative number`);
    }
    this.#maxJSON = max;
  }

  /**
   * Decompresses the body if it is compressed. The limits apply to the compressed and to the decompressed body. Without
   * this call, a compressed body is neither text, JSON nor a form.
   */
  unpack(): void {
    this.#isUnpacking = true;
  }

  /**
   * Reads the whole body into memory: as much as `limit` allows, or as a form may hold where no limit is set.
   *
   * @returns The bytes, the same at every call.
   */
  bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return this.#bytes ??= this.#text === undefined
      ? this.#json === undefined ? this.#readWhole(this.#maxWhole()) : this.#afterJSON().then(this.#toBytes())
      : this.#text.then(this.#toBytes());
  }

  /**
   * Reads the body piece by piece, decompressed. What was read before comes in one piece.
   *
   * @returns The pieces; each is valid until the next one is read.
   */
  async *chunks(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    this.#assertCoding();
    if (this.#isTouched()) return yield await this.bytes();
    const source = this.#openSource();
    let target = new Uint8Array(windowSize);
    for (let chunk = await source.read(target); chunk !== null; chunk = await source.read(target)) {
      yield chunk;
      // A read gives the buffer away and returns it under its bytes.
      target = chunk.buffer.byteLength === windowSize ? new Uint8Array(chunk.buffer) : target;
      if (target.buffer.byteLength === 0) target = new Uint8Array(windowSize);
    }
  }

  /**
   * Reads the whole body into memory, decompressed.
   *
   * @returns The bytes. A body that is compressed and not unpacked fails with 415.
   */
  async decoded(): Promise<Uint8Array<ArrayBuffer>> {
    this.#assertCoding();
    return await this.bytes();
  }

  /**
   * Reads the whole body as UTF-8.
   *
   * @returns The text, without its byte order mark.
   */
  async text(): Promise<string> {
    return await this.#readText();
  }

  /**
   * Reads the whole body as JSON.
   *
   * @param options Whether a body that declares another content type is read too. A form on another site can send JSON
   * under one of the types that browsers let it send, and that is what keeps it out.
   * @returns What it holds.
   */
  async json(options: { readonly isAnyType: boolean } = { isAnyType: false }): Promise<unknown> {
    if (!options.isAnyType) assertJSON(this.#request.headers.get("content-type"));
    // Another reader may have changed what it got.
    if (this.#json !== undefined) return structuredClone(await this.#json);
    return parseJSON(await this.#jsonText());
  }

  /**
   * Reads the whole body as JSON, of whatever type. One promise lies between the platform's and the caller.
   *
   * @returns What it holds, the same at every call.
   */
  jsonOnly(): Promise<unknown> {
    if (this.#json !== undefined) return this.#json;
    this.#assertCoding();
    const isLong = !this.#isShort() || this.#declared() > this.#maxJSON;
    if (isLong || this.#isTouched() || this.#counted !== undefined) return this.json({ isAnyType: true });
    return this.#json = readShortText(this.#short(this.#maxWhole()), (text) => parseJSON(this.#kept = text));
  }

  /**
   * Reads the whole body as JSON, of whatever type, with a bigint for each integer that a number cannot hold.
   *
   * @returns What it holds.
   */
  async losslessJSON(): Promise<unknown> {
    return parseJSON(await this.#jsonText(), parseLossless);
  }

  /**
   * Reads the body as a form. A body of another kind is a form without fields, and is not touched.
   *
   * @returns The form, the same at every call.
   */
  form(): Promise<Form> {
    return this.#streamed?.form() ?? (this.#form ??= this.#readForm());
  }

  /**
   * The files of the form, one after another; straight from the connection if nothing was read of the body yet.
   *
   * @returns The files.
   */
  async files(): Promise<IncomingFiles> {
    const room = await forms.get();
    if (this.#streamed?.isUntouched) return this.#streamed;
    const isFirst = !this.#isTouched() && this.#streamed === undefined;
    const boundary = isFirst ? multipartBoundary(this.#request.headers.get("content-type")) : undefined;
    if (boundary !== undefined) this.#assertCoding();
    if (boundary === undefined || this.#isShort()) return room.filesOf(await this.form());
    const store = this.#store ??= room.createStore(this.#limits);
    return this.#streamed = room.streamFiles({ body: this.#openSource(), boundary, limits: this.#limits, store });
  }

  /**
   * Reads the fields of the form up to its first file, of which nothing is read; the files can still be streamed. A
   * short form is read whole.
   *
   * @returns The fields, and whether they are all.
   */
  async leadingFields(): Promise<{ values: Form["values"]; isWhole: boolean }> {
    const isFirst = !this.#isTouched() && this.#streamed === undefined;
    if (isFirst) await this.files();
    if (this.#streamed === undefined) return { values: (await this.form()).values, isWhole: true };
    const { form, isWhole } = await this.#streamed.leadingFields();
    return { values: form.values, isWhole };
  }

  /**
   * Reads the parts of a multipart form as streams, straight from the connection.
   *
   * @returns The parts. They can be read once, and only if nothing else has read the body.
   */
  async *parts(): AsyncGenerator<FormPart> {
    const boundary = multipartBoundary(this.#request.headers.get("content-type"));
    if (boundary === undefined) {
      throw new HTTPError(415, "Cannot read the parts: the request body is not a multipart form", { Code: "FW_BODY" });
    }
    if (this.#isTouched() || this.#streamed !== undefined) {
      throw new FrameworkError("FW_STATE", "Cannot stream the parts: the request body has already been read");
    }
    this.#assertCoding();
    const source = this.#openSource();
    const room = await forms.get();
    yield* room.streamParts({ body: source, boundary, limits: this.#limits });
  }

  /**
   * The request for readers outside of fw: where the size is limited, its body is counted.
   *
   * @returns The request, the same at every call.
   */
  handOut(): Request {
    if (this.#isTouched() || this.#limit === undefined || this.#request.body === null) {
      return this.#counted ?? this.#request;
    }
    return this.#counted = countedRequest(this.#request, this.#openSource());
  }

  /**
   * What is left of the body for another reader, once a form that is being read is there: all of it, what was kept, or
   * nothing.
   */
  async remains(): Promise<"all" | "bytes" | "json" | "form" | "nothing"> {
    // A body of another kind is a form without fields, and is left untouched.
    const form = this.#streamed?.form() ?? this.#form;
    await form;
    if (this.#bytes !== undefined || this.#text !== undefined) return "bytes";
    if (this.#json !== undefined) return "json";
    if (this.#source !== undefined && form !== undefined) return "form";
    const { body, bodyUsed } = this.#counted ?? this.#request;
    return bodyUsed || body?.locked ? "nothing" : "all";
  }

  /** True if nothing has asked for the body yet. */
  get isUntouched(): boolean {
    return !this.#isTouched() && this.#streamed === undefined && !this.#request.bodyUsed;
  }

  /** True if the bytes that are read are not those that the client sent, which were compressed. */
  get isUnpacked(): boolean {
    return this.#isPacked();
  }

  /**
   * The bytes as they come, for a reader outside of fw: counted and timed as fw itself reads them.
   *
   * @returns The stream; `null` if the request has no body.
   */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>> | null {
    if (this.#request.body === null) return null;
    return (this.#counted ??= countedRequest(this.#request, this.#openSource())).body;
  }

  /** How many bytes were read of a body that does not say its length. */
  get received(): number {
    return this.#source?.count ?? 0;
  }

  /** True if there is anything to let go of when the request ends: most bodies are read whole and leave nothing. */
  get isHeld(): boolean {
    return this.#source?.isOpen === true || this.#store?.isOnDisk === true;
  }

  /** Lets go of all that the body holds, however the request ended. */
  close(): void {
    this.#source?.cancel();
    this.#store?.close();
  }

  #isTouched(): boolean {
    return this.#source !== undefined || this.#bytes !== undefined || this.#text !== undefined ||
      this.#json !== undefined || this.#form !== undefined;
  }

  #toBytes(): (text: string) => Uint8Array<ArrayBuffer> {
    return (text) => bytesOf(text, this.#declared());
  }

  /** The text of a body that was read as JSON. */
  async #afterJSON(): Promise<string> {
    // A text that is not JSON was read all the same.
    await this.#json?.catch((error) => this.#kept ?? Promise.reject(error));
    return this.#kept ?? "";
  }

  /** The text of the body, which is not read further than JSON may go. */
  async #jsonText(): Promise<string> {
    const max = this.#maxJSON;
    if (this.#declared() > max) throw jsonTooLarge(max);
    const isNew = !this.#isTouched() && this.#counted === undefined && !this.#isShort();
    if (isNew && max < this.#maxWhole()) {
      this.#bytes = this.#readLong(max).catch((error) => Promise.reject(asJSONError(error, max)));
    }
    const text = await this.#readText();
    if (text.length > max) throw jsonTooLarge(max);
    return text;
  }

  #readText(): Promise<string> {
    if (this.#text !== undefined) return this.#text;
    if (this.#json !== undefined) return this.#afterJSON();
    this.#assertCoding();
    if (this.#isTouched() || !this.#isShort()) return this.bytes().then(decode);
    return this.#text = readShortText(this.#short(this.#maxWhole()), (text) => text);
  }

  #readWhole(max: number): Promise<Uint8Array<ArrayBuffer>> {
    return this.#source === undefined && this.#isShort() ? readShort(this.#short(max)) : this.#readLong(max);
  }

  #short(limit: number): ShortBody {
    const clock = new BodyClock(this.#limits.timeout);
    return { request: this.#request, declared: this.#declared(), limit, clock };
  }

  async #readLong(max: number): Promise<Uint8Array<ArrayBuffer>> {
    if (this.#source !== undefined) {
      throw new FrameworkError("FW_STATE", "Cannot read the request body: it was streamed and is not kept");
    }
    return await readAll(this.#openSource(max));
  }

  async #readForm(): Promise<Form> {
    const opened = forms.get();
    const room = opened instanceof Promise ? await opened : opened;
    const { headers, method } = this.#request;
    const type = headers.get("content-type");
    if (type === null) return room.emptyForm();
    if (isUrlencoded(type)) {
      if (!methodsWithForm.has(method)) return room.emptyForm();
      this.#assertCoding();
      this.#bytes ??= this.#readWhole(Math.min(this.#max(), this.#limits.maxFormSize));
      return room.readUrlencoded(await this.#bytes, this.#limits);
    }
    const boundary = multipartBoundary(type);
    if (boundary === undefined) return room.emptyForm();
    this.#assertCoding();
    if (this.#bytes === undefined && this.#isShort()) this.#bytes = this.#readWhole(this.#max());
    const body = this.#bytes === undefined ? this.#openSource() : await this.#bytes;
    const store = this.#store ??= room.createStore(this.#limits);
    return await room.readMultipart({ body, boundary, limits: this.#limits, store });
  }

  #openSource(max: number = this.#max()): Source {
    assertLength(this.#declared(), max);
    const source = new Source(this.#request, {
      limit: max,
      clock: new BodyClock(this.#limits.timeout),
      isChunked: this.#request.headers.has("transfer-encoding"),
    });
    return this.#source = this.#isPacked() ? unpackedSource(source, contentCoding(this.#request.headers)) : source;
  }

  /** Reports whether the bytes must be unpacked to be read. */
  #isPacked(): boolean {
    return this.#isUnpacking && contentCoding(this.#request.headers) !== "";
  }

  #assertCoding(): void {
    const coding = this.#isUnpacking ? "" : contentCoding(this.#request.headers);
    if (coding !== "") throw unsupportedCoding(coding);
  }

  /** How many bytes may be read whole. */
  #maxWhole(): number {
    return this.#limit ?? maxHeld(this.#limits);
  }

  #max(): number {
    return this.#limit ?? this.#limits.maxBody;
  }

  #isShort(): boolean {
    const length = this.#isPacked() ? -1 : this.#declared();
    return length >= 0 && length <= Math.min(wholeBelow, this.#limits.postMaxMemory);
  }

  #declared(): number {
    return this.#length ??= declaredLength(this.#request.headers);
  }
}

/** Tells by which option the limit is raised. */
function asJSONError(error: unknown, max: number): unknown {
  return error instanceof HTTPError && error.Status === 413 ? jsonTooLarge(max) : error;
}

function decode(bytes: Uint8Array<ArrayBuffer>): string {
  return new TextDecoder().decode(bytes);
}
