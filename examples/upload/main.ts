/**
 * Uploads several files at once, streamed to disk, up to 5 MiB, with a progress bar.
 *
 * Run it with `deno task example upload` and open http://localhost:8080, or use curl:
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
 * Creates the application.
 *
 * @param folder The folder for uploaded files. It is created if it does not exist.
 */
export function newApp(folder = "./uploads"): fw.Application {
  const app = fw.Default();

  app.Get("/", (ctx) => ctx.ServeFile(new URL("./index.html", import.meta.url)));

  app.Post("/upload", fw.LimitRequestBodySize(maxSize), async (ctx) => {
    const files: fw.FileHeader[] = [];
    const [total, error] = await ctx.UploadFormFiles(folder, (ctx, header) => {
      // The file name on disk starts with the client's address, so that clients cannot overwrite each other's files.
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
