/**
 * The pages of all error codes.
 *
 * @module
 */

import type { ErrorCode } from "../../base/errors/errors.ts";
import { controllerPages } from "./controller_pages.ts";
import { inputPages } from "./input_pages.ts";
import type { Page } from "./page.ts";
import { routingPages } from "./routing_pages.ts";
import { serverPages } from "./server_pages.ts";
import { statePages } from "./state_pages.ts";

/** The page of each code. The type requires one for every code in the table. */
export const pages: Readonly<Record<ErrorCode, Page>> = {
  ...routingPages,
  ...serverPages,
  ...inputPages,
  ...controllerPages,
  ...statePages,
};
