import { assertEquals, assertLessOrEqual } from "@std/assert";
import { accountFiles as files } from "../../../../src/tools/init/parts/account_files.ts";
import { accountFiles } from "../account_files.ts";

Deno.test("accountFiles() has created src/tools/init/parts/account_files.ts from its sources", async () => {
  const module = new URL("../../../../src/tools/init/parts/account_files.ts", import.meta.url);
  assertEquals(await Deno.readTextFile(module) === await accountFiles(), true, "run tests/tools/init/account_files.ts");
});

Deno.test("the files of accounts are short enough to be read", () => {
  const count = (pattern: RegExp) => {
    const texts = Object.entries(files).filter(([path]) => pattern.test(path)).map(([, text]) => text);
    return texts.join("").split("\n").filter((line) => !/^\s*(?:\/\/.*|\/?\*.*)?$/.test(line)).length;
  };
  assertLessOrEqual(count(/(?<!_test)\.ts$/), 800);
  assertLessOrEqual(count(/\.(?:html|yml|css|js)$/), 600);
  assertLessOrEqual(count(/_test\.ts$/), 500);
});
