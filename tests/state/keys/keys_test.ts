import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { FrameworkError } from "../../../src/base/errors/errors.ts";
import * as keys from "../../../src/state/keys/mod.ts";

const [one, two] = ["1".repeat(32), "2".repeat(32)];
const ring = keys.New(one);
const texts = ["", ".", "a.b.c", "ö \u{1f42f}", "x".repeat(4000), "=;, \n\0"];

for (const text of texts) {
  Deno.test(`Keys.Verify() and Decrypt() return ${JSON.stringify(text.slice(0, 9))}`, () => {
    assertEquals(ring.Verify("p", ring.Sign("p", text)), text);
    assertEquals(ring.Decrypt("p", ring.Encrypt("p", text)), text);
    assertEquals(ring.Verify("p", ring.Sign("p", text, 1000)), text);
    assertEquals(ring.Decrypt("p", ring.Encrypt("p", text, 1000)), text);
  });
}

Deno.test("Keys.Verify() rejects a string with any one character changed, added or removed", () => {
  const signed = ring.Sign("p", "user=1", 60_000);
  for (let at = 0; at < signed.length; at++) {
    const other = signed[at] === "A" ? "B" : "A";
    assertEquals(ring.Verify("p", signed.slice(0, at) + other + signed.slice(at + 1)), undefined);
    assertEquals(ring.Verify("p", signed.slice(0, at) + signed.slice(at + 1)), undefined);
    assertEquals(ring.Verify("p", `${signed.slice(0, at)}A${signed.slice(at)}`), undefined);
  }
});

Deno.test("Keys.Decrypt() rejects a string with any one bit changed, and every shorter one", () => {
  const bytes = Uint8Array.fromBase64(ring.Encrypt("p", "user=1"), { alphabet: "base64url" });
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = bytes.slice();
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ 1 << (bit & 7);
    assertEquals(ring.Decrypt("p", changed.toBase64({ alphabet: "base64url" })), undefined);
  }
  for (let length = 0; length < bytes.length; length++) {
    assertEquals(ring.Decrypt("p", bytes.slice(0, length).toBase64({ alphabet: "base64url" })), undefined);
  }
});

Deno.test("Keys.Verify() and Decrypt() reject values for another purpose", () => {
  for (const purpose of ["q", "", "p.", "P", "pp"]) {
    assertEquals(ring.Verify(purpose, ring.Sign("p", "text")), undefined);
    assertEquals(ring.Decrypt(purpose, ring.Encrypt("p", "text")), undefined);
  }
  // Characters cannot be moved between the purpose and the text.
  assertEquals(ring.Verify("ab", ring.Sign("a", "btext")), undefined);
});

Deno.test("Keys.Verify() distinguishes signatures with and without an expiry time", () => {
  const signed = ring.Sign("p", "text", 60_000);
  const [text = "", expires = "", signature = ""] = signed.split(".");
  assertEquals(ring.Verify("p", `${text}..${signature}`), undefined);
  assertEquals(ring.Verify("p", `${text}.${expires}0.${signature}`), undefined);
  assertEquals(ring.Verify("p", `${text}.${expires}.${signature}`), "text");
});

Deno.test("Keys.Verify() and Decrypt() reject an expired string", () => {
  using time = new FakeTime();
  const [signed, sealed] = [ring.Sign("p", "text", 5000), ring.Encrypt("p", "text", 5000)];
  time.tick(4000);
  assertEquals([ring.Verify("p", signed), ring.Decrypt("p", sealed)], ["text", "text"]);
  time.tick(2001);
  assertEquals([ring.Verify("p", signed), ring.Decrypt("p", sealed)], [undefined, undefined]);
});

Deno.test("Keys: a key ring verifies and decrypts with older secrets, and signs with the first one", () => {
  const [old, young, both] = [keys.New(one), keys.New(two), keys.New(two, one)];
  assertEquals(both.Verify("p", old.Sign("p", "text")), "text");
  assertEquals(both.Decrypt("p", old.Encrypt("p", "text")), "text");
  assertEquals(young.Verify("p", both.Sign("p", "text")), "text");
  assertEquals(young.Decrypt("p", both.Encrypt("p", "text")), "text");
  assertEquals(young.Verify("p", old.Sign("p", "text")), undefined);
  assertEquals(young.Decrypt("p", old.Encrypt("p", "text")), undefined);
});

Deno.test("Keys.Encrypt() returns a different string each time, which is a valid cookie value", () => {
  const sealed = ring.Encrypt("p", "text");
  assertNotEquals(sealed, ring.Encrypt("p", "text"));
  assert(/^[\w-]+$/.test(sealed));
});

Deno.test("Keys derive separate keys for signatures and encryption", () => {
  const signature = ring.Sign("p", "text").split(".")[2] ?? "";
  assertNotEquals(signature, keys.New(two).Sign("p", "text").split(".")[2]);
  assertEquals(ring.Decrypt("p", ring.Sign("p", "text")), undefined);
  assertEquals(ring.Verify("p", ring.Encrypt("p", "text")), undefined);
});

for (const secret of ["", "short", "x".repeat(31), new Uint8Array(31)]) {
  Deno.test(`keys.New() rejects a secret of ${secret.length} bytes, even as an older one`, () => {
    assertThrows(() => keys.New(secret), FrameworkError, "it must have at least 32");
    assertThrows(() => keys.New(one, secret), FrameworkError, "it must have at least 32");
  });
}

Deno.test("keys.New() rejects a missing secret and values that are not strings or bytes", () => {
  for (const secret of [undefined, null, 5, {}] as unknown as keys.Secret[]) {
    assertThrows(() => keys.New(secret), FrameworkError, `Cannot use a secret of type "${typeof secret}"`);
  }
});

Deno.test("keys.Generate() returns a different secret each time, which keys.New() accepts", () => {
  const secret = keys.Generate();
  assertNotEquals(secret, keys.Generate());
  assertEquals(keys.New(secret).Verify("p", keys.New(secret).Sign("p", "text")), "text");
});

Deno.test("Keys.Decrypt() rejects every other spelling of a string", () => {
  const ring = keys.New(keys.Generate());
  for (const text of ["a", "ab", "abc", "abcd"]) {
    const sealed = ring.Encrypt("tea", text, 60_000);
    assertEquals(ring.Decrypt("tea", sealed), text);
    for (
      const other of [`${sealed}x`, `${sealed}=`, `${sealed}.`, ` ${sealed}`, `${sealed}\n`, sealed.replace(/.$/, "")]
    ) {
      assertEquals(ring.Decrypt("tea", other), undefined, other);
    }
  }
});
