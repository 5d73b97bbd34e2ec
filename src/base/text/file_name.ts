/**
 * File names and what operating systems make of them.
 *
 * Windows ignores trailing dots and spaces, treats the text after a colon as a stream of the same file, and opens a
 * device for names such as `con.txt`. A name that a check has accepted would then denote another file.
 *
 * @module
 */

import { fromFileUrl as posixPath } from "@std/path/posix/from-file-url";
import { fromFileUrl as windowsPath } from "@std/path/windows/from-file-url";
import { FrameworkError } from "../errors/errors.ts";

/** An operating system, as named by `Deno.build.os`. */
export type System = typeof Deno.build.os;

/** Device names in any folder. Windows ignores the extension and spaces before it. */
const device = /^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3]) *(?:[.:]|$)/i;
// deno-lint-ignore no-control-regex -- the expression has to match control characters
const control = /[\u0000-\u001f\u007f]/;
const illegal = /[<>:"|?*]/g;

/**
 * Reports whether a name is one path segment that denotes a file of exactly this name, or none.
 *
 * @param name The name to check.
 * @param system The operating system.
 */
export function isPlainName(name: string, system: System): boolean {
  if (name === "" || name === "." || name === ".." || /[/\\]/.test(name) || control.test(name)) return false;
  return system !== "windows" || (name.search(illegal) === -1 && trimEnd(name) === name && !device.test(name));
}

/**
 * Reports whether a path contains only names that denote files of exactly these names. On Windows, opening a device
 * would wait for its input.
 *
 * @param path The path of a file.
 * @param system The operating system.
 */
export function hasPlainNames(path: string, system: System): boolean {
  if (system !== "windows") return true;
  const names = path.replace(/^(?:[/\\]{2}[?.][/\\])?(?:[a-z]:)?/i, "").split(/[/\\]/);
  return names.every((name) => /^\.{0,2}$/.test(name) || isPlainName(name, system));
}

/**
 * Turns a name into one that denotes a file of exactly this name on every operating system, or no file.
 *
 * @param name The name, without slashes, backslashes and control characters.
 * @returns The name without trailing dots and spaces, and with `_` for colons and before device names. It is empty if
 * nothing remains.
 */
export function unambiguousName(name: string): string {
  const plain = trimEnd(name.replaceAll(":", "_"));
  return device.test(plain) ? `_${plain}` : plain;
}

/**
 * Replaces the characters that an operating system rejects in names.
 *
 * @param name The name, without slashes, backslashes and control characters.
 * @param system The operating system.
 */
export function storableName(name: string, system: System): string {
  return system === "windows" ? name.replace(illegal, "_") : name;
}

/** Removes trailing dots and spaces one by one. A regular expression would examine each run of them repeatedly. */
function trimEnd(name: string): string {
  let end = name.length;
  while (end > 0 && (name[end - 1] === "." || name[end - 1] === " ")) end--;
  return name.slice(0, end);
}

/**
 * Returns the key that two names share if some file system treats them as the same name, regardless of their letter
 * case or Unicode form.
 *
 * @param name The name or path.
 */
export function nameKey(name: string): string {
  return name.normalize("NFC").toLowerCase().toUpperCase();
}

/**
 * Converts a `file:` URL to a path.
 *
 * @param url The URL to convert.
 * @param system The operating system. Defaults to the current one.
 * @throws {FrameworkError} If the URL does not denote a local file.
 */
export function fromFileURL(url: string | URL, system: System = Deno.build.os): string {
  const { protocol, host } = new URL(url);
  if (protocol !== "file:") {
    throw new FrameworkError("FW_FILE", `Cannot use "${url}" as a path: it is not a file URL`);
  }
  if (system !== "windows" && host !== "") {
    throw new FrameworkError("FW_FILE", `Cannot use "${url}" as a path: it names the host "${host}"`);
  }
  return system === "windows" ? windowsPath(url) : posixPath(url);
}

/**
 * Reports whether a path is equal to a folder or inside it. Both must be real paths.
 *
 * @param folder The folder.
 * @param path The path to check.
 * @param system The operating system. Defaults to the current one.
 */
export function isInside(folder: string, path: string, system: System = Deno.build.os): boolean {
  const separator = system === "windows" ? "\\" : "/";
  return path === folder || path.startsWith(isRoot(folder, system) ? folder : folder + separator);
}

/**
 * Returns a path inside a folder, which may be the root of a file system.
 *
 * @param folder The folder's path.
 * @param rest The path relative to the folder.
 * @param system The operating system. Defaults to the current one.
 */
export function pathIn(folder: string, rest: string, system: System = Deno.build.os): string {
  return isRoot(folder, system) ? folder + rest : `${folder}/${rest}`;
}

/** Reports whether a path is the root of a file system, which is the only one that ends with a separator. */
function isRoot(folder: string, system: System): boolean {
  return folder.endsWith("/") || (system === "windows" && folder.endsWith("\\"));
}
