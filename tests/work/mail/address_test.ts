import { assertEquals, assertThrows } from "@std/assert";
import * as fw from "@fw/web";
import { addressOf, headerText } from "../../../src/work/mail/address.ts";

Deno.test("addressOf() accepts addresses with and without a name", () => {
  const cases: [string, string, string][] = [
    ["ada@example.com", "", "ada@example.com"],
    [" Ada <ada@example.com> ", "Ada", "ada@example.com"],
    ["<ada@example.com>", "", "ada@example.com"],
    ['"Lovelace, Ada" <ada@example.com>', "Lovelace, Ada", "ada@example.com"],
    ["Lovelace, Ada <ada@example.com>", "Lovelace, Ada", "ada@example.com"],
    ['"The \\"Countess\\"" <ada@example.com>', 'The "Countess"', "ada@example.com"],
    ["Zoë Müller <zoë@bücher.example>", "Zoë Müller", "zoë@xn--bcher-kva.example"],
    ["o'hara+tag@Example.COM", "", "o'hara+tag@example.com"],
    ["root@localhost", "", "root@localhost"],
    ["Ada: the first; really (1815) <ada@example.com>", "Ada: the first; really (1815)", "ada@example.com"],
    // Only the last part is an address, and everything before it is shown as its name.
    ["eve@evil.example, Ada <ada@example.com>", "eve@evil.example, Ada", "ada@example.com"],
  ];
  for (const [input, Name, Address] of cases) {
    const { Quoted: _, ...address } = addressOf(input, "To");
    assertEquals(address, { Name, Address }, input);
  }
});

Deno.test("addressOf() quotes names with special characters", () => {
  const names = ["Ada Lovelace", "Lovelace, Ada", 'Ada "X" \\', "a@b <c@d>", "Zoë, Müller", "J. Doe", "(comment)"];
  assertEquals(names.map((Name) => addressOf({ Name, Address: "a@example.com" }, "To").Quoted), [
    "Ada Lovelace",
    '"Lovelace, Ada"',
    '"Ada \\"X\\" \\\\"',
    '"a@b <c@d>"',
    "Zoë, Müller",
    '"J. Doe"',
    '"(comment)"',
  ]);
});

const attacks = [
  ...["", "ada", "@example.com", "ada@", "ada@@example.com", "ada @example.com", "ada@exa mple.com", "ada@-a.example"],
  ...[
    "a@example.com, b@example.com",
    "a@example.com,b@example.com",
    "a@example.com;b@example.com",
    "a@example.com b@example.com",
  ],
  ...[
    "a@example.com\r\nBcc: eve@evil.example",
    "a@example.com\nBcc: eve@evil.example",
    "a@example.com\rX: y",
    "a@example.com\0",
  ],
  ...[
    "Ada\r\nBcc: eve@evil.example <ada@example.com>",
    '"Ada\nBcc: e@e.example" <ada@example.com>',
    "Ada\u2028X <a@example.com>",
  ],
  ...[
    '"a b"@example.com',
    '"a@evil.example x"@example.com',
    "a(comment)@example.com",
    "a@(c)example.com",
    "a@[127.0.0.1]",
  ],
  ...[
    "=?utf-8?q?eve=40evil.example=3e=00?=@example.com",
    "=?x?q?a?= <ada@example.com>",
    "a@example.com>\r\nRCPT TO:<eve@evil.example",
  ],
  ...[
    "<a@example.com> <b@example.com>",
    "a@example.com <b@example.com",
    "a<b@example.com>c",
    ".a@example.com",
    "a..b@example.com",
  ],
  ...[
    "a@example.com/x",
    "a@example.com:25",
    "a@1.2.3.4",
    "a@0x7f.1",
    "a@ex℀mple.com",
    "a@xn--.example",
    `${"a".repeat(65)}@example.com`,
  ],
  ...["Ada \u202e <ada@example.com>", "Ada \ud800 <ada@example.com>", "a\u0000b@example.com", "a\t@example.com"],
];

Deno.test("addressOf() rejects several addresses, line breaks, comments, quoted parts and encoded words", () => {
  for (const input of attacks) {
    const error = assertThrows(() => addressOf(input, "To"), fw.FrameworkError, 'as "To" of a mail', input);
    assertEquals([error.Code, /[\r\n\0]/.test(error.message)], ["FW_MAIL", false], input);
  }
});

Deno.test("addressOf() rejects the same in objects", () => {
  for (const Name of ["a\r\nBcc: x@y.example", "=?utf-8?q?x?=", "\u0007"]) {
    assertThrows(() => addressOf({ Name, Address: "a@example.com" }, "From"), fw.FrameworkError);
  }
  for (
    const Address of [
      "Ada <ada@example.com>",
      "a@example.com\r\nX: y",
      "<a@example.com>",
      "a@example.com, b@example.com",
    ]
  ) {
    assertThrows(() => addressOf({ Address }, "From"), fw.FrameworkError);
  }
});

Deno.test("headerText() rejects control characters and encoded words, and accepts Unicode", () => {
  for (const text of ["a\r\nb", "a\nb", "a\rb", "a\0b", "\x7f", "\x85", "\u2029", "=?utf-8?b?eA==?="]) {
    assertThrows(() => headerText(text, "Subject"), fw.FrameworkError);
  }
  assertEquals(headerText(" Grüße, 世界 🍵? = ", "Subject"), "Grüße, 世界 🍵? =");
});
