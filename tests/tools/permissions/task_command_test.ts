import { assertEquals } from "@std/assert";
import { quote, type Task, taskCommand } from "../../../src/tools/permissions/task_command.ts";

/** Commands of tasks, and the same commands with other permissions. */
const commands: readonly (readonly [Task, string])[] = [
  ["deno run -A main.ts", "LOG=1 deno run --new main.ts"],
  ["deno  test", "LOG=1 deno test --new"],
  ["deno test -RW=. --allow-net=a,b -P --no-prompt --parallel -- -A.ts", "LOG=1 deno test --new --parallel -- -A.ts"],
  [`A=1 deno serve --allow-read="a b" -P=x s.ts`, "A=1 LOG=1 deno serve --new s.ts"],
  [
    "deno fmt && (deno run -A a.ts | deno run b.ts); echo deno run",
    "deno fmt && (LOG=1 deno run --new a.ts | LOG=1 deno run --new b.ts); echo deno run",
  ],
  ["deno task other && echo 'deno run -A; x'", "(LOG=1 deno bench --new) && echo 'deno run -A; x'"],
  ["deno task unknown", "deno task unknown"],
  [{ command: "deno run x.ts", dependencies: ["a b"] }, "deno task 'a b' && LOG=1 deno run --new x.ts"],
  [{ dependencies: ["other"] }, "deno task other"],
];

Deno.test("taskCommand() replaces the permissions of each program", () => {
  const actual = commands.map(([task]) =>
    taskCommand({ task, other: "deno bench -A" }, "task", () => ({ flags: ["--new"], env: ["LOG=1"] }))
  );
  assertEquals(actual.map((line) => line.replace(/ +/g, " ")), commands.map(([, expected]) => expected));
});

Deno.test("quote() quotes words with spaces, quotes and patterns", () => {
  assertEquals(["a", "a b", "it's", "A_*", "C:\\x"].map(quote), ["a", "'a b'", `'it'"'"'s'`, "'A_*'", "'C:\\x'"]);
});
