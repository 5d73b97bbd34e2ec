import { assertEquals } from "@std/assert";
import { allMembers } from "./member_pages.ts";
import { find, indexOfBook, nameOf, read } from "./site.ts";

Deno.test("every public method of Context, Party, Application, Session and Queue has an example", async () => {
  const members = await allMembers();
  assertEquals(members.filter(({ example }) => example === "").map(({ object, name }) => `${object}.${name}`), []);
});

Deno.test("every method states its parameters and its result", async () => {
  const missing = (await allMembers()).filter(({ signatures, tags }) => {
    const [signature = ""] = signatures;
    const isSilent = !/\): |^\w+(?:<.*>)?\(/.test(signature) ||
      /: (?:void|this|Promise<void>(?: \| undefined)?)$/.test(signature);
    return !isSilent && !tags.some(({ kind }) => /^returns?$/.test(kind));
  });
  assertEquals(missing.map(({ object, name }) => `${object}.${name}`), []);
});

Deno.test("search finds every public method by its name", async () => {
  const index = indexOfBook(read());
  const lost = (await allMembers()).filter(({ object, name }) => {
    const [hit] = find(index, `${object}.${name}`);
    return hit?.heading?.[1] !== `${object}.${name}`;
  });
  assertEquals(
    lost.map(({ object, name }) => [`${object}.${name}`, nameOf(find(index, name)[0]?.page.path ?? "")]),
    [],
  );
});
