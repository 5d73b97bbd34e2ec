/**
 * Responds with content that is not a file on disk, or with parts of it.
 *
 * @module
 */

import { date as dateRule, kind } from "../../../base/config/option_kinds.ts";
import { checkArgument, checkText } from "../../../base/config/option_table.ts";
import { parseDate } from "../../headers/date.ts";
import { setBody, setHeader } from "../draft.ts";
import { evaluateConditions, isConditional, type Validators, type Verdict } from "./conditions.ts";
import { describeError, describeFile, describeKnown, fileType, ownValidators } from "./describe_file.ts";
import type { FileTarget, RangeSource, ServedContent } from "./file_options.ts";
import { partPieces, type Piece, wholePieces } from "./file_pieces.ts";

/** The maximum length of content whose entity tag is computed from its bytes. */
const MAX_TAGGED = 1 << 20;
const whole: Verdict = { status: 200 };

/**
 * Responds with content, a part of it, or the status that the request's conditions require.
 *
 * @param target The draft to write to, and the request.
 * @param content The content.
 * @param name The file name, which determines the content type if the handler has not set it.
 * @param modified The time of the last modification, if it is known.
 */
export async function respondWithContent(
  target: FileTarget,
  content: ServedContent,
  name: string,
  modified: Date | undefined,
): Promise<void> {
  checkText(name, "name", "ServeContent");
  if (modified !== undefined) checkArgument(modified, dateRule(), "modified", "ServeContent");
  const { draft, request } = target;
  const source = typeof content === "string" || content instanceof Uint8Array ? new Blob([content]) : content;
  checkArgument(source, sourceRule, "content", "ServeContent");
  const own = ownValidators(draft);
  const date = own.date === undefined ? modified?.getTime() : parseDate(own.date);
  const changed = date === undefined || Number.isNaN(date) ? null : new Date(date);
  const validators: Validators = { tag: own.tag ?? await tagOf(source, changed), changed, size: source.size };
  const verdict = isConditional(request.headers) ? evaluateConditions(request, validators) : whole;
  const type = draft.type === "" ? fileType(name) : draft.type;
  if (verdict.status === 304) return describeKnown(draft, validators, own, type);
  if (verdict.status === 412) return describeError(draft, 412);
  if (verdict.status === 416) {
    describeError(draft, 416);
    return setHeader(draft, "content-range", `bytes */${source.size}`);
  }
  const pieces = verdict.status === 206 ? partPieces(verdict.ranges, source.size, type) : wholePieces(source.size);
  if (request.method !== "HEAD") setBody(draft, streamOf(source, pieces.list));
  describeFile(draft, { validators, own, verdict, pieces, type, saveAs: undefined });
}

const sourceRule = kind("a string, bytes or an object with a size", (value) => Object(value).size >= 0, undefined);

/** Returns the entity tag, or an empty string if the content is too long and its last modification is not known. */
async function tagOf(source: RangeSource, changed: Date | null): Promise<string> {
  if (source instanceof Blob && source.size <= MAX_TAGGED) {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", await source.arrayBuffer()));
    return `"${Array.from(digest.subarray(0, 12), (byte) => byte.toString(16).padStart(2, "0")).join("")}"`;
  }
  return changed === null ? "" : `"${source.size.toString(36)}-${changed.getTime().toString(36)}"`;
}

/** Returns the pieces of a response, which are read when the client is ready for them. */
function streamOf(source: RangeSource, pieces: readonly Piece[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks = read(source, pieces);
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void await chunks.return(undefined),
  }, { highWaterMark: 0 });
}

async function* read(
  source: RangeSource,
  pieces: readonly Piece[],
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) yield piece;
    else yield* source.slice(piece[0], piece[1] + 1).stream();
  }
}
