/**
 * Reads translation files and determines their languages.
 *
 * @module
 */

import { parse as parseTOML } from "@std/toml/parse";
import { parse as parseYAML } from "@std/yaml/parse";
import { isJSONObject } from "../../base/data/plain_object.ts";
import { FrameworkError } from "../../base/errors/errors.ts";
import { messageOf } from "../../base/errors/to_error.ts";
import { fromFileURL } from "../../base/text/file_name.ts";
import { canonicalTag, type LanguageMatcher } from "./language_match.ts";
import type { Messages } from "./locale.ts";

/** The parsers by file extension. */
const formats: Readonly<Record<string, (text: string) => unknown>> = {
  ".json": (text) => JSON.parse(text) as unknown,
  ".yaml": readYAML,
  ".yml": readYAML,
  ".toml": (text) => parseTOML(text),
  ".ini": (text) => parseINI(text),
};

const languageNames = new Intl.DisplayNames("en", { type: "language", fallback: "none" });

/** The translations in one file. */
export interface MessageFile {
  readonly path: string;
  readonly tag: string;
  readonly messages: Messages;
}

/**
 * Reads all translation files in a folder and its subfolders, sorted by path.
 *
 * @param supported The languages to read. If omitted, all known languages that appear in paths are read.
 * @param ignored Called with the path of each file that is not named after a language.
 */
export async function readMessageFiles(
  folder: string | URL,
  supported: { readonly tags: readonly string[]; readonly matcher: LanguageMatcher } | undefined,
  ignored: (path: string) => void = () => {},
): Promise<MessageFile[]> {
  const root = folder instanceof URL ? fromFileURL(folder) : folder;
  const files: MessageFile[] = [];
  for (const path of await listFiles(root)) {
    const name = path.slice(startOf(root).length);
    const tag = languageOfPath(name, supported);
    if (tag !== undefined) files.push({ path, tag, messages: await readMessages(path) });
    // Languages that are not supported are skipped on purpose.
    else if (languageOfPath(name, undefined) === undefined) ignored(path);
  }
  if (files.length > 0) return files;
  throw loadError(root, "no file there is named after a language");
}

function loadError(place: string, reason: string, options?: ErrorOptions): FrameworkError {
  return new FrameworkError("FW_LANGUAGE", `Cannot load translations from "${place}": ${reason}`, options);
}

/**
 * Returns a string that changes if one of the translation files changes, or if a file is added or removed. A folder
 * that cannot be read has the same state until it can be read again.
 */
export async function fingerprintOf(folders: readonly (string | URL)[]): Promise<string> {
  const states: string[] = [];
  for (const folder of folders) {
    const paths = await listFiles(folder instanceof URL ? fromFileURL(folder) : folder).catch(() => []);
    for (const path of paths) {
      const info = await Deno.stat(path).catch(() => undefined);
      states.push(`${path} ${info?.mtime?.getTime()} ${info?.size}`);
    }
  }
  return states.join("\n");
}

async function listFiles(root: string): Promise<string[]> {
  const paths: string[] = [];
  try {
    await addFiles(paths, root, startOf(root));
  } catch (cause) {
    throw loadError(root, messageOf(cause), { cause });
  }
  return paths.sort();
}

/** Adds the translation files in a folder and its subfolders. Links to folders are not followed. */
async function addFiles(paths: string[], folder: string, start: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = start + name;
    if (isDirectory) await addFiles(paths, path, startOf(path));
    else if (Object.keys(formats).some((extension) => name.endsWith(extension))) paths.push(path);
  }
}

/** Returns the beginning of all paths in a folder. */
function startOf(folder: string): string {
  const start = folder.replace(/^\.\/+(?=.)/, "");
  return /[/\\]$/.test(start) ? start : start + (Deno.build.os === "windows" ? "\\" : "/");
}

/**
 * Returns the language in the last matching part of a path. For example, the language of `el-GR/user.ini` and
 * `texts_el-GR.yml` is `el-GR`.
 */
function languageOfPath(
  path: string,
  supported: { readonly tags: readonly string[]; readonly matcher: LanguageMatcher } | undefined,
): string | undefined {
  const parts = path.slice(0, path.lastIndexOf(".")).split(/[/\\_.]/).reverse();
  for (const part of parts) {
    const tag = canonicalTag(part);
    if (tag === undefined || languageNames.of(new Intl.Locale(tag).language) === undefined) continue;
    if (supported === undefined) return tag;
    const index = supported.matcher.match(tag);
    if (index !== -1) return supported.tags[index];
  }
  return undefined;
}

/** Parses YAML without dates and base-60 numbers, which are strings in translations. */
function readYAML(text: string): unknown {
  return parseYAML(text, { schema: "core" });
}

async function readMessages(path: string): Promise<Messages> {
  try {
    const text = (await Deno.readTextFile(path)).replace(/^\uFEFF/, "");
    const value = formats[path.slice(path.lastIndexOf("."))]?.(text) ?? {};
    if (typeof value !== "object" || Array.isArray(value)) throw new TypeError("The file contains no keys");
    return withStrings(value as Record<string, unknown>);
  } catch (cause) {
    throw loadError(path, messageOf(cause), { cause });
  }
}

/**
 * Converts numbers, booleans and dates to strings. For example, `yes: true` becomes "true". A value of `null` is a
 * missing translation.
 */
function withStrings(section: Record<string, unknown>): Messages {
  const entries = Object.entries(section).filter(([, value]) => value !== null).map(([key, value]) => {
    if (value instanceof Date) return [key, value.toISOString().replace("T00:00:00.000Z", "")];
    if (isJSONObject(value)) return [key, withStrings(value)];
    return [key, Array.isArray(value) ? value : String(value)];
  });
  return Object.fromEntries(entries) as Messages;
}

/** A section of an INI file, with its keys and the sections inside it. */
export interface Section {
  [key: string]: string | Section;
}

/**
 * Parses an INI file. A section named `[user.profile]` is inside the section `user`.
 *
 * @throws {SyntaxError} If a line is neither a section, a key with a value nor a comment.
 */
export function parseINI(text: string): Section {
  const root: Section = Object.create(null);
  let section = root;
  for (const [at, line] of text.split(/\r\n|\r|\n/).entries()) {
    const content = line.trim();
    if (content === "" || content.startsWith(";") || content.startsWith("#")) continue;
    const [, header] = /^\[(.*)\]$/.exec(content) ?? [];
    if (header !== undefined) {
      section = sectionAt(root, header, at + 1);
      continue;
    }
    const end = content.search(/[=:]/);
    if (end < 1) throw new SyntaxError(`Line ${at + 1} has no "="`);
    section[content.slice(0, end).trim()] = valueOf(content.slice(end + 1).trim());
  }
  return root;
}

/** Finds a section by its name, or creates it. */
function sectionAt(root: Section, header: string, line: number): Section {
  let section = root;
  for (const name of header.trim().split(".").map((each) => each.trim())) {
    const next = section[name] ??= Object.create(null) as Section;
    if (typeof next === "string") throw new SyntaxError(`Line ${line} uses the key "${name}" as a section`);
    section = next;
  }
  return section;
}

/** Removes the quotes around a value. In double quotes, escapes such as `\n` are those of JSON. */
function valueOf(text: string): string {
  const [, quote, inner = ""] = /^(["'`])(.*)\1$/s.exec(text) ?? [];
  if (quote === undefined) return text;
  if (quote !== '"') return inner;
  try {
    return String(JSON.parse(text));
  } catch {
    return inner;
  }
}
