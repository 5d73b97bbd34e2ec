/**
 * The application that most programs start with.
 *
 * @module
 */

import { type Application, New } from "../core/app/application.ts";
import * as logger from "./logger.ts";
import * as recover from "./recover.ts";

/**
 * Creates an application with request logging and error recovery, which also apply to requests that no route matches.
 *
 * @returns The application.
 */
export function Default(): Application {
  return New().UseRouter(logger.New(), recover.New());
}
