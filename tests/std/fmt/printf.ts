// The functions from npm, which have no types, with the types of the real package.
import * as real from "npm:deno-std@1.4.0/fmt/printf.js";

export const sprintf: (format: string, ...args: unknown[]) => string = real.sprintf;
export const printf: (format: string, ...args: unknown[]) => void = real.printf;
