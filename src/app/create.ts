/**
 * How applications are created.
 *
 * @module
 */

import * as logger from "../middleware/logger.ts";
import * as recover from "../middleware/recover.ts";
import { Application } from "./application.ts";

/**
 * Creates an application without middleware. An error in a handler still responds with a bare 500.
 *
 * @returns The application.
 */
export function New(): Application {
  return new Application();
}

/**
 * Creates an application that logs every request and survives what its handlers throw, also where no route matches.
 *
 * @returns The application.
 */
export function Default(): Application {
  return New().UseRouter(logger.New(), recover.New());
}
