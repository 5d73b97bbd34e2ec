/**
 * Responds with the representation that the client prefers. It is loaded with the first negotiation.
 *
 * @module
 */

import { HTTPError } from "../../../base/errors/errors.ts";
import { encoderOf } from "../../../base/text/charset.ts";
import { withCharset } from "../../../http/headers/content_type.ts";
import { setBody, setHeader, setType, varyBy } from "../../../http/response/draft.ts";
import { transformBody } from "../../../http/response/draft_body.ts";
import { JSONBody } from "../../../http/response/json_body.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import { handlerHeaders } from "../../exchange/request_header.ts";
import { negotiationOf } from "./negotiation.ts";
import { writeAs } from "./write_format.ts";

/** Responds with the representation that the client prefers, or with 406 if the client accepts none. */
export async function negotiate<C>(exchange: Exchange<C>, value: unknown): Promise<void> {
  const { draft } = exchange;
  const negotiation = negotiationOf(exchange);
  varyBy(draft, "Accept");
  if (negotiation.hasEncodings) varyBy(draft, "Accept-Encoding");
  if (negotiation.hasCharsets) varyBy(draft, "Accept-Charset");
  const chosen = negotiation.decide(handlerHeaders(exchange));
  if (chosen === undefined) throw new HTTPError(406);
  const { type, charset, encoding } = chosen;
  await writeAs(exchange, chosen.value ?? value, type);
  const text = typeof draft.body === "string" || draft.body instanceof JSONBody ? String(draft.body) : undefined;
  if (text !== undefined && charset !== "") {
    // The XML declaration must match the charset.
    const declared = text.replace(/^(<\?xml [^>]*encoding=")UTF-8"/, `$1${charset}"`);
    setBody(draft, encoderOf(charset)?.(declared) ?? new Uint8Array());
    setType(draft, `${type.replace(/; *charset=[^;]*/, "")}; charset=${charset}`);
  } else if (type.startsWith("text/")) setType(draft, withCharset(type, "utf-8"));
  if (encoding === "") return;
  setHeader(draft, "content-encoding", encoding);
  transformBody(draft, (body) => body.pipeThrough(new CompressionStream(encoding as CompressionFormat)));
}
