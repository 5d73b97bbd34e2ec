import { assert, assertEquals, assertLessOrEqual, assertStringIncludes } from "@std/assert";
import * as fw from "@fw/web";
import * as init from "@fw/web/init";
import config from "../../../deno.json" with { type: "json" };
import { readBook } from "../../book/pages.ts";
import { runProgram } from "../../running.ts";

const choices = { Name: "my-app", API: true, Site: true, MVC: true, Sessions: true };

Deno.test("init.Files() includes an AGENTS.md of at most 60 lines", () => {
  for (const API of [true, false]) {
    const text = init.Files({ ...choices, API }).get("AGENTS.md") ?? "";
    assertLessOrEqual(text.split("\n").length, 60);
    assertStringIncludes(text, "# Instructions for agents: my-app");
    assertEquals(text.split("\n").filter((line) => line.length > 120), []);
  }
});

Deno.test("AGENTS.md names only tasks, files, entry points and error codes that exist", async () => {
  const pages = (await readBook()).map(({ name }) => `book/${name}`);
  const files = init.Files(choices);
  const text = files.get("AGENTS.md") ?? "";
  const { tasks } = JSON.parse(files.get("deno.json") ?? "");
  for (const [, task = ""] of text.matchAll(/deno task (\w+)/g)) assert(task in tasks, task);
  for (const [, entry = ""] of text.matchAll(/@fw\/web\/([a-z/]+[a-z])/g)) {
    assert(entry === "doc" || pages.includes(entry) || `./${entry}` in config.exports, entry);
  }
  for (const [, path = ""] of text.matchAll(/`((?:main|views|public|deno)[\w./]*)`:/g)) {
    assert([...files.keys()].some((file) => file.startsWith(path)), path);
  }
  for (const [code] of text.matchAll(/FW_[A-Z_]+/g)) assert(code in fw.ErrorCodes, code);
});

Deno.test("AGENTS.md names the folder of the accounts if there is one", () => {
  const text = (Accounts: boolean) => init.Files({ ...choices, Accounts }).get("AGENTS.md") ?? "";
  assertStringIncludes(text(true), "- `accounts/`: ");
  assertEquals(text(false).includes("accounts"), false);
  assertLessOrEqual(text(true).split("\n").length, 60);
});

Deno.test("init writes AGENTS.md into the new folder, formatted like deno fmt", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const { code } = await runProgram("src/tools/init/mod.ts", ["my-app", "--api"], folder);
    assertEquals(code, 0);
    const app = `${folder}/my-app`;
    const command = new Deno.Command(Deno.execPath(), { args: ["fmt", "--check", "AGENTS.md"], cwd: app });
    const { success, stderr } = await command.output();
    assert(success, new TextDecoder().decode(stderr));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
