import { assertEquals, assertGreater } from "@std/assert";
import { accountFiles } from "../../src/tools/init/parts/account_files.ts";
import { root } from "../running.ts";

/** The requirements of levels 1 and 2 in the chapters 6 to 8. */
const sections: Readonly<Record<string, number>> = {
  "6.1": 3,
  "6.2": 12,
  "6.3": 4,
  "6.4": 4,
  "6.5": 5,
  "6.6": 3,
  "6.8": 4,
  "7.1": 3,
  "7.2": 4,
  "7.3": 2,
  "7.4": 5,
  "7.5": 2,
  "7.6": 2,
  "8.1": 2,
  "8.2": 3,
  "8.3": 1,
  "8.4": 1,
};

const row = /^\| (\d\.\d\.\d+) +\| [12] +\| (.+?) +\| (.+?) +\|$/gm;

async function testsOfFw(): Promise<string> {
  const files = [
    "tests/middleware/auth_test.ts",
    "tests/middleware/password/password_check_test.ts",
    "tests/state/keys/tokens_test.ts",
    "tests/state/sessions/user_sessions_test.ts",
  ];
  return (await Promise.all(files.map((file) => Deno.readTextFile(root + file)))).join("\n");
}

Deno.test("the page on ASVS has a test or a reason for every requirement", async () => {
  const page = await Deno.readTextFile(`${root}examples/book/reference/asvs.md`);
  const rows = [...page.matchAll(row)];
  const wanted = Object.entries(sections).flatMap(([section, count]) =>
    Array.from({ length: count }, (_, at) => `${section}.${at + 1}`)
  );
  assertEquals(rows.map(([, number]) => number), wanted);
  const [ours, theirs] = [await testsOfFw(), accountFiles["accounts/accounts_test.ts"] ?? ""];
  const missing = rows.filter(([, , , shown = ""]) => {
    const [, owner = "", name = ""] = /^(fw )?"(.+)"$/.exec(shown) ?? [];
    if (name === "") return !/^Reason: .{10,}$/.test(shown);
    return !(owner === "" ? theirs : ours).includes(name);
  });
  assertEquals(missing.map(([, number, , shown]) => `${number}: ${shown}`), []);
  assertGreater(rows.length, 50);
});
