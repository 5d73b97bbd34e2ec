import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import * as fw from "@fw/web";
import { HTTPError } from "../../../src/base/errors/errors.ts";
import { JSONSplitter } from "../../../src/core/accessors/json_splitter.ts";
import { jsonValues, streamSettings } from "../../../src/core/accessors/json_stream.ts";

async function* pieces(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.slice(at, at + size);
}

async function values(text: string, options: fw.JSONStreamOptions, size: number): Promise<unknown[]> {
  return await Array.fromAsync(jsonValues(pieces(text, size), undefined, streamSettings(options)));
}

Deno.test("jsonValues() yields the same values, no matter how the body is split", async () => {
  const rows: [text: string, isArray: boolean, expected: unknown[]][] = [
    ['{"a":1}{"a":2}\n {"a":[1,{"b":"}"}]}', false, [{ a: 1 }, { a: 2 }, { a: [1, { b: "}" }] }]],
    ['1 2\n3 "x""y" true null[1][2]', false, [1, 2, 3, "x", "y", true, null, [1], [2]]],
    ['"a\\"b\\\\" "ζ😀"', false, ['a"b\\', "ζ😀"]],
    ['\x1e{"a":1}\n\x1e2\n', false, [{ a: 1 }, 2]],
    ["\ufeff1 2", false, [1, 2]],
    ["", false, []],
    [" \n ", false, []],
    ['[{"a":1},{"a":[2]},3,"x,]",null]', true, [{ a: 1 }, { a: [2] }, 3, "x,]", null]],
    [" [ ] ", true, []],
    ["[1]", true, [1]],
  ];
  for (const [text, ArrayStream, expected] of rows) {
    for (const size of [1, 2, 3, 7, 1000]) {
      assertEquals(await values(text, { ArrayStream }, size), expected, `${text} by ${size}`);
    }
  }
});

Deno.test("jsonValues() rejects malformed, truncated and oversized values", async () => {
  const rows: [text: string, isArray: boolean, status: number][] = [
    ["{", false, 400],
    ['"abc', false, 400],
    ["{]", false, 400],
    ["}", false, 400],
    ["nope", false, 400],
    ["[1 2]", true, 400],
    ["[1,]", true, 400],
    ["[,1]", true, 400],
    ["[1", true, 400],
    ["", true, 400],
    ["{}", true, 400],
    ["[1]x", true, 400],
    [`"${"x".repeat(2000)}"`, false, 413],
    ["1".repeat(2000), false, 413],
    [`[${"1,".repeat(1000)}1]`, false, 413],
    ["[".repeat(2000), false, 400],
    [`[1,${"[".repeat(401)}${"]".repeat(401)}]`, true, 400],
    [`${"[".repeat(401)}${"]".repeat(401)}`, false, 400],
  ];
  for (const [text, ArrayStream, status] of rows) {
    for (const size of [1, 5000]) {
      const error = await assertRejects(() => values(text, { ArrayStream, MaxValue: 1000 }, size), HTTPError);
      assertEquals(error.Status, status, text.slice(0, 30));
    }
  }
});

Deno.test("jsonValues() yields the values before a mistake, no matter how the body is split", async () => {
  const deep = "[".repeat(401) + "]".repeat(401);
  const rows: [text: string, isArray: boolean, expected: unknown[]][] = [
    ["[1,2 x", true, [1, 2]],
    ["[1,2x", true, [1]],
    ["[1,[2],{}", true, [1, [2], {}]],
    ['[1,"2"x]', true, [1, "2"]],
    ["[1,2}", true, [1, 2]],
    ["[1]]", true, [1]],
    ["[1,,", true, [1]],
    [`[1,2,${deep}]`, true, [1, 2]],
    [`[1,"${"x".repeat(2000)}"]`, true, [1]],
    ["1 2 x", false, [1, 2]],
    ['{"a":1}{"b":2}}', false, [{ a: 1 }, { b: 2 }]],
    ['{"a":1}\n{"b"', false, [{ a: 1 }]],
    [`1\n2\n${deep}`, false, [1, 2]],
  ];
  for (const [text, ArrayStream, expected] of rows) {
    for (const size of [1, 3, 10_000]) {
      const found: unknown[] = [];
      await assertRejects(async () => {
        const options = { ArrayStream, MaxValue: 1500 };
        for await (const each of jsonValues(pieces(text, size), undefined, streamSettings(options))) found.push(each);
      }, HTTPError);
      assertEquals(found, expected, `${text.slice(0, 30)} by ${size}`);
    }
  }
});

Deno.test("jsonValues() accepts values that are 400 levels deep", async () => {
  const value = "[".repeat(400) + "]".repeat(400);
  for (const [text, ArrayStream] of [[`${value}\n${value}`, false], [`[${value},${value}]`, true]] as const) {
    for (const size of [1, 10_000]) assertEquals((await values(text, { ArrayStream }, size)).length, 2);
  }
});

Deno.test("Context.ReadJSONStream() responds with 400 to a value that is nested too deeply", async () => {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.Post("/", async (ctx) => {
    const found: unknown[] = [];
    for await (const each of ctx.ReadJSONStream(undefined, { ArrayStream: ctx.URLParam("array") !== "" })) {
      found.push(each);
    }
    ctx.JSON(found.length);
  });
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.fetch);
  const deep = "[".repeat(20_000) + "]".repeat(20_000);
  const rows = [["", "application/json"], ["", "application/x-ndjson"], ["?array=1", "application/json"]] as const;
  for (const [query, type] of rows) {
    const url = `http://127.0.0.1:${server.addr.port}/${query}`;
    const body = query === "" ? `1\n${deep}\n` : `[1,${deep}]`;
    const response = await fetch(url, { method: "POST", headers: { "content-type": type }, body });
    const text = await response.text();
    assertEquals([response.status, text], [
      400,
      "Cannot read the JSON stream: a value is nested more than 400 levels deep",
    ]);
  }
});

Deno.test("JSONSplitter reads every character once", () => {
  const splitter = new JSONSplitter({ isArray: false, max: 1 << 20 });
  assertEquals([...splitter.push('{"a":')], []);
  assertEquals([...splitter.push('1}{"b"')], ['{"a":1}']);
  assertEquals([...splitter.push(":2}")], ['{"b":2}']);
  assertEquals(splitter.end(), undefined);
  assertEquals([...splitter.push("[")], []);
  assertThrows(() => splitter.end(), HTTPError, "it ends unexpectedly");
});

Deno.test("Context.ReadJSONStream() reads a body over a socket, and responds with 415 to other types and 413 beyond the limit", async () => {
  const app = fw.New();
  app.Logger().SetLevel("disable");
  app.Post("/", fw.LimitRequestBodySize(1 << 20), async (ctx) => {
    let count = 0;
    for await (const each of ctx.ReadJSONStream<{ n: number }>(undefined, { ArrayStream: true })) count += each.n;
    ctx.JSON({ count });
  });
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => app.fetch(request));
  const post = async (body: BodyInit, type = "application/json") => {
    const headers = { "content-type": type };
    const response = await fetch(`http://127.0.0.1:${server.addr.port}/`, { method: "POST", headers, body });
    return [response.status, await response.text()];
  };
  const many = `[${Array.from({ length: 20_000 }, () => '{"n":1}').join(",\n")}]`;
  assertEquals(await post(many), [200, '{"count":20000}']);
  assertEquals(await post(ReadableStream.from([many]).pipeThrough(new TextEncoderStream())), [200, '{"count":20000}']);
  assertEquals((await post(many, "text/plain"))[0], 415);
  assertEquals((await post(`[${"1,".repeat(600_000)}1]`))[0], 413);
  assertEquals((await post("[1"))[0], 400);
});
