/**
 * The house style that `deno lint` does not know by itself.
 *
 * @module
 */

import { circles } from "./circles.ts";
import { errorMessage } from "./error_message.ts";
import { floors } from "./floors.ts";
import {
  commentWidth,
  maxCodeLines,
  noArrowField,
  noPrivateKeyword,
  noThenExport,
  noTopLevelArrow,
  thinContext,
} from "./shape.ts";

const plugin: Deno.lint.Plugin = {
  name: "fw",
  rules: {
    "circles": circles,
    "comment-width": commentWidth,
    "error-message": errorMessage,
    "floors": floors,
    "max-code-lines": maxCodeLines,
    "no-arrow-field": noArrowField,
    "no-private-keyword": noPrivateKeyword,
    "no-then-export": noThenExport,
    "no-top-level-arrow": noTopLevelArrow,
    "thin-context": thinContext,
  },
};

export default plugin;
