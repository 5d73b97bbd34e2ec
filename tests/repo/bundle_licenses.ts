/**
 * The license notice for third-party code in the bundle.
 *
 * @module
 */

/**
 * Lists the packages that contain the given modules.
 *
 * @param urls The URLs of the modules.
 * @returns The packages, with their versions if the URLs contain them.
 */
export function takenFrom(urls: Iterable<string>): string[] {
  const taken = [...urls].flatMap((url) => {
    const [, name, version] = /\/(@?std\/[\w-]+)(?:\/(\d[\w.-]*))?\//.exec(url) ?? [];
    return name === undefined ? [] : [`@${name.replace("@", "")}${version === undefined ? "" : `@${version}`}`];
  });
  return [...new Set(taken)].sort();
}

/** A package whose code is included in the bundle. */
export interface LicensedPackage {
  /** The name and version. */
  readonly name: string;
  /** The license text. */
  readonly license: string;
}

/**
 * Creates the license notice.
 *
 * @param urls The URLs of all modules.
 * @param packages The included npm packages.
 * @returns Markdown.
 */
export function licenseNote(urls: Iterable<string>, packages: readonly LicensedPackage[]): string {
  return `# Licenses

The files in this folder are built from the sources of @fw/web, under the license in \`../LICENSE\`, and contain parts of
these packages of the Deno standard library:

${takenFrom(urls).map((name) => `- ${name}`).join("\n")}

${standardLibrary}${packages.map(({ name, license }) => `\n## ${name}\n\n${license}\n`).join("")}`;
}

/** The license of the standard library. Copies must include it. */
const standardLibrary = `MIT License

Copyright 2018-2026 the Deno authors.

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`;
