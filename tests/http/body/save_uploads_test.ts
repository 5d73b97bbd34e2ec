import { assert, assertEquals, assertInstanceOf, assertRejects, assertStrictEquals } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";
import { ErrMissingFile, FrameworkError, HTTPError } from "../../../src/base/errors/errors.ts";
import { Body } from "../../../src/http/body/body.ts";
import { defaultLimits } from "../../../src/http/body/source/body_limits.ts";
import { type BeforeSave, uploadFormFiles } from "../../../src/http/body/save_uploads.ts";
import { formFile } from "../../../src/core/accessors/form_files.ts";
import { postValue } from "../../../src/core/accessors/form_values.ts";
import { field, file } from "../../testdata/forms/cases.ts";
import { ways } from "../../testdata/forms/requests.ts";

const type = "multipart/form-data; boundary=X";

/** A folder that is removed after the test. */
class Folder implements Disposable {
  readonly path: string = Deno.makeTempDirSync({ prefix: "upload-" });

  /** Returns the contents of all files by path, including subfolders. */
  files(path = ""): Record<string, string> {
    const found: Record<string, string> = {};
    for (const entry of Deno.readDirSync(join(this.path, path))) {
      const name = path === "" ? entry.name : `${path}/${entry.name}`;
      if (entry.isDirectory) Object.assign(found, this.files(name));
      else found[name] = entry.isSymlink ? "link" : Deno.readTextFileSync(join(this.path, name));
    }
    return found;
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.path, { recursive: true });
  }
}

function body(text: string, way = "chunked"): Body {
  return new Body(ways[way]?.(`${text}--X--`, type, [50]) as Request);
}

for (const way of Object.keys(ways)) {
  Deno.test(`uploadFormFiles() saves every file and returns their total length, ${way}`, async () => {
    using folder = new Folder();
    const sent = body(`${file("files[]", "a.txt", "one")}${field("n", "1")}${file("other", "b.txt", "four")}`, way);
    assertEquals(await uploadFormFiles(sent, folder.path), [7n, null]);
    assertEquals(folder.files(), { "a.txt": "one", "b.txt": "four" });
    assertEquals(await postValue(sent, "n"), "1");
    sent.close();
  });

  Deno.test(`uploadFormFiles() saves two files with the same name under different names, ${way}`, async () => {
    using folder = new Folder();
    Deno.writeTextFileSync(join(folder.path, "a (2).txt"), "of an earlier upload");
    const names = ["a.txt", "a.txt", "a (1).txt", "a.txt", "noext", "noext"];
    const sent = body(names.map((name, i) => file("f", name, String(i))).join(""), way);
    assertEquals(await uploadFormFiles(sent, folder.path), [6n, null]);
    assertEquals(folder.files(), {
      "a.txt": "0",
      "a (1).txt": "1",
      "a (1) (1).txt": "2",
      "a (2).txt": "of an earlier upload",
      "a (3).txt": "3",
      "noext": "4",
      "noext (1)": "5",
    });
    sent.close();
  });

  Deno.test(`uploadFormFiles() keeps files apart whose names are the same on some file system, ${way}`, async () => {
    using folder = new Folder();
    const names = ["r.txt", "r.txt.", "R.TXT", "r.txt ", "\u00e9", "e\u0301", "\u00c9"];
    const seen: string[] = [];
    const sent = body(names.map((name, i) => file("f", name, String(i))).join(""), way);
    const [total, error] = await uploadFormFiles(sent, folder.path, [({ Filename }) => void seen.push(Filename)]);
    assertEquals([total, error], [7n, null]);
    assertEquals(seen, ["r.txt", "r.txt", "R.TXT", "r.txt", "\u00e9", "e\u0301", "\u00c9"]);
    assertEquals(folder.files(), {
      "r.txt": "0",
      "r (1).txt": "1",
      "R (2).TXT": "2",
      "r (3).txt": "3",
      "\u00e9": "4",
      "e\u0301 (1)": "5",
      "\u00c9 (2)": "6",
    });
    sent.close();
  });

  Deno.test(`uploadFormFiles() lets callbacks rename files one after another, even into a subfolder, ${way}`, async () => {
    using folder = new Folder();
    const sent = body(file("f", "a.txt", "1") + file("f", "b.txt", "2"), way);
    const seen: string[] = [];
    const [total, error] = await uploadFormFiles(sent, folder.path, [
      (header) => void seen.push(header.Filename),
      async (header) => {
        await Promise.resolve();
        header.Filename = `sub/deep/${header.Filename}`;
      },
      (header) => void (header.Filename += ".bak"),
    ]);
    assertEquals([total, error], [2n, null]);
    assertEquals(seen, ["a.txt", "b.txt"]);
    assertEquals(folder.files(), { "sub/deep/a.txt.bak": "1", "sub/deep/b.txt.bak": "2" });
    sent.close();
  });

  Deno.test(`uploadFormFiles() lets a callback read a field that comes after the file, ${way}`, async () => {
    using folder = new Folder();
    const text = file("f", "a", "1") + file("f", "b", "2") + field("owner", "ada") + file("f", "c", "3");
    const sent = body(text, way);
    const name: BeforeSave = async (header) => {
      if (header.Filename === "b") header.Filename = `${await postValue(sent, "owner")}-${header.Filename}`;
    };
    assertEquals(await uploadFormFiles(sent, folder.path, [name]), [3n, null]);
    assertEquals(folder.files(), { "a": "1", "ada-b": "2", "c": "3" });
    sent.close();
  });

  Deno.test(`uploadFormFiles() rethrows errors of a callback and removes the file, ${way}`, async () => {
    using folder = new Folder();
    const refusal = new HTTPError(415, "No such files here");
    const sent = body(file("f", "a", "1") + file("f", "b", "2") + field("n", "1"), way);
    const refuse: BeforeSave = (header) => {
      if (header.Filename === "b") throw refusal;
    };
    assertStrictEquals(await assertRejects(() => uploadFormFiles(sent, folder.path, [refuse])), refusal);
    assertEquals(folder.files(), { "a": "1" });
    assertEquals(await postValue(sent, "n"), "1");
    sent.close();
  });

  Deno.test(`uploadFormFiles() returns ErrMissingFile and creates no folder if there is no file, ${way}`, async () => {
    using folder = new Folder();
    const target = join(folder.path, "new");
    for (const text of ["", field("a", "1"), file("f", "", "")]) {
      const [total, error] = await uploadFormFiles(body(text, way), target);
      assertEquals(total, 0n);
      assertStrictEquals(error, ErrMissingFile);
    }
    assertEquals(folder.files(), {});
  });

  Deno.test(`uploadFormFiles() returns an error for a malformed body and leaves no partial file, ${way}`, async () => {
    using folder = new Folder();
    Deno.writeTextFileSync(join(folder.path, "b"), "old");
    const text = file("f", "a", "1") + file("f", "b", "2".repeat(1000)).slice(0, -300);
    const sent = new Body(ways[way]?.(text, type, [50]) as Request);
    const [total, error] = await uploadFormFiles(sent, folder.path);
    assertInstanceOf(error, HTTPError);
    assertEquals([total, error.Status], [0n, 400]);
    assertEquals(folder.files(), way === "whole" ? { b: "old" } : { a: "1", b: "old" });
    await assertRejects(() => postValue(sent, "n"), HTTPError);
    sent.close();
  });
}

Deno.test("uploadFormFiles() sanitizes hostile file names", async () => {
  const names: Record<string, string> = {
    "../../x": "x",
    "..\\..\\x": "x",
    "/etc/passwd": "passwd",
    "C:\\x": "x",
    "a/b": "b",
    ".": "file",
    "..": "file",
    "a/..": "file",
    "": "file",
    "x\u0001%0Ay": "xy",
    [`${"x".repeat(300)}.txt`]: `${"x".repeat(251)}.txt`,
    [`${"ü".repeat(300)}.txt`]: `${"ü".repeat(125)}.txt`,
  };
  for (const way of Object.keys(ways)) {
    for (const [name, expected] of Object.entries(names)) {
      using folder = new Folder();
      assertEquals(await uploadFormFiles(body(file("f", name, "1"), way), join(folder.path, "in")), [1n, null], name);
      assertEquals(folder.files(), { [`in/${expected}`]: "1" }, name);
    }
  }
});

Deno.test("uploadFormFiles() rejects names from a callback that are outside the folder", async () => {
  const names = [
    "../x",
    "/tmp/x",
    "a/../../x",
    "..",
    ".",
    "",
    "sub/",
    "x\0y",
    "link/x",
    "link/new/x",
    "outside.txt",
    "dangling",
  ];
  for (const way of Object.keys(ways)) {
    for (const name of names) {
      using folder = new Folder();
      using other = new Folder();
      Deno.writeTextFileSync(join(other.path, "target.txt"), "outside");
      Deno.symlinkSync(other.path, join(folder.path, "link"));
      Deno.symlinkSync(join(other.path, "target.txt"), join(folder.path, "outside.txt"));
      Deno.symlinkSync(join(other.path, "none"), join(folder.path, "dangling"));
      const before = folder.files();
      const sent = body(file("f", "a.txt", "1"), way);
      const [total, error] = await uploadFormFiles(sent, folder.path, [(header) => void (header.Filename = name)]);
      assertInstanceOf(error, FrameworkError, name);
      assertEquals([total, error.Code], [0n, "FW_UPLOAD"], name);
      assertEquals([folder.files(), other.files()], [before, { "target.txt": "outside" }], name);
      sent.close();
    }
  }
});

Deno.test("uploadFormFiles() follows links that stay in the folder, and a folder that is a link itself", async () => {
  using folder = new Folder();
  using other = new Folder();
  Deno.mkdirSync(join(folder.path, "real"));
  Deno.symlinkSync(join(folder.path, "real"), join(folder.path, "link"));
  Deno.symlinkSync(folder.path, join(other.path, "folder"));
  const sent = body(file("f", "a.txt", "1"));
  const into: BeforeSave = (header) => void (header.Filename = "link/a.txt");
  assertEquals(await uploadFormFiles(sent, join(other.path, "folder"), [into]), [1n, null]);
  assertEquals(folder.files(), { "link": "link", "real/a.txt": "1" });
});

Deno.test("uploadFormFiles() replaces a file of an earlier upload atomically, and creates missing folders", async () => {
  using folder = new Folder();
  const target = join(folder.path, "not", "there", "yet");
  await uploadFormFiles(body(file("f", "a.txt", "a long first text")), target);
  const reader = Deno.openSync(join(target, "a.txt"));
  await uploadFormFiles(body(file("f", "a.txt", "short")), target);
  assertEquals(folder.files(), { "not/there/yet/a.txt": "short" });
  // A process that has the old file open can still read it, because it was replaced and not overwritten.
  const buffer = new Uint8Array(100);
  assertEquals(new TextDecoder().decode(buffer.subarray(0, reader.readSync(buffer) ?? 0)), "a long first text");
  reader.close();
});

Deno.test("uploadFormFiles() copies files of a form that has already been read, including those on disk", async () => {
  using folder = new Folder();
  const limits = { ...defaultLimits, postMaxMemory: 10 };
  const text = `${file("f", "large.txt", "x".repeat(500_000))}${file("f", "small.txt", "y")}--X--`;
  const sent = new Body(ways["buffered"]?.(text, type, [60_000]) as Request, limits);
  const [found] = await formFile(sent, "f");
  assertEquals(found?.size, 500_000);
  assertEquals(await uploadFormFiles(sent, folder.path), [500_001n, null]);
  assertEquals(folder.files(), { "large.txt": "x".repeat(500_000), "small.txt": "y" });
  sent.close();
});

Deno.test("uploadFormFiles() sets the size and the final name in the header", async () => {
  using folder = new Folder();
  const headers: { Filename: string; Size: number }[] = [];
  const sent = body(file("f", "a.txt", "12") + file("f", "a.txt", "345"));
  await uploadFormFiles(sent, folder.path, [(header) => void headers.push(header)]);
  assertEquals(headers.map(({ Filename, Size }) => [Filename, Size]), [["a.txt", 2], ["a (1).txt", 3]]);
});

Deno.test("uploadFormFiles() fails with a clear error if streamed files are read again", async () => {
  using folder = new Folder();
  const sent = body(file("f", "a.txt", "1"));
  await uploadFormFiles(sent, folder.path);
  for (const error of [(await formFile(sent, "f"))[2], (await uploadFormFiles(sent, folder.path))[1]]) {
    assertInstanceOf(error, FrameworkError);
    assertEquals(error.Code, "FW_STATE");
  }
});

Deno.test("uploadFormFiles() allows the form to be read while files are arriving", async () => {
  using folder = new Folder();
  const sent = body(file("f", "a.txt", "1".repeat(1000)) + field("n", "1") + file("f", "b.txt", "2"));
  const [[total, error], value] = await Promise.all([uploadFormFiles(sent, folder.path), postValue(sent, "n")]);
  assertEquals([total, error, value], [1001n, null, "1"]);
  assertEquals(Object.keys(folder.files()).sort(), ["a.txt", "b.txt"]);
  sent.close();
});

Deno.test("uploadFormFiles() stops reading a body at the limit and leaves no partial file", async () => {
  using folder = new Folder();
  const sent = body(file("f", "a.txt", "1".repeat(1000)));
  sent.terms.limit(900);
  const [, error] = await uploadFormFiles(sent, folder.path);
  assertInstanceOf(error, HTTPError);
  assertEquals(error.Status, 413);
  assertEquals(folder.files(), {});
});

Deno.test("uploadFormFiles() reports a file that cannot be saved and removes temporary files", async () => {
  const cases: Record<string, (folder: string) => void> = {
    "a folder with this name exists": (folder) => Deno.mkdirSync(join(folder, "a.txt")),
    "one of its parent folders is a file": (folder) => {
      Deno.removeSync(folder);
      Deno.writeTextFileSync(folder, "a file");
    },
  };
  for (const way of Object.keys(ways)) {
    for (const [state, arrange] of Object.entries(cases)) {
      using folder = new Folder();
      const target = join(folder.path, "in");
      Deno.mkdirSync(target);
      arrange(target);
      const before = folder.files();
      const sent = body(file("f", "a.txt", "1") + field("n", "1"), way);
      const [, error] = await uploadFormFiles(sent, join(target, state.includes("parent") ? "sub" : ""));
      assertEquals(error?.message, `Cannot save uploaded file "a.txt": ${state}`);
      assertEquals(folder.files(), before);
      assertEquals(await postValue(sent, "n"), "1");
      sent.close();
    }
  }
});

Deno.test("uploadFormFiles() returns an error if the operating system or Deno denies permission", async () => {
  using folder = new Folder();
  const script = join(dirname(fromFileUrl(import.meta.url)), "..", "..", "testdata", "forms", "denied.ts");
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--allow-read", script, folder.path],
  }).output();
  assertEquals(
    new TextDecoder().decode(stdout),
    'Cannot save uploaded file "a.txt": Deno has no permission for the folder, run with --allow-read and --allow-write ' +
      "for it\n",
    new TextDecoder().decode(stderr),
  );
  assertEquals(folder.files(), {});
});

Deno.test({
  name: "uploadFormFiles() returns an error and leaves no partial file if the disk is full, even at the last byte",
  // Mounting a small disk requires Linux and root.
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
  async fn() {
    using folder = new Folder();
    const mount = new Deno.Command("mount", { args: ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder.path] });
    if (!(await mount.output()).success) return;
    try {
      for (const size of [(1 << 20) + 1, 3 << 20]) {
        const text = `${file("f", "a.txt", "x".repeat(size))}--X--`;
        const sent = new Body(ways["buffered"]?.(text, type, [1 << 16]) as Request);
        const [, error] = await uploadFormFiles(sent, folder.path);
        assertEquals(error?.message, 'Cannot save uploaded file "a.txt": the disk is full');
        assertEquals(folder.files(), {});
        sent.close();
      }
    } finally {
      await new Deno.Command("umount", { args: [folder.path] }).output();
    }
  },
});

Deno.test("uploadFormFiles() saves exactly the bytes that were sent over a socket", async () => {
  using folder = new Folder();
  const server = Deno.serve({ port: 0, onListen() {} }, async (request) => {
    const sent = new Body(request);
    const [total, error] = await uploadFormFiles(sent, folder.path);
    const name = await postValue(sent, "name");
    sent.close();
    return Response.json([String(total), error?.message ?? null, name]);
  });
  for (const size of [0, 1, 65_535, 65_536, 262_144, 5_000_000]) {
    for (const isSized of [true, false]) {
      const bytes = new Uint8Array(size);
      for (let at = 0; at < size; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536));
      const form = new FormData();
      form.set("files[]", new File([bytes], "data.bin"));
      form.set("name", "ada");
      const request = new Request(`http://localhost:${server.addr.port}/`, { method: "POST", body: form });
      const response = await fetch(request.url, {
        method: "POST",
        body: isSized ? await request.clone().bytes() : request.body,
        headers: { "content-type": request.headers.get("content-type") ?? "" },
      });
      assertEquals(await response.json(), [String(size), null, "ada"]);
      assert(Deno.readFileSync(join(folder.path, "data.bin")).every((byte, i) => byte === bytes[i]));
      assertEquals(Deno.statSync(join(folder.path, "data.bin")).size, size);
    }
  }
  await server.shutdown();
});

Deno.test("uploadFormFiles() leaves no files behind if the client disconnects", async () => {
  using folder = new Folder();
  const outcome = Promise.withResolvers<Error | null>();
  const server = Deno.serve({ port: 0, onListen() {} }, async (request) => {
    const sent = new Body(request);
    outcome.resolve((await uploadFormFiles(sent, folder.path))[1]);
    sent.close();
    return new Response("done");
  });
  const connection = await Deno.connect({ port: server.addr.port });
  const head = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nContent-Length: 9000000\r\n\r\n`;
  const begun = new TextEncoder().encode(head + file("f", "a.txt", "x".repeat(1_000_000)).slice(0, -2));
  for (let at = 0; at < begun.length;) at += await connection.write(begun.subarray(at));
  await waitFor(() => Object.keys(folder.files()).length > 0);
  connection.close();
  const error = await outcome.promise;
  assertInstanceOf(error, HTTPError);
  assertEquals([error.Status, error.Code], [400, "FW_BODY"]);
  assertEquals(folder.files(), {});
  await server.shutdown();
});

Deno.test("uploadFormFiles() leaves no files behind if the handler does not await it", async () => {
  using folder = new Folder();
  const start = new TextEncoder().encode(file("f", "a.txt", "x".repeat(1_000_000)).slice(0, -2));
  const stalled = new ReadableStream({
    start(controller) {
      controller.enqueue(start.subarray(0, 500_000));
      controller.enqueue(start.subarray(500_000));
    },
  });
  const headers = { "content-type": type };
  const sent = new Body(new Request("http://localhost/", { method: "POST", body: stalled, headers }));
  const upload = uploadFormFiles(sent, folder.path);
  await waitFor(() => Object.values(folder.files()).some((text) => text.length > 0));
  sent.close();
  assertInstanceOf((await upload)[1], HTTPError);
  assertEquals(folder.files(), {});
});

async function waitFor(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 1));
}

Deno.test("uploadFormFiles() takes linear time for many files with the same name, regardless of earlier uploads", async () => {
  for (const before of [0, 4000]) {
    const attempts: number[] = [];
    for (const count of [100, 400]) {
      using folder = new Folder();
      for (let i = 0; i < before; i++) Deno.writeTextFileSync(join(folder.path, `a (${i + 1}).txt`), "");
      const sent = body(file("f", "a.txt", "").repeat(count), "whole");
      const original = Deno.lstat;
      let calls = 0;
      Deno.lstat = (path) => (calls++, original(path));
      try {
        assertEquals(await uploadFormFiles(sent, folder.path), [0n, null]);
      } finally {
        Deno.lstat = original;
      }
      assertEquals(Object.keys(folder.files()).length, before + count);
      attempts.push(calls);
    }
    const [few = 0, many = 0] = attempts;
    // Each file needs two lookups, and finding the first free number needs about twenty.
    assert(few <= 250 && many <= 850, `${few} and ${many} looks at the folder`);
  }
});

Deno.test("uploadFormFiles() uses a free number between numbers in use", async () => {
  using folder = new Folder();
  for (const number of [1, 2, 3, 5, 8, 9]) Deno.writeTextFileSync(join(folder.path, `a (${number})`), "old");
  const sent = body(Array.from({ length: 5 }, (_, i) => file("f", "a", `new ${i}`)).join(""), "whole");
  assertEquals((await uploadFormFiles(sent, folder.path))[1], null);
  const found = Object.values(folder.files());
  assertEquals(found.filter((text) => text === "old").length, 6);
  assertEquals(found.filter((text) => text.startsWith("new")).sort(), ["new 0", "new 1", "new 2", "new 3", "new 4"]);
});

Deno.test("uploadFormFiles() removes old partial files of a killed process", async () => {
  using folder = new Folder();
  const [old, young, other] = [crypto.randomUUID(), crypto.randomUUID(), "notes"].map((id) =>
    join(folder.path, `.fw-${id}.part`)
  ) as [string, string, string];
  for (const path of [old, young, other]) Deno.writeTextFileSync(path, "half");
  const hoursAgo = Date.now() / 1000 - 2 * 3600;
  for (const path of [old, other]) Deno.utimeSync(path, hoursAgo, hoursAgo);
  assertEquals(await uploadFormFiles(body(file("f", "a.txt", "1")), folder.path), [1n, null]);
  assertEquals(
    Object.keys(folder.files()).sort(),
    [young, other, "a.txt"].map((path) => path.slice(path.lastIndexOf("/") + 1)).sort(),
  );
});

Deno.test("uploadFormFiles() leaves no partial file if the process exits during an upload", async () => {
  using folder = new Folder();
  const script = join(dirname(fromFileUrl(import.meta.url)), "..", "..", "testdata", "forms", "cut_off.ts");
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-read", "--allow-write", script, folder.path],
  }).output();
  assertEquals(code, 143, new TextDecoder().decode(stderr));
  assertEquals(folder.files(), {});
});

Deno.test("Form logs a missing temporary folder without reporting it to the client", async () => {
  const script = join(dirname(fromFileUrl(import.meta.url)), "..", "..", "testdata", "forms", "no_temporary_folder.ts");
  for (const [permissions, named] of [[["--allow-env=TMPDIR"], "/not/there"], [[], "$TMPDIR"]] as const) {
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-prompt", "--allow-read", "--allow-write", ...permissions, script],
      env: { TMPDIR: "/not/there" },
    }).output();
    assertEquals(new TextDecoder().decode(stdout), "500 Internal Server Error\n");
    const log = new TextDecoder().decode(stderr);
    assert(log.includes(`The temporary folder does not exist: "${named}"`), log);
  }
});

for (const way of Object.keys(ways)) {
  Deno.test(`uploadFormFiles() fails with 413 if a file exceeds the limit of its field, and saves nothing, ${way}`, async () => {
    using folder = new Folder();
    Deno.writeTextFileSync(join(folder.path, "a.txt"), "old");
    const sent = body(`${file("doc", "a.txt", "new")}${file("avatar", "me.png", "0123456789")}`, way);
    const options = { Fields: { avatar: { MaxFile: 9 } } };
    const [bytes, error] = await uploadFormFiles(sent, folder.path, [], options);
    assertInstanceOf(error, HTTPError);
    assertEquals([bytes, error.Status, error.Code], [0n, 413, "FW_LIMIT"]);
    assertEquals(
      error.message,
      'Cannot save the uploaded files: "me.png" in the field "avatar" is larger than 9 bytes',
    );
    assertEquals(folder.files(), { "a.txt": "old" });
    sent.close();
  });

  Deno.test(`uploadFormFiles() fails with 413 if a field has too many files, before a hook sees them, ${way}`, async () => {
    using folder = new Folder();
    const sent = body(["1", "2", "3"].map((name) => file("photos", name, name)).join(""), way);
    const seen: string[] = [];
    const hook: BeforeSave = ({ Filename }) => void seen.push(Filename);
    const [, error] = await uploadFormFiles(sent, folder.path, [hook], { Fields: { photos: { MaxCount: 2 } } });
    assertInstanceOf(error, HTTPError);
    assertEquals([error.Status, error.message], [
      413,
      'Cannot save the uploaded files: the field "photos" has more than 2 files',
    ]);
    assertEquals([seen, folder.files()], [["1", "2"], {}]);
    sent.close();
  });

  Deno.test(`uploadFormFiles() fails with 413 if the files of a field exceed their total, and saves nothing, ${way}`, async () => {
    using folder = new Folder();
    const sizes = [100, 100, 9_000];
    const sent = body(sizes.map((size, i) => file("photos", String(i), "x".repeat(size))).join(""), way);
    const options = { MaxFile: 9_000, Fields: { photos: { MaxTotal: 1_000 } } };
    const [bytes, error] = await uploadFormFiles(sent, folder.path, [], options);
    assertInstanceOf(error, HTTPError);
    assertEquals([bytes, error.Status, error.Code], [0n, 413, "FW_LIMIT"]);
    assertEquals(
      error.message,
      'Cannot save the uploaded files: the files in the field "photos" are larger than 1000 bytes in total',
    );
    assertEquals(folder.files(), {});
    sent.close();
  });

  Deno.test(`uploadFormFiles() accepts files up to the limits, and those of other fields, ${way}`, async () => {
    using folder = new Folder();
    const sent = body(`${file("avatar", "me.png", "012345678")}${file("doc", "a.txt", "0123456789")}`, way);
    const options = { MaxCount: 1, Fields: { avatar: { MaxFile: 9 } } };
    assertEquals(await uploadFormFiles(sent, folder.path, [], options), [19n, null]);
    assertEquals(Object.keys(folder.files()).sort(), ["a.txt", "me.png"]);
    const large = body(file("constructor", "a.txt", "0123456789"), way);
    const [, error] = await uploadFormFiles(large, folder.path, [], { ...options, MaxFile: 5 });
    assertEquals((error as HTTPError).Status, 413);
    sent.close();
    large.close();
  });
}

Deno.test("uploadFormFiles() rejects limits that are not valid", async () => {
  using folder = new Folder();
  for (const options of [{ MaxFile: -1 }, { Fields: { a: { MaxCount: NaN } } }, { MaxSize: 1 }, { Fields: { a: 1 } }]) {
    const sent = body(file("a", "a.txt", "a"));
    await assertRejects(() => uploadFormFiles(sent, folder.path, [], options as never), FrameworkError);
    sent.close();
  }
});

Deno.test("uploadFormFiles() rejects a total that is not valid, for all fields and for one", async () => {
  using folder = new Folder();
  for (const options of [{ MaxTotal: -1 }, { Fields: { a: { MaxTotal: NaN } } }]) {
    const sent = body(file("a", "a.txt", "a"));
    const upload = () => uploadFormFiles(sent, folder.path, [], options);
    await assertRejects(upload, FrameworkError, "it must be a non-negative number");
    sent.close();
  }
});
