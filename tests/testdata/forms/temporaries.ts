/**
 * Stores two files on disk and prints the number of open files as JSON. It is a separate process, because it counts its
 * own open files.
 *
 * @module
 */

import { Body } from "../../../src/http/body/body.ts";
import { defaultLimits } from "../../../src/http/body/source/body_limits.ts";
import { formFiles } from "../../../src/core/accessors/form_files.ts";
import { file } from "./cases.ts";

const request = new Request("http://localhost/", {
  method: "POST",
  body: `${file("f", "a", "x".repeat(200))}${file("f", "b", "y".repeat(200))}--X--`,
  headers: { "content-type": "multipart/form-data; boundary=X" },
});
const body = new Body(request, { ...defaultLimits, postMaxMemory: 100 });
const [files, , error] = await formFiles(body, "f");
const texts = await Promise.all(files.map((one) => one.text()));
const during = temporaries();
const isSeen = listed(Deno.env.get("TMPDIR") ?? "/tmp") > 0;
body.close();
const told = { sizes: texts.map(({ length }) => length), during, after: temporaries(), isSeen, error: error?.message };
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(told)));

/** Returns the number of temporary files that this process has open. */
function temporaries(): number {
  let count = 0;
  for (const { name } of Deno.readDirSync("/proc/self/fd")) {
    try {
      if (Deno.readLinkSync(`/proc/self/fd/${name}`).includes("/fw-")) count++;
    } catch {
      // The entry of the folder itself no longer exists.
    }
  }
  return count;
}

function listed(folder: string): number {
  try {
    return [...Deno.readDirSync(folder)].length;
  } catch {
    return 0;
  }
}
