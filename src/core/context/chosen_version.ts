/**
 * The API version that middleware has chosen for a request. Caches read it as well.
 *
 * @module
 */

import { Key } from "../exchange/values.ts";

/** The version, if middleware has set it. */
export const chosenVersion: Key<string> = Key("fw.version");
