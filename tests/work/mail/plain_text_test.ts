import { assert, assertEquals } from "@std/assert";
import { decodeEntities } from "../../../src/base/text/html_entities.ts";
import { textOf, titleOf } from "../../../src/work/mail/render.ts";

Deno.test("textOf() keeps paragraphs, lists, links and line breaks, and omits what is not shown", () => {
  const html = `<!doctype html><html><head><title>No</title><style>p { color: red }</style></head><body>
    <!-- hidden --><h1>Hello, Ada &amp; Bob</h1>
    <p>Your <b>order</b>
       is ready.<br>See <a href="https://tea.example/1?a=1&amp;b=2">the order</a>
       or <a class="x" href="https://tea.example">https://tea.example</a>.</p>
    <ul><li>Assam</li><li>Sencha &lt;green&gt;</li></ul>
    <table><tr><td>Total</td><td>9&#8364;</td></tr></table><script>alert(1)</script></body></html>`;
  assertEquals(
    textOf(html),
    `Hello, Ada & Bob

Your order is ready.
See the order (https://tea.example/1?a=1&b=2) or https://tea.example.

- Assam
- Sencha <green>

Total 9€
`,
  );
});

Deno.test("titleOf() returns the title on one line", () => {
  assertEquals(titleOf("<head><title>\n  Tea &amp;\r\n  cake\n</title></head>"), "Tea & cake");
  assertEquals(titleOf("<p>none</p>"), "");
});

Deno.test("decodeEntities() decodes each entity once, and leaves others", () => {
  assertEquals(
    decodeEntities("&amp;lt; &#39;&quot;&#x1F375; &unknown; &#99999999; &constructor; &#xD800;"),
    "&lt; '\"🍵 &unknown; &#99999999; &constructor; \ufffd",
  );
});

Deno.test("textOf() takes linear time for long input", () => {
  const started = performance.now();
  for (const part of ["<", '<a href="', "<head>", "<!--", " ", "\n", "&#", "<p", "<title>"]) {
    textOf(part.repeat(20_000));
  }
  assert(performance.now() - started < 5_000);
});
