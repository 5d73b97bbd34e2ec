/**
 * Spaces and tabs, the only whitespace that HTTP allows between words. Other Unicode spaces are ordinary bytes in HTTP.
 * If they were trimmed as well, the cookie `\\xa0__Host-id` would be read as `__Host-id`, which other sites must not be
 * able to set.
 *
 * @module
 */

/**
 * Reports whether a character is a space or a tab.
 *
 * @param code The character code.
 */
export function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/**
 * Removes spaces and tabs from both ends of a string.
 *
 * @param text The string to trim.
 * @returns The trimmed string.
 */
export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}
