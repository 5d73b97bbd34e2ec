/**
 * Content coding negotiation (RFC 9110, section 12.5.3).
 *
 * @module
 */

/** The maximum number of codings to read from a header. Browsers send about four. */
const most = 32;

/**
 * Chooses the content coding that the client prefers.
 *
 * @param header The `Accept-Encoding` header, or `null` if it is missing.
 * @param offered The codings the server can send, in order of preference. The order breaks ties.
 * @returns The coding, `""` for no coding, or `undefined` if the client accepts neither a coding nor unencoded content.
 */
export function chooseEncoding(header: string | null, offered: readonly string[]): string | undefined {
  if (header === null) return "";
  const weights = readWeights(header);
  const other = weights.get("*");
  let best = "";
  let highest = weights.get("identity") ?? (other === 0 ? 0 : undefined);
  const isBareAllowed = highest !== 0;
  // An accepted coding is preferred to `identity` unless the client gives `identity` a weight.
  highest ??= 0;
  for (const coding of offered) {
    const weight = weights.get(coding) ?? other ?? 0;
    if (weight > highest || (weight > 0 && weight === highest && best === "")) {
      best = coding;
      highest = weight;
    }
  }
  return best !== "" || isBareAllowed ? best : undefined;
}

function readWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of header.split(",", most)) {
    const [name = "", ...parameters] = item.split(";", 4);
    const coding = name.trim().toLowerCase();
    if (coding !== "") weights.set(coding === "x-gzip" ? "gzip" : coding, weightOf(parameters));
  }
  return weights;
}

/** Parses `q=0.5`. An invalid weight is ignored, because the client did list the coding. */
function weightOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const match = /^\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*$/i.exec(parameter);
    if (match !== null) return Math.min(Number(match[1]), 1);
  }
  return 1;
}
