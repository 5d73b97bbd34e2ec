/**
 * Reads the request body. All other modules read it through this one, which is loaded with the first body.
 *
 * Every accessor reads through this class, so each byte is counted once. If one accessor has read and stored the data,
 * the others can use it too.
 *
 * @module
 */

import { LazyModule } from "../../base/async/lazy_module.ts";
import { FrameworkError, HTTPError } from "../../base/errors/errors.ts";
import { parseLossless } from "../../base/text/lossless_json.ts";
import type { Form } from "./form/form.ts";
import type { FileStore } from "./form/spill_store.ts";
import type { FormPart } from "./multipart/form_parts.ts";
import { BodyClock } from "./source/body_clock.ts";
import { jsonFailure, jsonTooLarge } from "./source/read_errors.ts";
import { type BodyReading, BodyTerms } from "./body_terms.ts";
import { type BodyLimits, defaultLimits, maxHeld, windowSize } from "./source/body_limits.ts";
import { assertJSON, contentCoding, multipartBoundary, unsupportedCoding, wrongType } from "./source/expected_type.ts";
import { isForm, isUrlencoded } from "./source/body_type.ts";
import { assertLength, declaredLength } from "./source/content_length.ts";
import { storedRequest } from "./source/counted_request.ts";
import { bytesOf, readAll, readShort, readShortText, type ShortBody } from "./source/read_bytes.ts";
import { parseJSON } from "./source/parse_json.ts";
import { Source } from "./source/source.ts";
import { unpackedSource } from "./source/unpacked_source.ts";
import type { IncomingFiles, StreamedFiles } from "./upload/incoming_files.ts";

/**
 * The maximum declared length of a body that is read whole and parsed in place. Longer bodies and bodies without a
 * declared length are streamed. This is the size of the window that streaming would use. Up to this size, reading the
 * whole body is cheaper: 190 µs of CPU time per request instead of 365 µs at 4 KB, 335 µs instead of 480 µs at 60 KB,
 * and 665 µs instead of 855 µs at 250 KB.
 */
const wholeBelow = windowSize;

const forms = new LazyModule(() => import("./form_body.ts"));

const methodsWithForm: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"]);
/** The requests that are read as forms, because a client has sent them with such a method, which was overridden. */
const sentAsForms = new WeakSet<Request>();

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * The states of a body. It is left untouched by exactly one of the others, and a read that fails stays in its state, so
 * that later reads fail with the same error.
 */
type State =
  | { readonly is: "untouched" } & Held
  /** The whole body, as it was read first: as bytes, as text, or as JSON. Text and JSON become bytes if necessary. */
  | { readonly is: "stored"; bytes?: Promise<Bytes>; readonly text?: Promise<string>; readonly json?: ShortJSON } & Held
  /** A long multipart form, of which only the fields and files are stored, or whose files are taken one by one. */
  | { readonly is: "form"; readonly source: Source; readonly files?: StreamedFiles } & Held
  /** A body that is passed on as it arrives. Nothing is stored. */
  | { readonly is: "streamed"; readonly source: Source } & Held;

/** A short body that was read as JSON, and its text once it has arrived. */
interface ShortJSON {
  readonly value: Promise<unknown>;
  readonly kept: { text?: string };
}

/** The resources of a state that are released when the request ends. */
type Held = { readonly source?: Source; store?: FileStore };

type In<Name extends State["is"]> = Extract<State, { readonly is: Name }>;

/** The state of all bodies that nothing has read. */
const untouched: State = Object.freeze({ is: "untouched" });

/** Returns the reader of a request body. */
export function readerOf(terms: BodyTerms): Body {
  return terms.reading instanceof Body ? terms.reading : new Body(terms.request, terms.limits, terms);
}

/** The reader of a request body. */
export class Body implements BodyReading {
  readonly #request: Request;
  readonly #limits: BodyLimits;
  /** The limits that middleware has set, also while the body is read. */
  readonly terms: BodyTerms;
  #state: State = untouched;
  #length: number | undefined = undefined;
  /** The form that was read from the state. If the body is not a form, it has no fields, and the body is not read. */
  #form: Promise<Form> | undefined = undefined;
  /** The request for code outside fw after the body was read. */
  #stored: Request | undefined = undefined;

  /**
   * Creates the reader of a request body.
   *
   * @param request The request.
   * @param limits The limits for the body.
   * @param terms The settings of the body.
   */
  constructor(
    request: Request,
    limits: BodyLimits = defaultLimits,
    terms: BodyTerms = new BodyTerms(request, limits),
  ) {
    this.#request = request;
    this.#limits = limits;
    this.terms = terms;
    terms.reading = this;
  }

  /** Lowers the limit of a body that is being read. */
  limitSource(max: number): void {
    const { source } = this.#state;
    if (source !== undefined) source.limit = Math.min(source.limit, max);
  }

  /**
   * Reads the whole body into memory, up to the limit. If no limit is set, the limit for forms applies.
   *
   * @returns The bytes, which are the same for every call.
   */
  async bytes(): Promise<Bytes> {
    return await this.#bytesOf(this.#store(this.#maxWhole()));
  }

  /**
   * Reads the body in decompressed chunks. Data that has already been read is returned as one chunk.
   *
   * @returns The chunks. A chunk is valid until the next one is read.
   */
  async *chunks(): AsyncGenerator<Bytes> {
    this.#assertCoding();
    if (this.#state.is !== "untouched") return yield await this.bytes();
    const { source } = this.#enter({ is: "streamed", source: this.#openSource() });
    let target = new Uint8Array(windowSize);
    for (let chunk = await source.read(target); chunk !== null; chunk = await source.read(target)) {
      yield chunk;
      // The read transferred the buffer and returned it with the bytes.
      target = chunk.buffer.byteLength === windowSize ? new Uint8Array(chunk.buffer) : target;
      if (target.buffer.byteLength === 0) target = new Uint8Array(windowSize);
    }
  }

  /**
   * Reads and decompresses the whole body for a parser. The limit for JSON applies.
   *
   * @param format The name of the format, for the error message.
   * @returns The bytes.
   * @throws {HTTPError} With status 415 if the body is compressed and `unpack` was not called.
   */
  async document(format: string): Promise<Bytes> {
    this.#assertCoding();
    const max = this.terms.maxJSON;
    this.#readUpTo(max, format);
    const bytes = await this.bytes();
    if (bytes.length > max) throw jsonTooLarge(max, format);
    return bytes;
  }

  /**
   * Reads the whole body as UTF-8.
   *
   * @returns The text, without its byte order mark.
   */
  async text(): Promise<string> {
    this.#assertCoding();
    if (this.#state.is === "untouched" && this.#isShort()) {
      this.#enter({ is: "stored", text: readShortText(this.#short(this.#maxWhole()), (text) => text) });
    }
    return await textOf(this.#store(this.#maxWhole()));
  }

  /**
   * Parses the whole body as JSON.
   *
   * @param options Whether to accept a body with another content type. Rejecting such a body prevents attacks in which
   * a form on another site sends JSON with a content type that browsers allow for forms.
   * @returns The parsed value.
   */
  async json(options: { readonly isAnyType: boolean } = { isAnyType: false }): Promise<unknown> {
    if (!options.isAnyType) assertJSON(this.#request.headers.get("content-type"));
    // Another reader may have modified the value it got.
    const known = this.#knownJSON();
    return known !== undefined ? structuredClone(await known) : parseJSON(await this.#jsonText());
  }

  /**
   * Parses the whole body as JSON, regardless of its content type. There is only one promise between the platform and
   * the caller.
   *
   * @returns The parsed value, which is the same for every call.
   */
  jsonOnly(): Promise<unknown> {
    const known = this.#knownJSON();
    if (known !== undefined) return known;
    this.#assertCoding();
    const isFirst = this.#state.is === "untouched" && this.#isShort() && this.#declared() <= this.terms.maxJSON;
    if (!isFirst) return this.json({ isAnyType: true });
    const kept: { text?: string } = {};
    const value = readShortText(this.#short(this.#maxWhole()), (text) => parseJSON(kept.text = text));
    this.#enter({ is: "stored", json: { value, kept } });
    return value;
  }

  /** Returns the value, if the body was read as JSON first. */
  #knownJSON(): Promise<unknown> | undefined {
    return this.#state.is === "stored" ? this.#state.json?.value : undefined;
  }

  /**
   * Parses the whole body as JSON, regardless of its content type, with bigints for integers that a number cannot
   * represent.
   *
   * @returns The parsed value.
   */
  async losslessJSON(): Promise<unknown> {
    return parseJSON(await this.#jsonText(), parseLossless);
  }

  /**
   * Reads the body as a form. A body of another type is not read and results in a form without fields.
   *
   * @returns The form, which is the same for every call.
   */
  form(): Promise<Form> {
    return this.#files?.form() ?? (this.#form ??= this.#readForm());
  }

  /**
   * Reads the body as a form. A missing body is a form without fields.
   *
   * @returns The form, which is the same for every call.
   * @throws {HTTPError} With status 415 if there is a body of another type.
   */
  async submittedForm(): Promise<Form> {
    const type = this.#request.headers.get("content-type");
    // Over a connection, every request except GET and HEAD has a body stream, and only reading it shows if it is empty.
    const isEmpty = type === null && (this.#request.body === null || (await this.bytes()).length === 0);
    if (!isEmpty && (type === null || !isForm(type))) throw wrongType("a form");
    return await this.form();
  }

  /**
   * Returns the files of the form one by one. If nothing has been read yet, they are streamed from the connection.
   *
   * @returns The uploaded files.
   */
  async files(): Promise<IncomingFiles> {
    const room = await forms.get();
    if (this.#files?.isUntouched) return this.#files;
    const boundary = this.#state.is === "untouched" ? this.#boundary() : undefined;
    if (boundary !== undefined) this.#assertCoding();
    if (boundary === undefined || this.#isShort()) return room.filesOf(await this.form());
    const [source, store] = [this.#openSource(), room.createStore(this.#limits)];
    const files = room.streamFiles({ body: source, boundary, limits: this.#limits, store });
    this.#enter({ is: "form", files, source, store });
    return files;
  }

  /** Returns the files that are taken one by one, if there are any. */
  get #files(): StreamedFiles | undefined {
    return this.#state.is === "form" ? this.#state.files : undefined;
  }

  /**
   * Reads the form fields up to the first file. The files are not read and can still be streamed. A short form is read
   * completely.
   *
   * @returns The fields, and whether these are all fields of the form.
   */
  async leadingFields(): Promise<{ values: Form["values"]; isWhole: boolean }> {
    if (this.#state.is === "untouched") await this.files();
    return await this.#files?.leadingFields() ?? { values: (await this.form()).values, isWhole: true };
  }

  /**
   * Streams the parts of a multipart form from the connection.
   *
   * @returns The parts. They can be read once, and only if nothing else has read the body.
   */
  async *parts(): AsyncGenerator<FormPart> {
    const boundary = this.#boundary();
    if (boundary === undefined) {
      throw new HTTPError(415, "Cannot read the parts: the request body is not a multipart form", { Code: "FW_BODY" });
    }
    if (this.#state.is !== "untouched") {
      throw new FrameworkError("FW_STATE", "Cannot stream the parts: the request body has already been read");
    }
    this.#assertCoding();
    const { source } = this.#enter({ is: "streamed", source: this.#openSource() });
    const room = await forms.get();
    yield* room.streamParts({ body: source, boundary, limits: this.#limits });
  }

  /** Returns a copy of the request with the data that was read and stored, or `undefined` if there is none. */
  storedRequest(): Request | undefined {
    return this.#state.is === "stored" ? this.#stored ??= storedRequest(this.#request, this) : undefined;
  }

  /** Reports whether something has read the body. */
  get isEntered(): boolean {
    return this.#state.is !== "untouched";
  }

  /**
   * Reports how much of the body another reader can still use, after waiting for a form that is being read. The result
   * is all of the body, the stored data, or nothing.
   */
  async remains(): Promise<"all" | "bytes" | "form" | "nothing"> {
    const { is } = this.#state;
    if (is === "form") await this.form();
    if (is !== "untouched") return is === "stored" ? "bytes" : is === "form" ? "form" : "nothing";
    const { body, bodyUsed } = this.terms.counted ?? this.#request;
    return bodyUsed || body?.locked ? "nothing" : "all";
  }

  /** Lets a request for another application be read as a form if this one can be, even if its method is another one. */
  permitForm(passed: Request): void {
    const isForm = methodsWithForm.has(this.#request.method) || sentAsForms.has(this.#request);
    if (isForm && !methodsWithForm.has(passed.method)) sentAsForms.add(passed);
  }

  /** Reports whether nothing has accessed the body yet. */
  get isUntouched(): boolean {
    return this.#state.is === "untouched" && !this.#request.bodyUsed;
  }

  /** Reports whether the body was compressed, in which case the bytes differ from those the client sent. */
  get isUnpacked(): boolean {
    return this.terms.isUnpacking && contentCoding(this.#request.headers) !== "";
  }

  /**
   * Returns the body as a stream for code outside fw, with the same size limit and timeout as in fw.
   *
   * @returns The stream, or `null` if the request has no body.
   */
  stream(): ReadableStream<Bytes> | null {
    return this.#request.body && this.terms.countedRequest().body;
  }

  /** Returns the number of bytes read from a body without a declared length. */
  get received(): number {
    return this.#state.source?.count ?? 0;
  }

  /**
   * Reports whether anything has to be released when the request ends. Most bodies are read completely and leave
   * nothing to release.
   */
  get isHeld(): boolean {
    return this.#state.source?.isOpen === true || this.#state.store?.isOnDisk === true;
  }

  /** Releases all resources of the body, regardless of how the request ended. */
  close(): void {
    this.#state.source?.cancel();
    this.#state.store?.close();
  }

  #enter<Name extends State["is"]>(state: In<Name>): In<Name> {
    this.#state = state;
    return state;
  }

  /** Returns the stored body. If the body has not been read yet, reads up to `max` bytes of it. */
  #store(max: number, failure = (error: unknown): unknown => error): In<"stored"> {
    const state = this.#state;
    if (state.is === "stored") return state;
    if (state.is !== "untouched") {
      throw new FrameworkError("FW_STATE", "Cannot read the request body: it was streamed and not stored");
    }
    if (this.#isShort()) return this.#enter({ is: "stored", bytes: readShort(this.#short(max)) });
    const source = this.#openSource(max);
    const bytes = readAll(source).catch((error) => Promise.reject(failure(error)));
    return this.#enter({ is: "stored", bytes, source });
  }

  #bytesOf(state: In<"stored">): Promise<Bytes> {
    return state.bytes ??= textOf(state).then((text) => bytesOf(text, this.#declared()));
  }

  /** Returns the text of the body, reading no more than the JSON limit allows. */
  async #jsonText(): Promise<string> {
    const max = this.terms.maxJSON;
    this.#readUpTo(max, "JSON");
    const text = await this.text();
    if (text.length > max) throw jsonTooLarge(max);
    return text;
  }

  /** Rejects a body that is too long. If its length is unknown, reading stops at the limit. */
  #readUpTo(max: number, format: string): void {
    if (this.#declared() > max) throw jsonTooLarge(max, format);
    const isLong = this.#state.is === "untouched" && !this.#isShort();
    if (isLong && max < this.#maxWhole()) this.#store(max, (error) => jsonFailure(error, max, format));
  }

  async #readForm(): Promise<Form> {
    const { headers, method } = this.#request;
    const [limits, type] = [this.#limits, headers.get("content-type") ?? ""];
    const isFields = isUrlencoded(type);
    if (isFields && (methodsWithForm.has(method) || sentAsForms.has(this.#request))) {
      this.#assertCoding();
      const bytes = await this.#bytesOf(this.#store(Math.min(this.#max(), limits.maxFormSize)));
      return (forms.loaded ?? await forms.get()).readUrlencoded(bytes, limits);
    }
    const boundary = this.#boundary();
    if (boundary === undefined) {
      if (!isFields && type !== "" && this.#request.body !== null) this.terms.onOtherType?.(type);
      return (await forms.get()).emptyForm();
    }
    this.#assertCoding();
    const isLong = this.#state.is === "untouched" && !this.#isShort();
    const state = isLong ? this.#enter({ is: "form", source: this.#openSource() }) : this.#store(this.#max());
    const body = state.is === "form" ? state.source : await this.#bytesOf(state);
    const room = await forms.get();
    const store = state.store = room.createStore(limits);
    return await room.readMultipart({ body, boundary, limits, store });
  }

  #short(limit: number): ShortBody {
    return { request: this.#request, declared: this.#declared(), limit, clock: new BodyClock(this.#limits.timeout) };
  }

  /** Opens the body for code outside fw, without checking its declared length. */
  countedSource(): Source {
    const source = this.#newSource(this.#max());
    // If fw has read the body in the meantime, reading this source fails.
    return this.#state.is === "untouched" ? this.#enter({ is: "streamed", source }).source : source;
  }

  #openSource(max: number = this.#max()): Source {
    assertLength(this.#declared(), max);
    return this.#newSource(max);
  }

  #newSource(max: number): Source {
    const source = new Source(this.#request, {
      limit: max,
      clock: new BodyClock(this.#limits.timeout),
      isChunked: this.#request.headers.has("transfer-encoding"),
    });
    return this.isUnpacked ? unpackedSource(source, contentCoding(this.#request.headers)) : source;
  }

  #boundary(): string | undefined {
    return multipartBoundary(this.#request.headers.get("content-type"));
  }

  #assertCoding(): void {
    const coding = this.terms.isUnpacking ? "" : contentCoding(this.#request.headers);
    if (coding !== "") throw unsupportedCoding(coding);
  }

  /** Returns the maximum number of bytes to read into memory. */
  #maxWhole(): number {
    return this.terms.max ?? maxHeld(this.#limits);
  }

  #max(): number {
    return this.terms.max ?? this.#limits.maxBody;
  }

  #isShort(): boolean {
    const length = this.isUnpacked ? -1 : this.#declared();
    return length >= 0 && length <= Math.min(wholeBelow, this.#limits.postMaxMemory);
  }

  #declared(): number {
    return this.#length ??= declaredLength(this.#request.headers);
  }
}

async function textOf({ bytes, text, json }: In<"stored">): Promise<string> {
  if (text !== undefined) return text;
  if (json === undefined) return new TextDecoder().decode(await bytes);
  // Even if the body is not valid JSON, it has been read.
  await json.value.catch((error) => json.kept.text ?? Promise.reject(error));
  return json.kept.text ?? "";
}
