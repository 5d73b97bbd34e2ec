/**
 * INI files: `key = value` lines in sections.
 *
 * Only lines that start with `;` or `#` are comments, because translations can contain these characters, as in
 * `&nbsp;`.
 *
 * @module
 */

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
