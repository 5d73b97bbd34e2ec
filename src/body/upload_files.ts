/**
 * Uploads. What saves them is loaded with the first upload.
 *
 * @module
 */

import type { Parsed } from "../base/errors.ts";
import { LazyRoom } from "../base/promises.ts";
import type { Body } from "./body.ts";
import type { BeforeSave } from "./upload/save_uploads.ts";

const uploads = new LazyRoom(() => import("./upload/save_uploads.ts"));

/** Saves every file of a form to a folder; see save_uploads.ts. */
export async function uploadFormFiles(
  body: Body,
  directory: string,
  before: readonly BeforeSave[],
): Promise<Parsed<bigint>> {
  const room = await uploads.get();
  return await room.uploadFormFiles(body, directory, before);
}
