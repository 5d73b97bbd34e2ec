import { assertEquals, assertInstanceOf, assertRejects, assertStrictEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { ErrMissingFile, FrameworkError, HTTPError } from "../../../src/base/errors/errors.ts";
import { Body } from "../../../src/http/body/body.ts";
import { type BodyLimits, defaultLimits } from "../../../src/http/body/source/body_limits.ts";
import { formFile, formFiles, uploadFormFiles } from "../../../src/core/accessors/form_files.ts";
import { postValue } from "../../../src/core/accessors/form_values.ts";
import { field, file } from "../../testdata/forms/cases.ts";
import { ways } from "../../testdata/forms/requests.ts";

const type = "multipart/form-data; boundary=X";

function body(text: string, way = "chunked", memory = defaultLimits.postMaxMemory, sizes = [5]): Body {
  const limits: BodyLimits = { ...defaultLimits, postMaxMemory: memory };
  return new Body(ways[way]?.(text, type, sizes) as Request, limits);
}

/** Runs the script that stores files on disk, with a separate temporary folder. */
async function keepOnDisk(temporary: string): Promise<unknown> {
  const script = fromFileUrl(new URL("../../testdata/forms/temporaries.ts", import.meta.url));
  const command = new Deno.Command(Deno.execPath(), { args: ["run", "-A", script], env: { TMPDIR: temporary } });
  const { stdout } = await command.output();
  return JSON.parse(new TextDecoder().decode(stdout));
}

for (const way of Object.keys(ways)) {
  Deno.test(`formFile() returns the first file under a name with its header, ${way}`, async () => {
    const asked = body(`${field("f", "no file")}${file("f", "a.txt", "one")}${file("f", "b.txt", "two")}--X--`, way);
    const [found, header, error] = await formFile(asked, "f");
    assertEquals(error, null);
    assertInstanceOf(found, File);
    assertEquals([found.name, found.type, found.size, await found.text()], ["a.txt", "text/plain", 3, "one"]);
    assertEquals([header?.Filename, header?.Size], ["a.txt", 3]);
    assertEquals(header?.Header.get("content-type"), "text/plain");
    asked.close();
  });

  Deno.test(`formFile() reads files from disk that do not fit in memory, ${way}`, async () => {
    const text = "0123456789".repeat(20);
    const asked = body(`${file("f", "a.txt", text)}${file("g", "b.txt", "next")}--X--`, way, 100, [64]);
    const [found] = await formFile(asked, "f");
    const [next] = await formFile(asked, "g");
    assertInstanceOf(found, File);
    assertEquals([found.size, found.name, found.type], [200, "a.txt", "text/plain"]);
    assertEquals(await found.text(), text);
    assertEquals(new TextDecoder().decode(await found.bytes()), text);
    assertEquals(new TextDecoder().decode(await found.arrayBuffer()), text);
    assertEquals(await new Response(found).text(), text);
    assertEquals(await new Response(found.stream()).text(), text);
    assertEquals(await next?.text(), "next");
    asked.close();
  });
}

Deno.test("formFile() stores files in one unlinked temporary file, which is removed at the end", async () => {
  const folder = await Deno.makeTempDir();
  assertEquals(await keepOnDisk(folder), { sizes: [200, 200], during: 1, after: 0, isSeen: false });
  await Deno.remove(folder);
});

Deno.test("formFile() returns a server error if the temporary file cannot be written", async () => {
  const error = "Cannot store an uploaded file: the temporary file cannot be written";
  assertEquals(await keepOnDisk("/nowhere"), { sizes: [], during: 0, after: 0, isSeen: false, error });
});

Deno.test("formFile() keeps files in memory up to the limit, regardless of earlier files", async () => {
  const text = `${file("a", "a", "x".repeat(60))}${file("b", "b", "y".repeat(60))}${
    file("c", "c", "z".repeat(40))
  }--X--`;
  const asked = body(text, "buffered", 100);
  const [[a], [b], [c]] = [await formFile(asked, "a"), await formFile(asked, "b"), await formFile(asked, "c")];
  asked.close();
  assertEquals([await a?.text(), await c?.text()], ["x".repeat(60), "z".repeat(40)]);
  await assertRejects(() => (b as File).text(), FrameworkError);
});

Deno.test("formFile() returns files on disk that can be sliced like files in memory", async () => {
  const text = "0123456789".repeat(30_000);
  const asked = body(`${file("f", "a.txt", text)}--X--`, "buffered", 0, [100_000]);
  const [found] = await formFile(asked, "f");
  const real = new File([text], "a.txt");
  assertInstanceOf(found, File);
  const ranges = [[], [5], [-5], [5, 10], [0, -299_990], [10, 5], [0, 1e9], [-1e9, 3], [NaN, 4]] as [
    number?,
    number?,
  ][];
  for (const [start, end] of ranges) {
    const slice = found.slice(start, end, "text/html");
    assertEquals([slice.size, slice.type], [real.slice(start, end).size, "text/html"], `${start} ${end}`);
    assertEquals(await slice.text(), await real.slice(start, end).text(), `${start} ${end}`);
  }
  const inner = found.slice(100, 200).slice(10, 20);
  assertEquals([await inner.text(), (await inner.bytes()).length], ["0123456789", 10]);
  assertEquals(await new Response(inner.stream()).text(), new TextDecoder().decode(await inner.arrayBuffer()));
  asked.close();
});

Deno.test("formFile() returns files on disk that can be part of blobs and forms", async () => {
  const text = "0123456789".repeat(20_000);
  const asked = body(`${file("f", "a.txt", text)}--X--`, "buffered", 0, [100_000]);
  const [found] = await formFile(asked, "f");
  assertInstanceOf(found, File);
  assertEquals(await new Blob(["<", found, found.slice(0, 3), ">"]).text(), `<${text}012>`);
  const form = new FormData();
  form.set("again", found);
  const again = (await new Response(form).formData()).get("again") as File;
  assertEquals([again.name, again.type, await again.text()], ["a.txt", "text/plain", text]);
  asked.close();
});

Deno.test("formFile() returns files on disk that can be read concurrently", async () => {
  const texts = ["a", "b"].map((letter) => letter.repeat(200_000));
  const asked = body(`${texts.map((text) => file("f", "a.txt", text)).join("")}--X--`, "buffered", 0, [70_000]);
  const [files] = await formFiles(asked, "f");
  const streams = [...files, ...files].map((one) => new Response(one.stream()).text());
  assertEquals(await Promise.all(streams), [...texts, ...texts]);
  asked.close();
});

Deno.test("formFile() returns ErrMissingFile if there is no file", async () => {
  const requests = [
    new Request("http://localhost/"),
    new Request("http://localhost/", { method: "POST", body: new URLSearchParams({ f: "1" }) }),
    ways["whole"]?.(`${field("f", "1")}--X--`, type) as Request,
    ways["chunked"]?.(`${file("f", "", "")}--X--`, type) as Request,
  ];
  for (const request of requests) {
    const asked = new Body(request);
    const [found, header, error] = await formFile(asked, "f");
    assertEquals([found, header], [null, null]);
    assertStrictEquals(error, ErrMissingFile);
    assertStrictEquals((await formFiles(asked, "f"))[2], ErrMissingFile);
  }
});

Deno.test("formFile() returns the error that other accessors throw if the body is malformed", async () => {
  const asked = body("nonsense");
  const [, , error] = await formFile(asked, "f");
  assertInstanceOf(error, HTTPError);
  assertEquals([error.Status, error.Code], [400, "FW_BODY"]);
  await assertRejects(() => postValue(asked, "a"), HTTPError);
});

Deno.test("formFiles() returns all files under a name, in order", async () => {
  const asked = body(`${file("f[]", "a", "1")}${file("g", "b", "2")}${file("f[]", "c", "3")}--X--`);
  const [files, headers, error] = await formFiles(asked, "f[]");
  assertEquals(error, null);
  assertEquals(await Promise.all(files.map((one) => one.text())), ["1", "3"]);
  assertEquals(headers.map((one) => one.Filename), ["a", "c"]);
});

Deno.test("uploadFormFiles() accepts undefined as options, which sets none", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const seen: string[] = [];
    const asked = body(`${file("f", "a.txt", "one")}--X--`);
    const hook = (_ctx: unknown, header: { Filename: string }) => void seen.push(header.Filename);
    const given = [undefined, hook] as unknown as (typeof hook)[];
    assertEquals(await uploadFormFiles({}, { open: () => asked }, folder, given), [3n, null]);
    assertEquals(seen, ["a.txt"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
