/**
 * Uploads: several files at once, straight to disk, 5 MiB at most, with their progress in the page.
 *
 * Run it with `deno task example upload` and open http://localhost:8080, or ask with curl:
 *
 *     curl -F "files[]=@a.txt" -F "files[]=@b.txt" localhost:8080/upload
 *
 * Permissions: `--allow-net --allow-read=.,examples/upload --allow-write=.`.
 *
 * @module
 */

import * as fw from "jsr:@fw/web";

const maxSize = 5 << 20;

/**
 * Makes the application.
 *
 * @param folder Where files are saved; it is made when it is missing.
 */
export function newApp(folder = "./uploads"): fw.Application {
  const app = fw.Default();

  app.Get("/", (ctx) => ctx.ServeFile(new URL("./index.html", import.meta.url)));

  app.Post("/upload", fw.LimitRequestBodySize(maxSize), async (ctx) => {
    const files: fw.FileHeader[] = [];
    const [total, error] = await ctx.UploadFormFiles(folder, (ctx, header) => {
      // The name on disk: who sent it comes first, so that no client replaces the files of another.
      header.Filename = `${ctx.RemoteAddr().replaceAll(":", "_")}-${header.Filename}`;
      files.push(header);
    });
    if (error === fw.ErrMissingFile) return ctx.StopWithText(400, "Choose a file first");
    if (error !== null) throw error;
    ctx.JSON({ total, files: files.map(({ Filename, Size }) => ({ name: Filename, size: Size })) });
  });

  app.OnErrorCode(413, (ctx) => ctx.Text(`Larger than ${maxSize >> 20} MiB`));

  return app;
}

if (import.meta.main) await newApp().Run(fw.Addr(":8080"));
