// The functions from npm, which have no types, with the types of the real package.
import * as real from "npm:deno-std@1.4.0/fmt/colors.js";

/** A 24-bit color. */
export interface Rgb {
  r: number;
  g: number;
  b: number;
}

type Paint = (str: string) => string;

export const setColorEnabled: (value: boolean) => void = real.setColorEnabled;
export const getColorEnabled: () => boolean = real.getColorEnabled;
export const reset: Paint = real.reset;
export const bold: Paint = real.bold;
export const dim: Paint = real.dim;
export const italic: Paint = real.italic;
export const underline: Paint = real.underline;
export const inverse: Paint = real.inverse;
export const hidden: Paint = real.hidden;
export const strikethrough: Paint = real.strikethrough;
export const black: Paint = real.black;
export const red: Paint = real.red;
export const green: Paint = real.green;
export const yellow: Paint = real.yellow;
export const blue: Paint = real.blue;
export const magenta: Paint = real.magenta;
export const cyan: Paint = real.cyan;
export const white: Paint = real.white;
export const gray: Paint = real.gray;
export const brightBlack: Paint = real.brightBlack;
export const brightRed: Paint = real.brightRed;
export const brightGreen: Paint = real.brightGreen;
export const brightYellow: Paint = real.brightYellow;
export const brightBlue: Paint = real.brightBlue;
export const brightMagenta: Paint = real.brightMagenta;
export const brightCyan: Paint = real.brightCyan;
export const brightWhite: Paint = real.brightWhite;
export const bgBlack: Paint = real.bgBlack;
export const bgRed: Paint = real.bgRed;
export const bgGreen: Paint = real.bgGreen;
export const bgYellow: Paint = real.bgYellow;
export const bgBlue: Paint = real.bgBlue;
export const bgMagenta: Paint = real.bgMagenta;
export const bgCyan: Paint = real.bgCyan;
export const bgWhite: Paint = real.bgWhite;
export const bgBrightBlack: Paint = real.bgBrightBlack;
export const bgBrightRed: Paint = real.bgBrightRed;
export const bgBrightGreen: Paint = real.bgBrightGreen;
export const bgBrightYellow: Paint = real.bgBrightYellow;
export const bgBrightBlue: Paint = real.bgBrightBlue;
export const bgBrightMagenta: Paint = real.bgBrightMagenta;
export const bgBrightCyan: Paint = real.bgBrightCyan;
export const bgBrightWhite: Paint = real.bgBrightWhite;
export const rgb8: (str: string, color: number) => string = real.rgb8;
export const bgRgb8: (str: string, color: number) => string = real.bgRgb8;
export const rgb24: (str: string, color: number | Rgb) => string = real.rgb24;
export const bgRgb24: (str: string, color: number | Rgb) => string = real.bgRgb24;
export const stripAnsiCode: Paint = real.stripAnsiCode;
