import { assertEquals, assertThrows } from "@std/assert";
import * as httptest from "@fw/web/httptest";
import { quiet } from "../../serving.ts";

const page = `<!DOCTYPE html>
<html><head><title>Teas &amp; more</title><script>if (a < b) document.write("<form></form>")</script></head>
<body class="page dark">
<!-- <input name="x" value="commented"> -->
<form id=search action="/search?a=1&amp;b=2"><input name="q" value="green > black"></form>
<form method="post" class="edit wide">
  <input type="hidden" name="x" value="&quot;42&quot;"><input type=checkbox name=box checked><input name=empty>
  <textarea name="note">
 a &lt;b&gt;
</textarea>
  <select name="tea"><option value="1">Assam<option value=2 selected>Earl  Grey<option>Mint</select>
  <button name="save" value="yes"><b>Save</b> all</button>
</form>
<ul><li>one<li class="last">two</ul>
<table><tr><td>1<td>2<tr><td>3</table>
<p>first<p data-kind="a b">second <i>inner</i></p>
</body></html>`;

async function served(html = page): Promise<httptest.TestResponse> {
  const app = quiet();
  app.Get("/", (ctx) => ctx.HTML(html));
  return await httptest.New(app).GET("/");
}

Deno.test("TestResponse.Select() returns the values that a browser would send", async () => {
  const response = await served();
  const values: [string, string][] = [
    ["form input[name=x]", '"42"'],
    ["form.edit > input[name='x']", '"42"'],
    ['#search input[name="q"]', "green > black"],
    ["input[type=checkbox]", "on"],
    ["input[name=empty]", ""],
    ["textarea", " a <b>\n"],
    ["select[name=tea]", "2"],
    ["select option:last-child", "Mint"],
    ["option:checked", "2"],
    ["button", "yes"],
  ];
  for (const [selector, value] of values) assertEquals(response.Select(selector).Value(), value, selector);
});

Deno.test("TestResponse.Select() supports names, classes, attributes, positions, combinators and lists", async () => {
  const response = await served();
  const counts: [string, number][] = [
    ["form", 2],
    ["FORM", 2],
    ["*[name]", 7],
    ["body.dark.page form", 2],
    ["html > form", 0],
    ["html form", 2],
    ["li", 2],
    ["li + li.last", 1],
    ["li ~ li", 1],
    ["tr", 2],
    ["tr:first-child td", 2],
    ["td:nth-child(2)", 1],
    ["[action^='/search'], [data-kind~=b]", 2],
    ["[action$='2'][action*='a=1']", 1],
    ["p", 2],
    ["form form", 0],
    [".edit.narrow", 0],
  ];
  for (const [selector, count] of counts) assertEquals(response.Select(selector).Count(), count, selector);
  assertEquals(response.Select("title").Text(), "Teas & more");
  assertEquals(response.Select("button").Text(), "Save all");
  assertEquals(response.Select("li").Texts(), ["one", "two"]);
  assertEquals(response.Select("li").At(-1).Attr("CLASS"), "last");
  assertEquals(response.Select("form").At(1).Select("option").At(1).Text(), "Earl Grey");
  assertEquals(response.Select("#search").Attr("action"), "/search?a=1&b=2");
  assertEquals(response.Select("#search").Attr("method"), "");
});

Deno.test("TestResponse.Select() reports missing elements, unsupported selectors and other types", async () => {
  const response = await served();
  assertThrows(() => response.Select("form input[name=y]").Value(), Error, 'of "form input[name=y]": no element');
  assertThrows(() => response.Select("li").At(5).Text(), Error, "no element matches");
  for (
    const selector of ["", "a >", "> a", "a,,b", "li:hover", "li:nth-child(odd)", "a[b", "a || b", ":first-child(2)"]
  ) {
    assertThrows(() => response.Select(selector), TypeError, `Cannot select "${selector}"`);
  }
  const app = quiet();
  app.Get("/", (ctx) => ctx.WriteString("<p>text</p>"));
  const text = await httptest.New(app).GET("/");
  assertThrows(() => text.Select("p"), Error, "not HTML");
});

Deno.test("TestResponse.Select() reads pages with unusual markup", async () => {
  const select = async (html: string, selector: string) => (await served(html)).Select(selector);
  assertEquals((await select("<p>a < b & c &unknown; &#65;&#x42;</p>", "p")).Text(), "a < b & c &unknown; AB");
  assertEquals((await select("<p title=\"a>b\" TITLE='c'>x", "p")).Attr("title"), "a>b");
  assertEquals((await select("<br/><img src=a.png/><p>x</p>", "p")).Count(), 1);
  assertEquals((await select("<div><b>x</div><p>y", "div p")).Count(), 0);
  assertEquals((await select("</p><p>x</b></p>", "p")).Text(), "x");
  assertEquals((await select("<script>var a = '</p>'</script ><p>x", "p")).Count(), 1);
  assertEquals((await select("<!-- open", "p")).Count(), 0);
  assertEquals((await select("<p <b>x", "b")).Count(), 0);
});
