// The real function, given the real package's type: npm's copy carries none.
import * as real from "npm:deno-std@1.4.0/media_types/content_type.js";

// The real return type is narrower for the extensions that it lists; code that allows for undefined passes with both.
export const contentType: (extensionOrType: string) => string | undefined = real.contentType;
