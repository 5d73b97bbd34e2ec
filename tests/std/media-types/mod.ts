// The functions from npm, which have no types, with the types of the real package.
import * as real from "npm:deno-std@1.4.0/media_types/mod.js";

// The real return type is narrower for known extensions. Code that handles undefined compiles with both.
export const contentType: (extensionOrType: string) => string | undefined = real.contentType;
export const allExtensions: (type: string) => string[] | undefined = real.allExtensions;
export const extension: (type: string) => string | undefined = real.extension;
export const formatMediaType: (type: string, param?: Record<string, string> | Iterable<[string, string]>) => string =
  real.formatMediaType;
export const getCharset: (type: string) => string | undefined = real.getCharset;
export const parseMediaType: (type: string) => [mediaType: string, params: Record<string, string> | undefined] =
  real.parseMediaType;
export const typeByExtension: (extension: string) => string | undefined = real.typeByExtension;
