import { assert, assertFalse } from "@std/assert";
import { ifNoneMatch } from "@std/http/etag";
import { namesTag } from "../../../src/http/headers/entity_tags.ts";

const lists = [
  "*",
  " * ",
  '"a"',
  'W/"a"',
  '"b"',
  '"b","a"',
  '"b" ,  W/"a"',
  '"b", *',
  "",
  ",",
  ",,,",
  '"a',
  "a",
  'w/"a"',
  'W/ "a"',
  '"a" "b"',
];

Deno.test("namesTag() finds a tag in a list, weak or strong", () => {
  for (const tag of ['"a"', 'W/"a"']) {
    for (const list of ["*", '"a"', 'W/"a"', '"b","a"', '"b" ,  W/"a"', '\t"a"\t,']) assert(namesTag(list, tag), list);
    for (const list of ["", ",", '"b"', "a", 'w/"a"', '"aa"']) assertFalse(namesTag(list, tag), list);
  }
});

Deno.test("namesTag() finds nothing if there is no tag", () => {
  for (const list of lists) {
    assertFalse(namesTag(list, undefined));
    assertFalse(namesTag(list, ""));
  }
});

Deno.test("namesTag() agrees with the standard library, except that a star is valid inside a list", () => {
  for (const list of lists.filter((each) => each !== '"b", *')) {
    for (const tag of ['"a"', 'W/"a"', '"b"']) {
      const known = namesTag(list, tag);
      assert(known === !ifNoneMatch(list, tag), `${list} ${tag}`);
    }
  }
});
