import { assertEquals } from "@std/assert";
import { decodeEntities } from "../../../src/base/text/html_entities.ts";
import * as httptest from "../../../src/tools/httptest/mod.ts";
import { titleOf } from "../../../src/work/mail/render.ts";
import { assertLinear } from "../../growth.ts";
import { quiet } from "../../serving.ts";

const rows: [html: string, text: string][] = [
  ["caf&eacute; &Eacute;t&eacute;", "café Été"],
  ["&amp;&lt;&gt;&quot;&apos;&nbsp;&shy;&yuml;", "&<>\"'\u00a0\u00adÿ"],
  ["&Scaron;&zcaron;&Lstrok;&odblac;&Gbreve;", "ŠžŁőĞ"],
  ["&Alpha;&Omega;&alpha;&sigmaf;&omega;&thetasym;&piv;", "ΑΩας\u03c9ϑϖ"],
  ["&ndash;&mdash;&lsquo;&rsquo;&ldquo;&rdquo;&bdquo;&hellip;&bull;&dagger;&permil;", "–—‘’“”„…•†‰"],
  ["&euro;&trade;&rarr;&hArr;&ne;&le;&infin;&radic;&there4;&asymp;&hearts;&lfloor;", "€™→⇔≠≤∞√∴≈♥⌊"],
  ["&ensp;&thinsp;&zwj;&rlm;", "\u2002\u2009\u200d\u200f"],
  ["&#233;&#xE9;&#Xe9;&#128512;", "ééé😀"],
  ["&#128;&#x9f;", "€Ÿ"],
  ["&#0;&#xd800;&#1114112;", "\ufffd\ufffd\ufffd"],
  ["&amp;eacute;", "&eacute;"],
  ["&unknown; & &; &# ; &eacute &constructor; &toString;", "&unknown; & &; &# ; &eacute &constructor; &toString;"],
];

Deno.test("decodeEntities() decodes named and numeric references once", () => {
  for (const [html, text] of rows) assertEquals(decodeEntities(html), text, html);
});

Deno.test("titleOf() decodes the references in a mail's title", () => {
  for (const [html, text] of rows) {
    assertEquals(titleOf(`<title>${html}</title>`), text.replace(/\s+/g, " ").trim(), html);
  }
});

Deno.test("httptest selections decode the references in text and attributes", async () => {
  const app = quiet();
  app.Get("/", (ctx) => ctx.HTML('<p title="caf&eacute;">&rarr; caf&eacute;</p>'));
  const paragraph = (await httptest.New(app).GET("/")).Select("p");
  assertEquals([paragraph.Attr("title"), paragraph.Text()], ["café", "→ café"]);
});

Deno.test("decodeEntities() takes linear time", async () => {
  for (const part of ["&", "&#", "&#x", "&a", "&eacute", "&eacute;"]) {
    await assertLinear(decodeEntities, { size: 20_000, prepare: (size) => part.repeat(size) });
  }
});
