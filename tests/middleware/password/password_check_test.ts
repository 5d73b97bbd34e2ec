import { assertEquals, assertLess, assertRejects } from "@std/assert";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import * as auth from "../../../src/middleware/auth.ts";
import { processorTime } from "../../growth.ts";

const short = { MinLength: 8 };

const passwords: [password: string, problem: auth.PasswordProblem | undefined, options?: auth.PasswordOptions][] = [
  ["", "short"],
  ["fourteen chars", "short"],
  ["👩‍🚀".repeat(2), "short"],
  ["x".repeat(257), "long"],
  ["password", "common", short],
  ["Passw0rd!", "common", short],
  ["P@$$w0rd2026", "common", short],
  ["12345678", "common", short],
  ["87654321", "common", short],
  ["11111111", "common", short],
  ["abcd1234", "common", short],
  ["qwertyui", "common", short],
  ["1qaz2wsx", "common", short],
  ["iloveyou", "common", short],
  ["sunshine1", "common", short],
  ["trustno1", "common", short],
  ["Summer2026!", "common", short],
  ["letmein123", "common", short],
  ["football99", "common", short],
  ["zxcvbnm,./", "common", short],
  ["1q2w3e4r5t6y", "common", short],
  ["passwordpassword", "common"],
  ["1234567890123456", "common"],
  ["qwertyuiopasdfghjkl", "common"],
  ["iloveyouiloveyou", "common"],
  ["Password1234567890", "common"],
  ["changeme changeme changeme", "common"],
  ["welcome-welcome-2026", "common"],
  ["aaaaaaaaaaaaaaaaaaaa", "common"],
  ["abcdefghijklmnop", "common"],
  ["ada.lovelace.1815", "known", { Words: ["Ada Lovelace", "ada@example.com"] }],
  ["lovelace password", "known", { Words: ["Ada Lovelace"] }],
  ["teahouse-teahouse", "known", { Words: ["Teahouse"] }],
  ["the kettle sings at dawn", undefined],
  ["correcthorsebatterystaple", undefined],
  ["vGk3!x9#Lq2$mZ7p", undefined],
  ["the kettle sings at dawn ".repeat(10), undefined],
  ["ünïcödé ïs wélcömé", undefined],
  ["тридцать три коровы", undefined],
  ["jaunty7", undefined, { MinLength: 7 }],
];
for (const [password, problem, options] of passwords) {
  const name = JSON.stringify(password.slice(0, 30));
  Deno.test(`auth.CheckPassword() of ${name} returns ${problem} (${JSON.stringify(options ?? {})})`, async () => {
    assertEquals(await auth.CheckPassword(password, options), problem);
  });
}

Deno.test("auth.CheckPassword() looks up breached passwords only with a function, and after the other checks", async () => {
  const asked: string[] = [];
  const Breached = (password: string) => Promise.resolve(asked.push(password) > 0);
  assertEquals(await auth.CheckPassword("short", { Breached }), "short");
  assertEquals(await auth.CheckPassword("the kettle sings at dawn", { Breached }), "breached");
  assertEquals(asked, ["the kettle sings at dawn"]);
  assertEquals(await auth.CheckPassword("the kettle sings at dawn", { Breached: () => false }), undefined);
  await assertRejects(
    () => auth.CheckPassword("the kettle sings at dawn", { Breached: () => 1 as never }),
    FrameworkError,
  );
});

Deno.test("auth.CheckPassword() takes little time for any password", async () => {
  await auth.CheckPassword("a".repeat(15));
  const before = processorTime();
  for (const each of ["a", "ab", "1", "password", "qwe", "."]) {
    await auth.CheckPassword(each.repeat(256).slice(0, 256));
  }
  assertLess(processorTime() - before, 1_000);
});
