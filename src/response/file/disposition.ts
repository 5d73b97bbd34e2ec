/**
 * Names to save files under.
 *
 * @module
 */

/**
 * Returns the header that has a client save a file.
 *
 * @param name The name to save it under.
 * @returns The value of `Content-Disposition`, with a plain name for old clients beside the full one.
 */
export function attachment(name: string): string {
  const plain = name.replace(/[^ !#-[\]-~]/g, "_");
  const full = encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, escapeCode);
  return `attachment; filename="${plain}"; filename*=UTF-8''${full}`;
}

function escapeCode(letter: string): string {
  return `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;
}
