import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import * as fw from "@fw/web";
import * as auth from "@fw/web/middleware/auth";
import { argon2i, argon2id, bcrypt } from "npm:hash-wasm@^4";
import { processorTime } from "../growth.ts";

const cheap: auth.HashOptions = { Memory: 64, Iterations: 1 };

Deno.test("HashPassword() uses argon2id with its parameters and a random salt", async () => {
  const [first, second] = [await auth.HashPassword("tea"), await auth.HashPassword("tea")];
  assertMatch(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  assert(first !== second);
  assertMatch(await auth.HashPassword("tea", { Memory: 64, Iterations: 3, Parallelism: 2 }), /\$m=64,t=3,p=2\$/);
});

Deno.test("VerifyPassword() accepts only the password, with any characters and length", async () => {
  for (const password of ["tea", " tea ", "пароль 🫖", "\0", "x".repeat(10_000)]) {
    const hash = await auth.HashPassword(password, cheap);
    assertEquals(await auth.VerifyPassword(password, hash), true, password.slice(0, 20));
    for (const other of ["", `${password} `, password.toUpperCase() + "!", password.slice(1)]) {
      assertEquals(await auth.VerifyPassword(other, hash), false);
    }
  }
});

Deno.test("VerifyPassword() accepts hashes of other programs, and NeedsRehash() reports them", async () => {
  const salt = crypto.getRandomValues(new Uint8Array(16));
  const cost = { iterations: 2, memorySize: 19_456, parallelism: 1, hashLength: 32 };
  const hashes = [
    await bcrypt({ password: "tea", salt, costFactor: 4, outputType: "encoded" }),
    await argon2i({ password: "tea", salt, ...cost, outputType: "encoded" }),
    await argon2id({ password: "tea", salt, ...cost, memorySize: 1024, outputType: "encoded" }),
    await argon2id({ password: "tea", salt, ...cost, iterations: 1, outputType: "encoded" }),
  ];
  for (const hash of hashes) {
    assertEquals([await auth.VerifyPassword("tea", hash), await auth.VerifyPassword("Tea", hash)], [true, false], hash);
    assertEquals(auth.NeedsRehash(hash), true, hash);
  }
  assertEquals(auth.NeedsRehash(await auth.HashPassword("tea")), false);
  assertEquals(auth.NeedsRehash(await auth.HashPassword("tea"), { Iterations: 3 }), true);
  assertEquals([auth.NeedsRehash(undefined), auth.NeedsRehash(null)], [false, false]);
});

Deno.test("VerifyPassword() and CheckPassword() do not fail for values that a JSON body may contain", async () => {
  const hash = await auth.HashPassword("tea", { Iterations: 1 });
  for (const value of [undefined, null, 5, true, [], {}, ["tea"], ""]) {
    assertEquals(await auth.VerifyPassword(value as string, hash), false, String(value));
    assertEquals(await auth.VerifyPassword(value as string, undefined), false);
    if (value !== "") await assertRejects(() => auth.CheckPassword(value as string), fw.FrameworkError, '"password"');
  }
});

for (const [cost, times] of [[{}, 1], [{ Memory: 1024 }, 20]] as const) {
  Deno.test(`VerifyPassword() takes the same time for an unknown user, with ${JSON.stringify(cost)}`, async () => {
    const hash = await auth.HashPassword("tea", cost);
    const work = async (given: string | undefined) => {
      const before = processorTime();
      for (let time = 0; time < times; time++) assertEquals(await auth.VerifyPassword("x", given, cost), false);
      return processorTime() - before;
    };
    // The CPU time includes garbage collection, so the minimum of several measurements is used.
    let [known, unknown] = [Infinity, Infinity];
    for (let round = 0; round < 4; round++) {
      known = Math.min(known, await work(hash));
      unknown = Math.min(unknown, await work(undefined));
    }
    assert(unknown > known / 3 && unknown < known * 3, `${known} and ${unknown}`);
  });
}

Deno.test("VerifyPassword() and HashPassword() reject invalid input", async () => {
  for (
    const hash of ["", "tea", "$argon2id$v=19$m=9999999,t=2,p=1$c2FsdHNhbHRzYWx0$aGFzaGhhc2hoYXNo", "$1$salt$hash"]
  ) {
    const error = await assertRejects(() => auth.VerifyPassword("tea", hash), fw.FrameworkError);
    assertEquals(error.Code, "FW_AUTH");
    assert(hash === "" || !error.message.includes(hash), "the hash is a secret");
  }
  await assertRejects(
    () => auth.HashPassword(""),
    fw.FrameworkError,
    "Cannot hash the password: it must be a non-empty string",
  );
  for (const wrong of [{ Memory: 7 }, { Iterations: 0 }, { Parallelism: 1.5 }, { Memory: NaN }, { Memory: 2 ** 24 }]) {
    await assertRejects(() => auth.HashPassword("tea", wrong), fw.FrameworkError, "must be an integer from");
  }
});

// Created with Python's hashlib in the formats of Django and passlib.
const derived = [
  "pbkdf2_sha256$1000$seasalt$1nE4bAcSZBj3rGJZKKeGJfHahtaBjZT7BAN07d8C7DA=",
  "pbkdf2_sha1$1000$seasalt$hEZ2TblcVUrbGGC4FBhDyMIWb/c=",
  "scrypt$1024$seasalt$8$1$zLco6RslWH0HJAvEwVw9QScC2QcwqImrB3o6SVLEV20xUvairCzP49ZTVKSO8PDjngNCQojHdRZ9RigjbN01tw==",
  "$pbkdf2-sha512$1000$AAECAwQFBgcICQoLDA0ODw$kpUtSsKQVxZ5bnXRXpY1SV5bwT/St5NLswpAl2ziDTuEkyjOMPYR956wQ8NQ0XAyruTy0CrqbOCyJhooIgt6.Q",
  "$scrypt$ln=10,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$TmEPbUZVZFTjmM4LBosm20CrN36zoxttWj2bc1uCC4M",
];
for (const hash of derived) {
  Deno.test(`VerifyPassword() accepts ${hash.slice(0, 20)}, and NeedsRehash() reports it`, async () => {
    const right = "pässword hörse";
    const verify = (password: string, stored = hash) => auth.VerifyPassword(password, stored);
    assertEquals([await verify(right), await verify(`${right} `), await verify("")], [true, false, false]);
    assertEquals(auth.NeedsRehash(hash), true);
    const last = hash.replace(/.(=*)$/, "A$1").replace(/.{4}(=*)$/, "AAAA$1");
    assertEquals(await verify(right, last), false);
  });
}

const unaffordable = [
  "pbkdf2_sha256$99999999$salt$1nE4bAcSZBj3rGJZKKeGJfHahtaBjZT7BAN07d8C7DA=",
  "pbkdf2_sha256$0$salt$1nE4bAcSZBj3rGJZKKeGJfHahtaBjZT7BAN07d8C7DA=",
  "pbkdf2_md5$1000$salt$1nE4bAcSZBj3rGJZKKeGJfHahtaBjZT7BAN07d8C7DA=",
  "scrypt$1000$salt$8$1$TmEPbUZVZFTjmM4LBosm20CrN36zoxttWj2bc1uCC4M=",
  "$scrypt$ln=30,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$TmEPbUZVZFTjmM4LBosm20CrN36zoxttWj2bc1uCC4M",
  "$scrypt$ln=10,r=0,p=1$AAECAwQFBgcICQoLDA0ODw$TmEPbUZVZFTjmM4LBosm20CrN36zoxttWj2bc1uCC4M",
];
for (const hash of unaffordable) {
  Deno.test(`VerifyPassword() rejects ${hash.slice(0, 30)}`, async () => {
    await assertRejects(() => auth.VerifyPassword("tea", hash), fw.FrameworkError);
  });
}
