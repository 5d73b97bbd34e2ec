// The function from npm, which has no types, with the type of the real package.
import * as real from "npm:deno-std@1.4.0/media_types/type_by_extension.js";

// The real return type is narrower for known extensions. Code that handles undefined compiles with both.
export const typeByExtension: (extension: string) => string | undefined = real.typeByExtension;
