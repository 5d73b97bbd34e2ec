/**
 * The pages of all error codes.
 *
 * @module
 */

import type { ErrorCode } from "../../base/errors/errors.ts";
import { controllerPages } from "./controller_pages.ts";
import { inputPages } from "./input_pages.ts";
import { type Page, pageOf, type PageSources } from "./page.ts";
import { routingPages } from "./routing_pages.ts";
import { serverPages } from "./server_pages.ts";
import { statePages } from "./state_pages.ts";

const sources: PageSources = {
  ...routingPages,
  ...serverPages,
  ...inputPages,
  ...controllerPages,
  ...statePages,
};

/** The page of each code. A test checks that every code in the table has one. */
export const pages: Readonly<Record<ErrorCode, Page>> = Object.fromEntries(
  Object.entries(sources).map(([code, source]) => [code, pageOf(source)]),
) as Record<ErrorCode, Page>;
