/**
 * Finds the application that a module exports, for tools that look at it from outside.
 *
 * @module
 */

import { FrameworkError } from "../../base/errors.ts";
import { Application } from "../application.ts";

/** An application and the URL of the module that it came from. */
export interface LoadedApplication {
  readonly app: Application;
  readonly url: string;
}

/**
 * Imports a module and finds its application: what `newApp()` returns, or the default export.
 *
 * @param file The path or the URL of the module.
 */
export async function loadApplication(file: string): Promise<LoadedApplication> {
  const url = /^[a-z][a-z0-9+.-]+:/i.test(file) ? file : new URL(file, `file://${Deno.cwd()}/`).href;
  const module: Record<string, unknown> = await import(url);
  const found = typeof module["newApp"] === "function" ? await module["newApp"]() : module["default"];
  if (found instanceof Application) return { app: found, url };
  throw new FrameworkError(
    "FW_STATE",
    `Cannot find the application of "${file}": it exports neither "newApp" nor an application as its default`,
  );
}
