/**
 * Which content coding a client wants most (RFC 9110, 12.5.3).
 *
 * @module
 */

/** The most codings that are read of a header; a browser names four. */
const most = 32;

/**
 * Chooses a coding.
 *
 * @param header The `Accept-Encoding` header; `null` if there is none.
 * @param offered What the server can send, the best first: it decides between codings of one weight.
 * @returns The coding, `""` for none, or `undefined` where the client accepts neither a coding nor the bare content.
 */
export function chooseEncoding(header: string | null, offered: readonly string[]): string | undefined {
  if (header === null) return "";
  const weights = readWeights(header);
  const other = weights.get("*");
  let best = "";
  let highest = weights.get("identity") ?? (other === 0 ? 0 : undefined);
  const isBareAllowed = highest !== 0;
  // The bare content weighs nothing unless the client says so: a coding is worth its while.
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

/** Reads `q=0.5`; a weight that cannot be read counts as none, since the client did name the coding. */
function weightOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const match = /^\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*$/i.exec(parameter);
    if (match !== null) return Math.min(Number(match[1]), 1);
  }
  return 1;
}
