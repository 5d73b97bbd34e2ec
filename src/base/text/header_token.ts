/**
 * Tokens, the syntax of header, cookie and parameter names (RFC 9110, section 5.6.2).
 *
 * @module
 */

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/**
 * Reports whether a string is a token.
 *
 * @param text The string to check.
 * @returns `true` if the string is not empty and contains only token characters.
 */
export function isHeaderToken(text: string): boolean {
  return token.test(text);
}
