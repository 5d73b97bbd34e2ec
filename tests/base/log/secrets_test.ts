import { assertEquals } from "@std/assert";
import * as keys from "../../../src/state/keys/mod.ts";
import * as tokens from "../../../src/state/keys/tokens.ts";
import { addSecret, maskSecrets } from "../../../src/base/log/secrets.ts";

/** Secrets as they are configured, and the forms in which other code may log them. */
const cases: readonly [secret: string, forms: readonly string[]][] = [
  ["p%40ss%20w0rd%2B1", ["p@ss w0rd+1", "p%40ss+w0rd%2B1", btoa("p@ss w0rd+1").replace(/=+$/, "")]],
  ["tea & honey/7+", ["tea%20%26%20honey%2F7%2B", "tea+%26+honey%2F7%2B", "dGVhICYgaG9uZXkvNys"]],
  ["whsec_c2VjcmV0IG9mIHRoZSBzZW5kZXI=", ["secret of the sender"]],
  ["MTIzNDU2Nzg5MDEyMzQ1Njc4OTAxMjM0", ["123456789012345678901234"]],
  ["-_8AAQIDBAUGBwgJCgsMDQ", ["fbff000102030405060708090a0b0c0d"]],
  ['quote"d\\', ['quote\\"d\\\\']],
  ["line one\nline two", ["line one", "line%20two"]],
];

Deno.test("maskSecrets() masks secrets as configured, decoded and encoded", () => {
  for (const [secret, forms] of cases) {
    addSecret(secret);
    for (const form of [secret, ...forms]) {
      assertEquals(maskSecrets(`cannot connect with ${form}!`).includes(form.slice(0, 4)), false, form);
    }
  }
});

Deno.test("addSecret() accepts text that is not in any encoding", () => {
  for (const secret of ["100%", "%zz%", "\uD800 lone", "abc", "", "====", "a_b-c_d-e"]) addSecret(secret);
  assertEquals(maskSecrets("nothing to hide"), "nothing to hide");
});

Deno.test("maskSecrets() masks the signatures of one-time tokens, wherever they are in a URL", () => {
  const token = tokens.New({ Keys: keys.New(keys.Generate()), Purpose: "reset" }).Issue("ada@example.com", [1]);
  const [start, signature = ""] = token.split(/\.(?=[\w-]{43}$)/);
  const next = encodeURIComponent(`/account/mail/${token}`);
  for (
    const text of [`/reset/${token}`, `/join?token=${token}&x=1`, `/login?next=${next}`, `https://a.example/${token}#`]
  ) {
    assertEquals(maskSecrets(`GET ${text}`), `GET ${text.replace(signature, "…")}`, `${start}`);
  }
  for (const text of ["/app.min.js", `/a.123456.${"x".repeat(42)}`, `/${"x".repeat(60)}`]) {
    assertEquals(maskSecrets(text), text);
  }
});
