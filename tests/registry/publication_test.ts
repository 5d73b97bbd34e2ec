/**
 * A publication, which takes 20 seconds and is shared by all tests: which versions it bundles, and the model extension
 * as an author would use it, in a separate folder, against the published package, and in a program whose application
 * uses another version of fw.
 *
 * @module
 */

import { fromFileUrl, join } from "@std/path";
import { cp } from "node:fs/promises";
import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import config from "../../deno.json" with { type: "json" };
import { run, serve } from "./processes.ts";
import { publishAll, type Published, runDeno } from "./publish_all.ts";

const root = new URL("../../", import.meta.url);
/** A version of the standard library that is newer than the locked one, so that only the lock file rules it out. */
const newerStd = "1.999.0";

let published: Published;
Deno.test.beforeAll(async () => void (published = await publishAll({ newer: newerStd })));
Deno.test.afterAll(async () => await published[Symbol.asyncDispose]());

Deno.test("the publication bundles the locked versions of the standard library, or fails", async (t) => {
  const { env, folder, packages, publisher } = published;
  const publish = (file: string, version: string) => {
    const args = [
      "--no-test",
      `--lock=${file}`,
      "--allow-dirty",
      "--no-check",
      "--token=x",
      `--set-version=${version}`,
    ];
    return runDeno(["run", "-A", "tests/repo/publish.ts", ...args], fromFileUrl(root), publisher);
  };
  const locked = JSON.parse(await Deno.readTextFile(published.lock));
  const [first = ""] = Object.keys(locked.jsr).filter((name) => name.startsWith("@std/path@"));
  assertMatch(locked.jsr[first].integrity, /^[0-9a-f]{64}$/);
  assert(packages.includes(`@std/path@${newerStd}`));

  await t.step("a newer version in the registry has no effect", async () => {
    const licenses = await (await fetch(`${env.JSR_URL}@fw/web/${config.version}/js/LICENSES.md`)).text();
    assertStringIncludes(licenses, `- ${first}\n`);
    assertEquals(licenses.includes(newerStd), false);
  });
  await t.step("a lock file that does not name a package is not completed", async () => {
    const { [first]: _, ...others } = locked.jsr;
    const specifiers = Object.entries(locked.specifiers).filter(([name]) => !name.startsWith("jsr:@std/path@"));
    const short = join(folder, "short.lock");
    await Deno.writeTextFile(
      short,
      JSON.stringify({ ...locked, jsr: others, specifiers: Object.fromEntries(specifiers) }),
    );
    await assertRejects(() => publish(short, "9.0.1"), Error, "The lockfile is out of date");
  });
  await t.step("a package with another checksum is rejected", async () => {
    const forged = join(folder, "forged.lock");
    const other = { ...locked.jsr, [first]: { ...locked.jsr[first], integrity: "0".repeat(64) } };
    await Deno.writeTextFile(forged, JSON.stringify({ ...locked, jsr: other }));
    await assertRejects(() => publish(forged, "9.0.2"), Error, "Integrity check failed");
  });
  await t.step("a missing lock file is reported with its remedy", async () => {
    await assertRejects(() => publish(join(folder, "none.lock"), "9.0.3"), Error, 'write it with "deno task lock"');
  });
  const uploaded = packages.filter((name) => name.startsWith("@fw/web@"));
  assertEquals(uploaded, [`@fw/web@${config.version}`]);
});

const [major, minor, patch] = config.version.split(".").map(Number);
/** The version that the extension is built with. The application uses the current one. */
const next = `${major}.${minor}.${(patch ?? 0) + 1}`;

const mounting = `import * as fw from "@fw/web";
import * as apps from "@fw/web/apps";
import * as flags from "@example/flags";

function newApp(text: string): fw.Application {
  const app = fw.New();
  const current = app.Install(flags.New({ Load: () => text, Every: 20 }));
  app.Get("/", (ctx) => ctx.WriteString(flags.Get(ctx).Names.join(" ")));
  app.Get("/current", (ctx) => ctx.JSON(current().Names));
  return app;
}

const outer = newApp("outer");
outer.Mount("/inner", newApp("inner"));
export default apps.Switch([{ Pattern: "other.example", Target: newApp("other") }, { Pattern: /./, Target: outer }]);
`;

const together = `import * as fw from "@fw/web";
import * as jobs from "@fw/web/jobs";
import * as next from "@fw/next";
import * as flags from "@example/flags";

if (Object.is(fw.New, next.New)) throw new Error("There is only one version");
const app = fw.New();
app.Install(flags.New({ Load: () => "a b" }));
const seen: string[] = [];
function look(_: undefined, ctx: jobs.Context): void {
  seen.push(flags.Get(ctx).Names.join(" "));
}
const queue = jobs.New(jobs.NewMemory()).Handle(look).RunWith(app);
app.RegisterView(fw.HTML("").ParseTemplate("page.html", '<%= flag("a") %>'));
app.Get("/", (ctx) => ctx.View("page"));
app.Get("/job", async () => void await queue.Add(look));
app.Get("/refused", () => {
  throw new next.HTTPError(418, "Short and stout");
});
const inner = next.New();
inner.Get("/", (ctx) => ctx.WriteString("inner " + ctx.Path()));
app.Mount("/inner", inner.fetch);
for (const path of ["/", "/flags", "/job", "/refused", "/inner"]) {
  const response = await app.fetch(new Request("http://localhost" + path));
  console.log(response.status, await response.text());
}
await queue.Drain();
console.log(seen.join());
try {
  next.mvc.New(app as never);
} catch (error) {
  console.log((error as Error).message);
}
await app.Shutdown();
`;

Deno.test("the model extension works against the published package, and beside another version of fw", async (t) => {
  const here = async (name: string) => {
    const cwd = join(published.folder, name);
    await cp(fromFileUrl(new URL("examples/extension", root)), cwd, { recursive: true });
    return { cwd, env: published.env };
  };
  const configure = async (cwd: string, name: string, imports: Readonly<Record<string, string>>) => {
    const own = JSON.parse(await Deno.readTextFile(join(cwd, "deno.json")));
    own.imports = { ...own.imports, ...imports };
    await Deno.writeTextFile(join(cwd, name), JSON.stringify(own));
  };

  await t.step("its tests pass in a folder of its own, and it can be published", async () => {
    const own = await here("own");
    await run("deno check mod.ts mod_test.ts", own);
    // Every further check would check fw's sources again.
    assertStringIncludes(await run("deno test --no-check --allow-env --allow-read", own), "0 failed");
    assertStringIncludes(await run("deno publish --no-check --dry-run --allow-dirty --token x", own), "Success");
  });

  await t.step("deno serve runs it, also mounted and switched", async () => {
    const own = await here("served");
    await configure(own.cwd, "deno.json", { "@example/flags": "./mod.ts" });
    await Deno.writeTextFile(join(own.cwd, "main.ts"), mounting);
    await using server = await serve("deno serve --port 0 --host 127.0.0.1 main.ts", own);
    const textOf = async (path: string) => await (await fetch(new URL(path, server.url))).text();
    assertEquals(await textOf("/"), "outer");
    assertEquals(await textOf("/inner"), "inner");
    assertEquals(await textOf("/inner/current"), '["inner"]');
    assertEquals(await textOf("/flags"), '["outer"]');
  });

  await t.step("an application of one version installs it, built with another one", async () => {
    published.republish("@fw/web", config.version, next);
    const own = await here("newer");
    await configure(own.cwd, "deno.json", { "@fw/web": `jsr:@fw/web@^${next}` });
    await run("deno publish --no-check --token x --allow-dirty", own);
    const program = join(published.folder, "together");
    await Deno.mkdir(program);
    const imports = {
      "@fw/web": `jsr:@fw/web@${config.version}`,
      "@fw/next": `jsr:@fw/web@${next}`,
      "@example/flags": "jsr:@example/flags@1.0.0",
    };
    await Deno.writeTextFile(join(program, "deno.json"), JSON.stringify({ imports }));
    await Deno.writeTextFile(join(program, "main.ts"), together);
    // A cache that does not know the versions from before.
    const env = { ...published.env, DENO_DIR: join(published.folder, "second") };
    await run("deno check main.ts", { cwd: program, env });
    const lines = (await run("deno run --quiet --allow-env --allow-read main.ts", { cwd: program, env })).split("\n");
    assertEquals(lines.slice(0, 5), ["200 true", '200 ["a","b"]', "200 ", "418 Short and stout", "200 inner /"]);
    assertEquals(lines.includes("a b"), true, lines.join("\n"));
    const message = lines.find((line) => line.startsWith("Cannot use a Party of another copy of fw")) ?? "";
    for (const version of [config.version, next]) assertStringIncludes(message, `/@fw/web/${version}/`);
  });
});
