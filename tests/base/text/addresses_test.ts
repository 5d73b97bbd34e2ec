import { assertEquals, assertThrows } from "@std/assert";
import fc from "npm:fast-check@^4";
import { addressList, isAddress } from "../../../src/base/text/addresses.ts";
import { FrameworkError } from "../../../src/base/errors/errors.ts";

Deno.test("isAddress() distinguishes addresses from other strings", () => {
  for (
    const text of ["0.0.0.0", "127.0.0.1", "255.255.255.255", "::", "::1", "2001:db8::1", "::ffff:1.2.3.4", "FE80::1"]
  ) {
    assertEquals(isAddress(text), true, text);
  }
  const others = [
    "",
    "1.2.3",
    "1.2.3.4.5",
    "256.0.0.1",
    "1.2.3.4:80",
    "[::1]",
    "::1%eth0",
    ":::",
    "g::1",
    "a.b.c.d",
    "1:2",
  ];
  for (
    const text of [
      ...others,
      "example.com",
      " 1.2.3.4",
      "1.2.3.4 ",
      "0x7f.1",
      "127.1",
      "1::2::3",
      "/",
      "::1]/x[",
      "1.2.3.-4",
    ]
  ) {
    assertEquals(isAddress(text), false, text);
  }
});

Deno.test("isAddress() accepts the addresses that fast-check generates", () => {
  fc.assert(fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => assertEquals(isAddress(text), true, text)));
});

Deno.test("addressList() finds addresses and networks regardless of their notation", () => {
  const list = addressList(["10.0.0.0/8", "192.0.2.7", "2001:db8::/32", "::1"]);
  const inside = [
    "10.0.0.0",
    "10.255.255.255",
    "192.0.2.7",
    "2001:db8::",
    "2001:0DB8:ffff::1",
    "::1",
    "0:0:0:0:0:0:0:1",
  ];
  for (const address of [...inside, "::ffff:10.1.2.3", "::ffff:a01:203"]) {
    assertEquals(list.has(address), true, address);
  }
  const outside = [
    "11.0.0.0",
    "9.255.255.255",
    "192.0.2.8",
    "2001:db9::",
    "::2",
    "",
    "10.0.0.0/8",
    "unknown",
    "::10.0.0.1",
  ];
  for (const address of outside) assertEquals(list.has(address), false, address);
});

Deno.test("addressList() accepts a network given by any of its addresses, up to the largest networks", () => {
  assertEquals(addressList(["10.1.2.3/8"]).has("10.9.9.9"), true);
  assertEquals(addressList(["0.0.0.0/0"]).has("203.0.113.7"), true);
  assertEquals(addressList(["0.0.0.0/0"]).has("2001:db8::1"), false);
  assertEquals(addressList(["::/0"]).has("2001:db8::1"), true);
  assertEquals(addressList(["192.0.2.7/32"]).has("192.0.2.8"), false);
  assertEquals(addressList(["2001:db8::1/128"]).has("2001:db8::2"), false);
  assertEquals(addressList([]).has("127.0.0.1"), false);
});

for (
  const entry of [
    "",
    "x",
    "10.0.0.0/33",
    "::/129",
    "10.0.0.0/",
    "10.0.0.0/a",
    "10.0.0.0/-1",
    "10.0.0.0/8/8",
    "256.0.0.0/8",
    "10.0.0.0 /8",
  ]
) {
  Deno.test(`addressList() rejects "${entry}"`, () => {
    const error = assertThrows(() => addressList([entry]), FrameworkError);
    assertEquals(error.Code, "FW_CONFIG");
    assertEquals(error.message, `Cannot read the trusted proxy "${entry}": it is not an IP address or network`);
  });
}

Deno.test("addressList() agrees with arithmetic on random IPv4 networks", () => {
  const byte = fc.nat(255);
  fc.assert(
    fc.property(fc.tuple(byte, byte, byte, byte), fc.tuple(byte, byte, byte, byte), fc.nat(32), (a, b, prefix) => {
      const number = (parts: number[]) => parts.reduce((sum, part) => sum * 256 + part, 0);
      const size = 2 ** (32 - prefix);
      const expected = Math.floor(number(a) / size) === Math.floor(number(b) / size);
      assertEquals(addressList([`${a.join(".")}/${prefix}`]).has(b.join(".")), expected);
    }),
  );
});
