/**
 * Starts to upload a file to the folder given by the first argument, and exits before it is complete.
 *
 * @module
 */

import { Body } from "../../../src/http/body/body.ts";
import { uploadFormFiles } from "../../../src/http/body/save_uploads.ts";
import { file } from "./cases.ts";

const [folder = ""] = Deno.args;
const start = new TextEncoder().encode(file("f", "a.txt", "x".repeat(100_000)).slice(0, -2));
const more = new Uint8Array(100_000);
let pulls = 0;
const stream = new ReadableStream({
  async pull(controller): Promise<void> {
    if (pulls++ < 3) return controller.enqueue(pulls === 1 ? start : more.slice());
    // A part of the file has been written by now.
    while (![...Deno.readDirSync(folder)].some(({ name }) => name.endsWith(".part"))) await Promise.resolve();
    Deno.exit(143);
  },
});
const headers = { "content-type": "multipart/form-data; boundary=X" };
await uploadFormFiles(new Body(new Request("http://localhost/", { method: "POST", body: stream, headers })), folder);
