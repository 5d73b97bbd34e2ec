/**
 * Safe names for uploaded files.
 *
 * @module
 */

import { unambiguousName } from "../../../base/text/file_name.ts";

const maxNameBytes = 255;
const encoder = new TextEncoder();

/**
 * Returns a safe file name based on the one sent by the client.
 *
 * @param name The client's file name.
 * @returns The last path segment without slashes or backslashes, or an empty string if nothing usable remains.
 */
export function safeName(name: string): string {
  // Matches characters that file systems reject, and formatting characters that can disguise a name.
  const unwanted = /[\p{Cc}\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;
  const whole = trimSeparators(name);
  const base = whole.slice(Math.max(whole.lastIndexOf("/"), whole.lastIndexOf("\\")) + 1).replace(unwanted, "");
  // A shortened name may end with a space or become the name of a device.
  return unambiguousName(shortName(unambiguousName(base)));
}

/** Removes trailing separators one by one. A regular expression would examine each run of separators repeatedly. */
function trimSeparators(name: string): string {
  let end = name.length;
  while (end > 0 && (name[end - 1] === "/" || name[end - 1] === "\\")) end--;
  return name.slice(0, end);
}

/**
 * Shortens a file name to the maximum length of file systems, preserving its extension.
 *
 * @param name The file name.
 * @param suffix The text to insert before the extension.
 * @returns The file name, at most 255 bytes long.
 */
export function shortName(name: string, suffix = ""): string {
  const dot = name.lastIndexOf(".");
  // In a very long name, the text after the last dot is probably not an extension.
  const extension = dot > 0 && name.length - dot <= 64 ? name.slice(dot) : "";
  const stem = name.slice(0, name.length - extension.length);
  return cutBytes(stem, maxNameBytes - byteLength(extension) - byteLength(suffix)) + suffix + extension;
}

function cutBytes(text: string, max: number): string {
  if (byteLength(text) <= max) return text;
  const target = new Uint8Array(max);
  const { read } = encoder.encodeInto(text, target);
  return text.slice(0, read);
}

function byteLength(text: string): number {
  return encoder.encode(text).length;
}
