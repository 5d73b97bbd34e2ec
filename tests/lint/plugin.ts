/**
 * Lint rules for fw's own conventions.
 *
 * @module
 */

import { circularImports } from "./circular_imports.ts";
import { errorMessage } from "./error_message.ts";
import { fileURLs } from "./file_urls.ts";
import { layerImports } from "./layer_imports.ts";
import { lazyImports } from "./lazy_imports.ts";
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
    "circular-imports": circularImports,
    "comment-width": commentWidth,
    "error-message": errorMessage,
    "file-urls": fileURLs,
    "layers": layerImports,
    "lazy-imports": lazyImports,
    "max-code-lines": maxCodeLines,
    "no-arrow-field": noArrowField,
    "no-private-keyword": noPrivateKeyword,
    "no-then-export": noThenExport,
    "no-top-level-arrow": noTopLevelArrow,
    "thin-context": thinContext,
  },
};

export default plugin;
