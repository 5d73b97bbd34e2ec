/**
 * Spaces and tabs, the only blanks that HTTP knows between words. Other spaces of Unicode are bytes like any other
 * there: trimmed too, the cookie `\\xa0__Host-id` would be read as `__Host-id`, which another site may not set.
 *
 * @module
 */

/**
 * Reports whether a character is a space or a tab.
 *
 * @param code The code of the character.
 */
export function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}

/**
 * Cuts spaces and tabs off both ends of a text.
 *
 * @param text The text.
 * @returns What is left.
 */
export function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}
