// The real functions, given the real package's types: npm's copy carries none.
import * as real from "npm:deno-std@1.4.0/fmt/printf.js";

export const sprintf: (format: string, ...args: unknown[]) => string = real.sprintf;
export const printf: (format: string, ...args: unknown[]) => void = real.printf;
