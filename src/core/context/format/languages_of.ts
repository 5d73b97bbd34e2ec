/**
 * Finds the translations of the application that serves a request.
 *
 * @module
 */

import { FrameworkError } from "../../../base/errors/errors.ts";
import type { Exchange } from "../../exchange/exchange.ts";
import type { Languages } from "../../exchange/languages.ts";

/** Returns the translations, or throws if there are none. */
export function languagesOf<C>({ runtime }: Exchange<C>, act: string): Languages {
  if (runtime.languages !== undefined) return runtime.languages;
  throw new FrameworkError("FW_LANGUAGE", `Cannot ${act}: no translations are loaded; call app.I18n.Load first`);
}
