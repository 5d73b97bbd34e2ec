import { assertEquals, assertGreater } from "@std/assert";
import { accountFiles } from "../../src/tools/init/parts/account_files.ts";
import { root } from "../running.ts";

/** The levels of the requirements in each section, in order. Those of level 3 come last. */
const sections: Readonly<Record<string, string>> = {
  "6.1": "122",
  "6.2": "111111112222",
  "6.3": "1122",
  "6.4": "1122",
  "6.5": "22222",
  "6.6": "222",
  "6.8": "2222",
  "7.1": "222",
  "7.2": "1111",
  "7.3": "22",
  "7.4": "11222",
  "7.5": "22",
  "7.6": "22",
  "8.1": "12",
  "8.2": "112",
  "8.3": "1",
  "8.4": "2",
};

const row = /^\| (\d\.\d\.\d+) +\| ([12]) +\| (.+?) +\| (.+?) +\|$/gm;

async function testsOfFw(): Promise<string> {
  const files = [
    "tests/middleware/auth_test.ts",
    "tests/middleware/oauth_test.ts",
    "tests/middleware/password/password_check_test.ts",
    "tests/state/keys/tokens_test.ts",
    "tests/state/sessions/user_sessions_test.ts",
    ...["links", "logins", "races", "requests", "settings", "takeovers"]
      .map((name) => `tests/hardening/accounts/${name}.ts`),
  ];
  return (await Promise.all(files.map((file) => Deno.readTextFile(root + file)))).join("\n");
}

Deno.test("the page on ASVS has a test or a reason for every requirement", async () => {
  const page = await Deno.readTextFile(`${root}examples/book/reference/asvs.md`);
  const rows = [...page.matchAll(row)];
  const wanted = Object.entries(sections).flatMap(([section, levels]) =>
    Array.from(levels, (level, at) => `${section}.${at + 1} ${level}`)
  );
  assertEquals(rows.map(([, number, level]) => `${number} ${level}`), wanted);
  const [ours, theirs] = [await testsOfFw(), accountFiles["accounts/accounts_test.ts"] ?? ""];
  const missing = rows.filter(([, , , , shown = ""]) => {
    const [, owner = "", name = ""] = /^(fw )?"(.+)"$/.exec(shown) ?? [];
    if (name === "") return !/^Reason: .{10,}$/.test(shown);
    return !(owner === "" ? theirs : ours).includes(name);
  });
  assertEquals(missing.map(([, number, , , shown]) => `${number}: ${shown}`), []);
  assertGreater(rows.length, 50);
});
