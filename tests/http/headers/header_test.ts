import { assert, assertEquals } from "@std/assert";
import * as fw from "../../../mod.ts";
import { bothWays, quiet } from "../../serving.ts";

/** Values that must not be accepted in a header. */
const evil: Readonly<Record<string, string>> = {
  "a line feed": "a\nx-injected: 1",
  "a carriage return": "a\rx-injected: 1",
  "both": "a\r\nx-injected: 1\r\n\r\n<script>",
  "a final line break": "a\r\n",
  "a line break in front": "\r\nx-injected: 1",
  "a folded line": "a\r\n b",
  "NUL": "a\0b",
  "a bell": "a\x07b",
  "DEL": "a\x7fb",
  "a vertical tab": "a\x0bb",
  "a form feed": "a\x0cb",
  "a letter beyond Latin-1": "a\u010Db",
  "a letter whose low byte is a line feed": "a\u010Ax-injected: 1",
  "a letter whose low byte is a carriage return": "a\u560D\u560Ax-injected: 1",
  "a letter of another plane": "a😀",
  "half a letter": "a\ud800",
};

/** Methods that put a value into a header. */
const sinks: Readonly<Record<string, (ctx: fw.Context, value: string) => void>> = {
  Header: (ctx, value) => ctx.Header("x-a", value),
  AddHeader: (ctx, value) => ctx.AddHeader("x-a", value),
  ContentType: (ctx, value) => ctx.ContentType(value),
  "Header of the content type": (ctx, value) => ctx.Header("content-type", value),
};

for (const [member, write] of Object.entries(sinks)) {
  for (const [what, value] of Object.entries(evil)) {
    Deno.test(`Context.${member}() rejects ${what}`, async () => {
      const app = quiet();
      app.Get("/", (ctx) => {
        try {
          write(ctx, value);
        } catch (error) {
          assert(error instanceof fw.FrameworkError);
          return ctx.JSON([error.Code, error.message]);
        }
        ctx.WriteString("taken");
      });
      const response = await app.fetch(new Request("http://localhost/"));
      const name = member.includes("ontent") ? "content-type" : "x-a";
      assertEquals(
        await response.text(),
        JSON.stringify([
          "FW_HEADER",
          `Cannot send the header "${name}": its value contains a line break, a control character or a non-Latin-1 character`,
        ]),
      );
      assertEquals(response.headers.get("x-injected"), null);
    });
  }
}

bothWays("Context.Header() responds with a bare 500 without the header if its error is not caught", () => {
  const app = quiet();
  app.Get("/", (ctx) => {
    ctx.Header("x-before", "1");
    ctx.Header("x-a", "a\r\nx-injected: 1");
  });
  return app;
}, async (ask) => {
  const response = await ask("/");
  assertEquals([response.status, response.text, response.headers.get("x-injected")], [
    500,
    "Internal Server Error",
    null,
  ]);
  assertEquals(response.headers.get("x-before"), "1");
});

bothWays("Context.Header() accepts tabs, Latin-1 and all printable characters", () => {
  const app = quiet();
  app.Get("/", (ctx) => {
    ctx.Header("x-tab", "a\tb");
    ctx.Header("x-latin", "grüße");
    ctx.Header("x-signs", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~");
    ctx.Header("x-trimmed", "  a  ");
  });
  return app;
}, async (ask) => {
  const { headers } = await ask("/");
  assertEquals(headers.get("x-tab"), "a\tb");
  assertEquals(headers.get("x-latin"), "grüße");
  assertEquals(headers.get("x-signs"), "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~");
  assertEquals(headers.get("x-trimmed"), "a");
});

for (
  const name of ["", " ", "a b", "a:", "a\r\nb", "ä", "a\0", "x(y)", "{x}", "a/b", '"a"', "a,b", "a;b", "a=b", "a@b"]
) {
  Deno.test(`Context.Header() rejects the name ${JSON.stringify(name)}`, async () => {
    const app = quiet();
    app.Get("/", (ctx) => {
      for (const write of [() => ctx.Header(name, "1"), () => ctx.AddHeader(name, "1"), () => ctx.Header(name, "")]) {
        try {
          write();
          ctx.WriteString("taken ");
        } catch (error) {
          ctx.WriteString(`${error instanceof fw.FrameworkError ? error.message : error} `);
        }
      }
    });
    const response = await app.fetch(new Request("http://localhost/"));
    assertEquals(await response.text(), `Cannot send the header "${name}": its name is not a token `.repeat(3));
  });
}

bothWays("Context.Header() accepts every token character in a name", () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.Header("X!#$%&'*+-.^_`|~9", "1"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).headers.get("x!#$%&'*+-.^_`|~9"), "1");
});

bothWays("Context.GetHeader() reads a request header, in any case", () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.JSON([ctx.GetHeader("X-A"), ctx.GetHeader("x-a"), ctx.GetHeader("x-b")]));
  return app;
}, async (ask) => {
  assertEquals((await ask("/", { headers: { "x-A": "1" } })).text, '["1","1",""]');
});
