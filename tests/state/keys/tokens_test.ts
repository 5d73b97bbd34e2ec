import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import * as keys from "../../../src/state/keys/mod.ts";
import * as tokens from "../../../src/state/keys/tokens.ts";

const ring = keys.New(keys.Generate());
const reset = tokens.New({ Keys: ring, Purpose: "reset" });
const stamp: tokens.Stamp = ["$argon2id$secret", "ada@example.com", null, 3];

Deno.test("Tokens.Issue() returns a token for a URL that does not contain the stamp", () => {
  const token = reset.Issue("7", stamp);
  assertMatch(token, /^[\w.-]+$/);
  for (const part of token.split(".")) {
    const bytes = Uint8Array.fromBase64(part.replaceAll(/[^\w-]/g, ""), {
      alphabet: "base64url",
      lastChunkHandling: "stop-before-partial",
    });
    assert(!new TextDecoder().decode(bytes).includes("ada@"));
  }
});

for (const subject of ["7", "käse 🧀", "a.b.c", "a".repeat(500), "{}"]) {
  Deno.test(`Tokens.Verify() returns the subject ${JSON.stringify(subject.slice(0, 20))}`, async () => {
    assertEquals(await reset.Verify(reset.Issue(subject, stamp), () => stamp), subject);
  });
}

const others: [name: string, stamp: tokens.Stamp | null | undefined][] = [
  ["another password", ["$argon2id$other", "ada@example.com", null, 3]],
  ["another address", ["$argon2id$secret", "eve@example.com", null, 3]],
  ["a second factor", ["$argon2id$secret", "ada@example.com", "totp", 3]],
  ["a string in place of null", ["$argon2id$secret", "ada@example.com", "null", 3]],
  ["a string in place of a number", ["$argon2id$secret", "ada@example.com", null, "3"]],
  ["values that are joined differently", ["$argon2id$secretada@example.com", null, 3]],
  ["no account", null],
  ["no account", undefined],
];
for (const [name, other] of others) {
  Deno.test(`Tokens.Verify() rejects a token if the account has ${name} (${other})`, async () => {
    assertEquals(await reset.Verify(reset.Issue("7", stamp), () => Promise.resolve(other)), undefined);
  });
}

Deno.test("Tokens.Verify() rejects tokens for other purposes, of other keys, and signatures of the same ring", async () => {
  const verify = (token: string) => reset.Verify(token, () => stamp);
  assertEquals(await verify(tokens.New({ Keys: ring, Purpose: "verify" }).Issue("7", stamp)), undefined);
  assertEquals(
    await verify(tokens.New({ Keys: keys.New(keys.Generate()), Purpose: "reset" }).Issue("7", stamp)),
    undefined,
  );
  assertEquals(await verify(ring.Sign("reset", "Nw", 60_000)), undefined);
});

Deno.test("Tokens.Verify() accepts tokens of an older key", async () => {
  const [old, fresh] = [keys.Generate(), keys.Generate()];
  const token = tokens.New({ Keys: keys.New(old), Purpose: "reset" }).Issue("7", stamp);
  assertEquals(await tokens.New({ Keys: keys.New(fresh, old), Purpose: "reset" }).Verify(token, () => stamp), "7");
});

Deno.test("Tokens.Verify() rejects expired tokens", async () => {
  using time = new FakeTime();
  const short = tokens.New({ Keys: ring, Purpose: "reset", Lifetime: 60_000 });
  const token = short.Issue("7", stamp);
  time.tick(59_000);
  assertEquals(await short.Verify(token, () => stamp), "7");
  time.tick(2_000);
  assertEquals(await short.Verify(token, () => stamp), undefined);
});

Deno.test("Tokens.Verify() rejects every changed character and malformed tokens, without an error", async () => {
  const token = reset.Issue("7", stamp);
  for (let at = 0; at < token.length; at++) {
    const changed = token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1);
    assertEquals(await reset.Verify(changed, () => stamp), undefined, changed);
  }
  for (const malformed of ["", ".", "..", "a.b.c", "x".repeat(5_000), token + "=", ` ${token}`, undefined, 7]) {
    assertEquals(await reset.Verify(malformed as string, () => stamp), undefined);
  }
});

Deno.test("tokens.New(), Issue() and Verify() reject wrong arguments", async () => {
  assertThrows(() => tokens.New({ Keys: ring, Purpose: "" }), FrameworkError);
  assertThrows(() => tokens.New({ Keys: ring, Purpose: "a", Lifetime: 0 }), FrameworkError);
  assertThrows(() => reset.Issue("", stamp), FrameworkError);
  assertThrows(() => reset.Issue("7", []), FrameworkError);
  assertThrows(() => reset.Issue("7", [undefined as unknown as string]), FrameworkError);
  await assertRejects(() => reset.Verify(reset.Issue("7", stamp), () => "text" as never), FrameworkError);
  await assertRejects(() => reset.Verify(reset.Issue("7", stamp), () => Promise.reject(new Error("no database"))));
});
