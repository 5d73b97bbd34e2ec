/**
 * Writes the site as files.
 *
 * @module
 */

import type * as fw from "jsr:@fw/web";

/**
 * Requests every page of the application and writes it to a folder.
 *
 * @param app The application.
 * @param assets The folder of the static files.
 * @param folder The folder to write to. It is created if necessary.
 */
export async function buildSite(app: fw.Application, assets: URL, folder: string): Promise<void> {
  app.Logger().SetLevel("error");
  await Deno.mkdir(`${folder}/assets`, { recursive: true });
  for await (const { name } of Deno.readDir(assets)) {
    await Deno.copyFile(new URL(name, assets), `${folder}/assets/${name}`);
  }
  await app.Build();
  const paths = app.Routes().filter((route) => route.Method === "GET" && route.IsStatic()).map((route) => route.Path);
  for (const path of [...paths.filter((path) => path === "/" || path.includes(".")), "/404.html"]) {
    const response = await app.fetch(new Request(`http://localhost${path}`));
    if (!response.ok && path !== "/404.html") {
      throw new Error(`Cannot build "${path}": the status is ${response.status}`);
    }
    const file = `${folder}${path === "/" ? "/index.html" : path}`;
    await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(file, withPolicy(await response.text(), response.headers));
  }
}

/** Adds the policy of the response to the page, because static hosts do not send it. */
function withPolicy(text: string, headers: Headers): string {
  const policy = (headers.get("content-security-policy") ?? "").replace(/frame-ancestors[^;]*(?:;|$)/, "");
  return text.replace("<head>", `<head>\n<meta http-equiv="content-security-policy" content="${policy}">`);
}
