// The functions from npm, which have no types, with the types of the real package.
import * as real from "npm:deno-std@1.4.0/path/posix/mod.js";
import type { GlobOptions, ParsedPath } from "../types.ts";

export type { GlobOptions, ParsedPath };

export const DELIMITER: ":" = real.DELIMITER;
export const SEPARATOR: "/" = real.SEPARATOR;
export const SEPARATOR_PATTERN: RegExp = real.SEPARATOR_PATTERN;
export const basename: (path: string | URL, suffix?: string) => string = real.basename;
export const common: (paths: string[]) => string = real.common;
export const dirname: (path: string | URL) => string = real.dirname;
export const extname: (path: string | URL) => string = real.extname;
export const format: (pathObject: Partial<ParsedPath>) => string = real.format;
export const fromFileUrl: (url: URL | string) => string = real.fromFileUrl;
export const globToRegExp: (glob: string, options?: GlobOptions) => RegExp = real.globToRegExp;
export const isAbsolute: (path: string) => boolean = real.isAbsolute;
export const isGlob: (str: string) => boolean = real.isGlob;
export const join: (path: string | URL, ...paths: string[]) => string = real.join;
export const normalize: (path: string | URL) => string = real.normalize;
export const parse: (path: string) => ParsedPath = real.parse;
export const relative: (from: string, to: string) => string = real.relative;
export const resolve: (...pathSegments: string[]) => string = real.resolve;
export const toFileUrl: (path: string) => URL = real.toFileUrl;
