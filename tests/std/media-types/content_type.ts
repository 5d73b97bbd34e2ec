// The function from npm, which has no types, with the type of the real package.
import * as real from "npm:deno-std@1.4.0/media_types/content_type.js";

// The real return type is narrower for known extensions. Code that handles undefined compiles with both.
export const contentType: (extensionOrType: string) => string | undefined = real.contentType;
