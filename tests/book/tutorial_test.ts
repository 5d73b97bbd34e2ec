/**
 * Each step of the tutorial is built from its page, tested, started and looked at. Their types are checked together with
 * those of new applications, in `tests/tools/init/typed_test.ts`.
 */

import { Buffer } from "node:buffer";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { walk } from "@std/fs/walk";
import { join, toFileUrl } from "@std/path";
import { executable, withPage } from "../browser.ts";
import { freePort } from "../free_port.ts";
import { run, serve } from "../registry/processes.ts";
import { applyStep, type Command, createState, isShown, readSteps, type Step, stepOf } from "./tutorial.ts";

const steps = await readSteps();

/** The commands that are not run as they are, and the reasons. */
const otherwise: readonly (readonly [RegExp, string])[] = [
  [/^deno run -A jsr:@fw\/web\/init /, "createState() runs it with this checkout"],
  [/^cd tickets$/, "all commands run in this folder"],
  [/^(CHROME=\S+ )?deno task (test|check)$/, "runs for every step"],
  [/^deno task (dev|start)$/, "runs for every step, on a free port"],
  [/^deno task compile$/, "needs a download beside Deno; another test checks what it embeds"],
  [/^\.\/dist\/app$/, "needs the binary"],
  [/^docker /, "needs a container engine; another test compares the flags"],
];

/** Builds the state after a step in a new folder, passes it to a function, and removes it. */
async function inState(last: number, work: (cwd: string, before: () => Promise<void>) => Promise<void>): Promise<void> {
  const parent = await Deno.makeTempDir();
  try {
    const cwd = await createState(steps[0] as Step, parent);
    for (const step of steps.slice(0, last)) await applyStep(step, cwd);
    await work(cwd, () => applyStep(steps[last] as Step, cwd));
  } finally {
    await Deno.remove(parent, { recursive: true });
  }
}

for (const [index, step] of steps.entries()) {
  Deno.test(`tutorial: ${step.file} builds an application that does what the page says`, () =>
    inState(index, async (cwd, apply) => {
      await runCommands(step.first, cwd);
      await apply();
      const isLast = index === steps.length - 1;
      const tested = await run(`deno test --allow-all --no-check ${isLast ? "" : await gatherTests(cwd)}`, {
        cwd,
        env: { CHROME: executable },
      });
      assert(/ok \| \d+ passed \| 0 failed \(/.test(tested), tested);
      await runCommands(step.commands, cwd);
      await using server = await serve("deno task start", { cwd, env: { PORT: "0" } });
      const home = await fetch(server.url);
      assertEquals([home.status, (await home.text()).includes("</main>")], [200, true]);
    }));
}

/**
 * Writes a module next to an application that imports all its tests, because each module would load fw again. The tests
 * of the last step run as on its page, one module after the other.
 *
 * @returns The path of the module in quotation marks.
 */
async function gatherTests(cwd: string): Promise<string> {
  const files = await Array.fromAsync(walk(cwd, { includeDirs: false, match: [/_test\.ts$/] }));
  const file = join(cwd, "..", "all_test.ts");
  await Deno.writeTextFile(file, files.map(({ path }) => `import ${JSON.stringify(toFileUrl(path))};\n`).join(""));
  return `--config=deno.json "${file}"`;
}

/** Runs commands next to the server, and compares their output with that on the page. */
async function runCommands(commands: readonly Command[], cwd: string): Promise<void> {
  const chosen = commands.filter(({ line }) => !otherwise.some(([pattern]) => pattern.test(line)));
  if (chosen.length === 0) return;
  await using server = await serve("deno task dev", { cwd, env: { PORT: "0" } });
  const { host } = new URL(server.url);
  for (const { line, output } of chosen) {
    const typed = line.replaceAll("localhost:8080", host);
    // A filter such as `grep -c` and a time limit of `curl` end with another code.
    const text = await run(output === undefined ? typed : `{ ${typed}; } 2>/dev/null || true`, { cwd, env: {} });
    const shown = text.replaceAll(host, "localhost:8080");
    if (output !== undefined) assert(isShown(output, shown), `${line}\n${shown}\nThe page shows:\n${output}`);
  }
}

/** A visitor with cookies, over HTTP. */
class Visitor {
  readonly #url: string;
  #cookie = "";

  constructor(url: string) {
    this.#url = url;
  }

  async post(path: string, fields: Record<string, string>): Promise<number> {
    const response = await fetch(this.#url + path, {
      method: "POST",
      headers: { cookie: this.#cookie },
      body: new URLSearchParams(fields),
      redirect: "manual",
    });
    await response.body?.cancel();
    this.#cookie = response.headers.getSetCookie().map((cookie) => cookie.split(";")[0]).join("; ") || this.#cookie;
    return response.status;
  }
}

const show = { title: "Mimes", starts: "2027-04-01T19:00", price: "9", rows: "2", seats: "3" };

Deno.test("tutorial: the seat map of an open page is right after changes, and after a restart of the server", () =>
  inState(8, async (cwd) => {
    const PORT = String(freePort());
    const url = `http://127.0.0.1:${PORT}`;
    const ada = new Visitor(url);
    await withPage(async (page) => {
      const seat = (name: string, state: string) => page.locator(`[value="${name}"][data-state="${state}"]`).waitFor();
      {
        await using _server = await serve("deno task start", { cwd, env: { PORT } });
        assertEquals(await ada.post("/signup", { email: "ada@example.com", password: "difference engine" }), 303);
        assertEquals(await ada.post("/admin/shows/new", show), 303);
        await page.goto(`${url}/shows/1`);
        await seat("A1", "free");
        assertEquals(await ada.post("/shows/1/hold", { seat: "A1" }), 303);
        await seat("A1", "held");
        assert(await page.locator('[value="A1"]').isDisabled());
      }
      await using _server = await serve("deno task start", { cwd, env: { PORT } });
      // The page may not be connected again. Then it learns from the snapshot.
      assertEquals(await ada.post("/shows/1/hold", { seat: "B3" }), 303);
      await seat("B3", "held");
      assertEquals(await ada.post("/shows/1/buy", { seat: "A1" }), 303);
      await seat("A1", "sold");
    });
  }));

/** A PNG image of one pixel. */
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

Deno.test("tutorial: the pages of the finished shop work under its content security policy, in both languages", () =>
  inState(10, async (cwd) => {
    await using server = await serve("deno task start", { cwd, env: { PORT: "0", HOLD_MINUTES: "0.02" } });
    const url = server.url.replace("localhost", "127.0.0.1");
    await withPage(async (page) => {
      const messages: string[] = [];
      page.on("console", (message) => message.type() === "error" && messages.push(message.text()));
      await page.goto(`${url}/signup`);
      await page.getByLabel("Email address").fill("ada");
      await page.locator("main form").evaluate((form) =>
        (form as unknown as { noValidate: boolean }).noValidate = true
      );
      await page.locator("main button").click();
      await page.getByText("Enter an email address").waitFor();
      messages.length = 0; // the browser reports the status 422
      await page.getByLabel("Email address").fill("ada@example.com");
      await page.getByLabel("Password").fill("difference engine");
      await page.locator("main button").click();
      await page.getByText("Welcome, ada@example.com.").waitFor();
      await page.getByRole("link", { name: "New show" }).click();
      await page.getByLabel("Title").fill("Mimes");
      await page.getByLabel("Date and time").fill("2027-04-01T19:00");
      await page.getByLabel("Price in euros").fill("9");
      await page.getByLabel("Poster").setInputFiles({ name: "mimes.png", mimeType: "image/png", buffer: pixel });
      await page.getByRole("button", { name: "Add the show" }).click();
      await page.getByText('"Mimes" has been added.').waitFor();
      assertEquals(await page.locator("main img").evaluate((image) => Reflect.get(image, "naturalWidth")), 1);
      await page.getByRole("button", { name: "A1", exact: true }).click();
      await page.getByText("A1 is yours for ten minutes.").waitFor();
      await page.locator('[value="A1"][data-state="free"]').waitFor(); // the job has freed it
      assertEquals(await page.locator(".mine").count(), 0);
      await page.getByRole("link", { name: "Deutsch" }).click();
      await page.getByRole("heading", { name: "Vorstellungen" }).waitFor();
      await page.goto(`${url}/openapi`);
      await page.getByText("Reserves a seat for ten minutes").first().waitFor();
      await page.goto(`${url}/admin/jobs`);
      assertEquals(messages, []);
    });
  }));

Deno.test("tutorial: the Dockerfile has the flags of the task, and a binary contains the files that the shop reads", () =>
  inState(10, async (cwd) => {
    const { tasks } = JSON.parse(await Deno.readTextFile(join(cwd, "deno.json")));
    const docker = await Deno.readTextFile(join(cwd, "Dockerfile"));
    const command: string[] = JSON.parse(/^CMD (.+)$/m.exec(docker)?.[1] ?? "[]");
    assertEquals(["deno", ...command].join(" "), tasks.start);
    await inState(0, async (first) => {
      const line = (text: string) => text.split("\n")[0];
      assertEquals(line(docker), line(await Deno.readTextFile(join(first, "Dockerfile"))));
    });
    assertStringIncludes(tasks.compile, /deno run (.+) main\.ts/.exec(tasks.start)?.[1] ?? "?");
    // The runtime of a binary would have to be downloaded. Any program works for checking what is appended to it.
    const compile = tasks.compile.replace("deno compile ", "deno compile --no-check ");
    const text = await run(compile, { cwd, env: { DENORT_BIN: Deno.execPath() } });
    for (const folder of ["views", "public", "locales"]) assert(new RegExp(` ${folder}[/ ]`).test(text), text);
  }));

Deno.test("stepOf() finds files, changed lines, deleted files, and commands with their output", () => {
  const text =
    "```sh\ninit\n```\n\n```ts ignore\n// a/b.ts\nx;\n```\n\nDelete the file `c.ts`. Delete the file `d/e.ts`.\n\n" +
    '```jsonc\n// deno.json (changed lines)\n{ "a": 1 }\n```\n\n```sh\ncurl a \\\n  b   # why\n# → 1\n# → 2…\n```\n';
  assertEquals(stepOf({ file: "x.md", text }), {
    file: "x.md",
    files: new Map([["a/b.ts", "x;\n"]]),
    changes: new Map([["deno.json", { a: 1 }]]),
    deleted: ["c.ts", "d/e.ts"],
    first: [{ line: "init", output: undefined }],
    commands: [{ line: "curl a   b", output: "1\n2…" }],
  });
  assertEquals([isShown("1\n2…", "1\n  23\n"), isShown("1\n2", "1\n23")], [true, false]);
});
