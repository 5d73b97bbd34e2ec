/**
 * Which names carry a hash of the content, as bundlers write them.
 *
 * A client keeps such a file for a year without asking, so a name that only looks like one must not be taken for it:
 * the price of a hash that is not seen is a 304. What is told by no more than a word in capitals is not seen.
 *
 * @module
 */

/** What follows a hash: the second hash of an image, and the extensions, as in `app.3f9a12bc.chunk.js.map`. */
const rest = /(?:_[A-Za-z0-9]{5,6})?(?:\.(?:chunk|min|bundle|async|module))?\.[a-z0-9]+(?:\.map)?$/;
/** What may be a hash: the last part of a name, or eight letters of base64, of which one is the hyphen. */
const parts: readonly RegExp[] = [/[.-]([A-Za-z0-9]{8,64})$/, /[.-]([\w-]{8})$/];
const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i;

/** The alphabets of the bundlers, and what tells a hash of each from a word. */
const kinds: readonly ((text: string) => boolean)[] = [isHex, isBase32, isBase64];

/**
 * Reports whether the name of a file carries a hash of its content.
 *
 * @param path The path of the file, with slashes.
 */
export function isHashed(path: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1);
  // It names a thing, whose file may change.
  if (uuid.test(name)) return false;
  const stem = name.replace(rest, "");
  return parts.some((part) => {
    const hash = part.exec(stem)?.[1];
    return hash !== undefined && kinds.some((isKind) => isKind(hash));
  });
}

/** Webpack, Parcel, Next.js, Rollup 3: hexadecimal digits, of the usual lengths. A number or `cafe2026` is not one. */
function isHex(text: string): boolean {
  return /^(?:.{8}|.{10}|.{12}|.{16}|.{20}|.{32}|.{40}|.{64})$/.test(text) && /^[0-9a-f]+$/.test(text) &&
    /\d.*\d/.test(text) && /[a-f]/.test(text) && !/^(?=.{8}$)(?:[a-f]+\d+|\d+[a-f]+)$/.test(text);
}

/** Esbuild: eight of the letters A-Z and the digits 2-7. `RFC23456` is not one. */
function isBase32(text: string): boolean {
  return /^[A-Z2-7]{8}$/.test(text) && /\d/.test(text) && !/^(?:[A-Z]+\d+|\d+[A-Z]+)$/.test(text);
}

/** Vite, Rollup 4, SvelteKit, Astro: eight of base64. `iPhone12` and `Win32App` are not: their numbers part words. */
function isBase64(text: string): boolean {
  if (text.length !== 8 || !/[a-z]/.test(text) || !/[A-Z]/.test(text)) return false;
  const numbersInside = text.match(/\d+(?=[A-Za-z])/g)?.length ?? 0;
  return numbersInside > 1 || (numbersInside === 1 && !text.split(/[-_]/).every(isWords));
}

/** Words and numbers in turn, of which only the first may be several words in one. */
function isWords(text: string): boolean {
  return /^[A-Za-z]*(?:\d+(?:[A-Z]?[a-z]+|[A-Z]+))*\d*$/.test(text);
}
