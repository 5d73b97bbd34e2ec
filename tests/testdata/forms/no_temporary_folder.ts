/**
 * Uploads a file that does not fit in memory and prints the response. Run it with a temporary folder that does not
 * exist.
 *
 * @module
 */

import * as fw from "../../../mod.ts";
import { file } from "./cases.ts";

const app = fw.New().Configure(fw.WithPostMaxMemory(0));
app.Logger().SetOutput(Deno.stderr);
app.Post("/", async (ctx) => {
  const [, , error] = await ctx.FormFile("f");
  if (error !== null) throw error;
});
const response = await app.fetch(
  new Request("http://localhost/", {
    method: "POST",
    body: `${file("f", "a.txt", "1")}--X--`,
    headers: { "content-type": "multipart/form-data; boundary=X" },
  }),
);
await Deno.stdout.write(new TextEncoder().encode(`${response.status} ${await response.text()}\n`));
