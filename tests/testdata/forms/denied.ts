/**
 * Uploads a file to the folder given by the first argument and prints the error. Run it without write permission.
 *
 * @module
 */

import { Body } from "../../../src/http/body/body.ts";
import { uploadFormFiles } from "../../../src/http/body/save_uploads.ts";
import { file } from "./cases.ts";

const request = new Request("http://localhost/", {
  method: "POST",
  body: `${file("f", "a.txt", "1")}--X--`,
  headers: { "content-type": "multipart/form-data; boundary=X" },
});
const [, error] = await uploadFormFiles(new Body(request), Deno.args[0] ?? "");
await Deno.stdout.write(new TextEncoder().encode(`${error?.message}\n`));
