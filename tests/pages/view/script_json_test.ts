import { assertEquals } from "@std/assert";
import { HTML } from "../../../src/pages/engine/default/html.ts";
import "../../../src/pages/view/mod.ts";
import { scriptJSON } from "../../../src/pages/view/open_templates.ts";
import { withFolder } from "./folder.ts";

Deno.test("scriptJSON() writes no character that could end a script or open a comment", () => {
  const value = { "</script>": "<!-- & \u2028\u2029 ]]>", list: ["<", 1, null, true] };
  const text = scriptJSON(value);
  assertEquals(/[<>&\u2028\u2029]/.test(text), false);
  assertEquals(JSON.parse(text), value);
});

Deno.test("scriptJSON() writes a bigint as a number and unsupported values as null", () => {
  assertEquals(scriptJSON({ id: 9007199254740993n }), '{"id":9007199254740993}');
  assertEquals(scriptJSON(undefined), "null");
});

Deno.test("scriptJSON() is available in templates as json", async () => {
  await withFolder({ "a.html": "<script>const x = <%~ json(it.X) %>;</script>" }, (folder) => {
    assertEquals(
      HTML(folder).Render("a", { X: "</script><script>alert(1)" }),
      '<script>const x = "\\u003c/script\\u003e\\u003cscript\\u003ealert(1)";</script>',
    );
  });
});
