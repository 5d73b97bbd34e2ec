/**
 * The panel of views and languages: templates with errors, and translations that are missing or not used.
 *
 * @module
 */

import type { Catalog } from "../../../pages/i18n/catalog.ts";
import { reloaded } from "../../../pages/view/open_templates.ts";
import { placeInTemplate } from "../../../pages/view/template_error.ts";

/** The files that may contain the keys of translations, and the limits for their number and for reading them. */
const sources = /\.(?:[jt]sx?|mjs|html?|eta|vto|hbs|njk|ejs|pug|md|txt)$/;
const skipped = /^(?:\.|node_modules$|coverage$)/;
const MOST_FILES = 2_000;
const MOST_MS = 1_000;

/** A template that cannot be compiled. */
export interface BrokenTemplate {
  readonly Error: string;
  readonly Place: string;
}

/** Reports whether templates have been loaded. */
export function hasTemplates(): boolean {
  return reloaded.size > 0;
}

/** Returns the templates that cannot be compiled. */
export function brokenTemplates(): BrokenTemplate[] {
  return [...reloaded].flatMap((library) => library.check()).flatMap(({ file, fault }) => {
    if (fault === undefined) return [];
    const { line = 1 } = placeInTemplate(fault) ?? {};
    return [{ Error: fault.message, Place: `${file}:${line}` }];
  });
}

/** Returns the translations that some languages have and others lack. */
export function missingTranslations(catalog: Catalog | undefined): { Key: string; Missing: string }[] {
  const keys = [...new Set(catalog?.locales.flatMap((locale) => locale.Keys()) ?? [])];
  return keys.flatMap((Key) => {
    const lacking = catalog?.locales.filter((locale) => !locale.has(Key)).map((locale) => locale.Language()) ?? [];
    return lacking.length === 0 ? [] : [{ Key, Missing: lacking.join(", ") }];
  });
}

/** Returns the content of the panel. */
export async function viewsAndLanguages(catalog: Catalog | undefined): Promise<unknown> {
  const keys = [...new Set(catalog?.locales.flatMap((locale) => locale.Keys()) ?? [])];
  return {
    "Broken templates": brokenTemplates(),
    "Missing translations": missingTranslations(catalog),
    "Unused translations": keys.length === 0 ? [] : await unusedKeys(keys),
    Templates: [...reloaded].flatMap((library) => library.check()).map(({ name, file }) => ({
      Name: name,
      Place: `${file}:1`,
    })),
    Languages: (catalog?.locales ?? []).map((locale) => ({ Language: locale.Language(), Keys: locale.Keys().length })),
  };
}

/**
 * Returns the keys that no file below the current folder contains. Keys may also be built from parts. In a folder that
 * cannot be read within the limits, none is reported.
 */
async function unusedKeys(keys: readonly string[]): Promise<{ Key: string }[]> {
  const left = new Set(keys);
  try {
    const end = performance.now() + MOST_MS;
    let files = 0;
    for await (const file of filesIn(Deno.cwd())) {
      if (++files > MOST_FILES || performance.now() > end) return [];
      const text = await Deno.readTextFile(file);
      for (const key of left) if (text.includes(key)) left.delete(key);
    }
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return [];
    throw error;
  }
  return [...left].map((Key) => ({ Key }));
}

async function* filesIn(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory, isFile } of Deno.readDir(folder)) {
    if (isDirectory && !skipped.test(name)) yield* filesIn(`${folder}/${name}`);
    else if (isFile && sources.test(name)) yield `${folder}/${name}`;
  }
}
