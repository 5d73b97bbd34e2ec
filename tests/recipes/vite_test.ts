import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import type * as fw from "../../mod.ts";
import { withPage } from "../browser.ts";
import { Child } from "../http/server/support.ts";
import { overSocket } from "../serving.ts";
import { freePort } from "../free_port.ts";
import { programOf, runRecipe } from "./recipe.ts";

interface Recipe {
  newApp(dist: string, server?: string): Promise<fw.Application>;
}

const root = fromFileUrl(new URL("../../", import.meta.url));
const program = join(root, "tests/recipes/vite.ts");
const flags = ["run", "-A", "--no-check", `--config=${root}deno.json`, `--lock=${root}deno.lock`, program];

/** Two entry points that share a module with a style sheet, which becomes a separate chunk. */
const files = {
  "src/main.ts": `import { show } from "./show.ts";\nconst tea: string = "Assam";\nshow(tea);\n`,
  "src/other.ts": `import { show } from "./show.ts";\nshow("other");\n`,
  "src/show.ts": `import "./show.css";
import logo from "./logo.svg";
export function show(tea: string): void {
  document.querySelector("#app")!.innerHTML = tea + '<img src="' + logo + '">';
}\n`,
  "src/show.css": "#app { color: rgb(1, 2, 3); }\n",
  "src/logo.svg": `<svg xmlns="http://www.w3.org/2000/svg" width="7" height="7"><title>${
    "x".repeat(5000)
  }</title></svg>\n`,
};

/** Runs a test with a project in a new folder. */
async function withProject(port: number, run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "fw_vite_" });
  try {
    const config = (await programOf("vite", {}, "js")).replaceAll("5173", String(port))
      .replace('"src/main.ts"', '"src/main.ts", "src/other.ts"');
    await Deno.mkdir(join(folder, "src"));
    for (const [name, text] of Object.entries({ ...files, "vite.config.js": config, "package.json": "{}" })) {
      await Deno.writeTextFile(join(folder, name), text);
    }
    await run(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Opens the page of an application and waits until its script, style sheet and image have loaded. */
async function assertLoads(app: fw.Application, meanwhile?: () => Promise<void>): Promise<void> {
  app.Logger().SetLevel("disable");
  await overSocket(app, async (_, port) => {
    await withPage(async (page) => {
      await page.goto(`http://127.0.0.1:${port}/`);
      const element = page.locator("#app");
      await element.getByText("Assam").waitFor();
      await page.waitForFunction(() => document.querySelector("img")?.naturalWidth === 7);
      assertEquals(await element.evaluate((each) => getComputedStyle(each).color), "rgb(1, 2, 3)");
      if (meanwhile === undefined) return;
      await meanwhile();
      await element.getByText("Sencha").waitFor();
    });
  });
}

Deno.test('The recipe "Vite" loads the files of a build by their names in the manifest', async () => {
  const { newApp } = await runRecipe<Recipe>("vite", ["newApp"]);
  await withProject(5173, async (folder) => {
    const { success, stderr } = await new Deno.Command(Deno.execPath(), { args: [...flags, "build"], cwd: folder })
      .output();
    assertEquals(success, true, new TextDecoder().decode(stderr));
    const app = await newApp(join(folder, "dist"));
    await assertLoads(app);
    const ask = (path: string) => app.fetch(new Request(`http://localhost${path}`));
    const page = await (await ask("/")).text();
    const [, script = ""] = /src="([^"]*)"/.exec(page) ?? [];
    assertMatch(script, /^\/assets\/main-[\w-]{8}\.js$/);
    const { headers, body } = await ask(script);
    assertEquals(headers.get("cache-control"), "public, max-age=31536000, immutable");
    await body?.cancel();
    assertEquals((await ask("/.vite/manifest.json")).status, 404);
  });
});

Deno.test('The recipe "Vite" loads scripts from the development server, which updates the page', async () => {
  const { newApp } = await runRecipe<Recipe>("vite", ["newApp"]);
  const port = freePort();
  await withProject(port, async (folder) => {
    await using vite = new Child([...flags, "serve", String(port)], {}, Deno.execPath(), folder);
    await vite.port();
    const app = await newApp(join(folder, "dist"), `http://localhost:${port}`);
    const change = () =>
      Deno.writeTextFile(join(folder, "src/main.ts"), files["src/main.ts"].replace("Assam", "Sencha"));
    await assertLoads(app, change);
  });
});
