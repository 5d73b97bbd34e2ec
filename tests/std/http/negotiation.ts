// The functions from npm, which have no types, with the types of the real package.
import * as real from "npm:deno-std@1.4.0/http/negotiation.js";

interface Accepts {
  (request: Pick<Request, "headers">): string[];
  (request: Pick<Request, "headers">, ...offers: string[]): string | undefined;
}

export const accepts: Accepts = real.accepts;
export const acceptsEncodings: Accepts = real.acceptsEncodings;
export const acceptsLanguages: Accepts = real.acceptsLanguages;
