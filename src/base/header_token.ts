/**
 * Tokens: what names of headers, cookies and parameters are made of (RFC 9110 5.6.2).
 *
 * @module
 */

const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/**
 * Reports whether a text is a token.
 *
 * @param text The text.
 * @returns True when it has one character at least and each may stand in a token.
 */
export function isHeaderToken(text: string): boolean {
  return token.test(text);
}
