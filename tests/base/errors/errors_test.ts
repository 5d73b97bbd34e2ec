import { assert, assertEquals, assertInstanceOf, assertStringIncludes, assertThrows } from "@std/assert";
import { join } from "@std/path";
import * as fw from "../../../mod.ts";
import { root } from "../../running.ts";

Deno.test("ErrorCodes contains only codes that are used", async () => {
  const sources: string[] = [];
  for (const folder of ["src", "mvc"]) await collect(new URL(`../../../${folder}/`, import.meta.url), sources);
  const text = sources.join("\n");
  for (const code of Object.keys(fw.ErrorCodes)) {
    assert(text.includes(`"${code}"`), `${code} is in the table and nowhere else`);
  }
});

Deno.test("ErrorCodes describes each code in one sentence without a period", () => {
  for (const [code, says] of Object.entries(fw.ErrorCodes)) {
    assert(/^FW_[A-Z_]+$/.test(code), code);
    assert(/^[A-Z].*[^.]$/.test(says), says);
  }
});

Deno.test("FrameworkError has its code, its message and its cause", () => {
  const cause = new Error("below");
  const error = new fw.FrameworkError("FW_STATE", "Cannot do it: it is done", { cause });
  assertEquals([error.name, error.Code, error.message, error.cause], [
    "FrameworkError [FW_STATE]",
    "FW_STATE",
    "Cannot do it: it is done",
    cause,
  ]);
  assert(error instanceof Error);
});

Deno.test("FrameworkError shows its code if it is uncaught, printed, converted to a string or logged", async () => {
  const program = `import * as fw from "@fw/web";
const app = fw.New();
app.Get("/", () => {
  throw new fw.FrameworkError("FW_AUTH", "Cannot log in");
});
await app.fetch(new Request("http://localhost/"));
app.Get("/{id:nonsense}", () => {});`;
  const folder = await Deno.makeTempDir();
  try {
    const main = join(folder, "main.ts");
    await Deno.writeTextFile(main, program);
    const args = ["run", "--no-check", "--config", join(root, "deno.json"), main];
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), { args, env: { NO_COLOR: "1" } }).output();
    const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
    assertStringIncludes(`${out}${err}`, "Cannot serve GET /: FrameworkError [FW_AUTH]: Cannot log in");
    assertStringIncludes(`${err}`, "Uncaught (in promise) FrameworkError [FW_STATE]: Cannot ");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  const error = new fw.FrameworkError("FW_VIEW", "Cannot render");
  for (const shown of [String(error), Deno.inspect(error), error.stack]) {
    assertStringIncludes(`${shown}`, "FrameworkError [FW_VIEW]: Cannot render");
  }
});

Deno.test("HTTPError has its status, its message, its cause and its code", () => {
  const cause = new Error("below");
  const error = new fw.HTTPError(404, "No such user", { cause, Code: "FW_BODY" });
  assertEquals([error.name, error.Status, error.message, error.cause, error.Code], [
    "HTTPError [FW_BODY]",
    404,
    "No such user",
    cause,
    "FW_BODY",
  ]);
  assertEquals([new fw.HTTPError(500).Code, new fw.HTTPError(500).name], [undefined, "HTTPError"]);
});

Deno.test("HTTPError has the status text of RFC 9110 as its default message", () => {
  assertEquals([404, 413, 418, 422, 500, 599].map((status) => String(new fw.HTTPError(status))), [
    "HTTPError: Not Found",
    "HTTPError: Content Too Large",
    "HTTPError: I'm a teapot",
    "HTTPError: Unprocessable Content",
    "HTTPError: Internal Server Error",
    "HTTPError: Status 599",
  ]);
  assertEquals(new fw.HTTPError(404, "").message, "Not Found");
  assertEquals(fw.NewProblem({ Status: 404 }).message, "Not Found");
});

Deno.test("HTTPError without a message adds no detail to its problem", async () => {
  const app = fw.New();
  app.Get("/{status:int}", (ctx) => {
    throw new fw.HTTPError(ctx.Params().GetIntDefault("status", 400));
  });
  const headers = { accept: "application/json" };
  const ask = async (status: number) =>
    await (await app.fetch(new Request(`http://localhost/${status}`, { headers }))).json();
  assertEquals(await ask(404), { type: "about:blank", title: "Not Found", status: 404 });
  assertEquals(await ask(422), { type: "about:blank", title: "Unprocessable Content", status: 422 });
});

for (const status of [0, 200, 302, 399, 600, 404.5, NaN, -404]) {
  Deno.test(`HTTPError rejects the status ${status}`, () => {
    const error = assertThrows(() => new fw.HTTPError(status), fw.FrameworkError);
    assertEquals(
      error.message,
      `Cannot create an HTTPError with status "${status}": the status must be between 400 and 599`,
    );
  });
}

Deno.test("ErrMissingFile is a single error, compared by identity", () => {
  assertEquals(fw.ErrMissingFile.Code, "FW_MISSING_FILE");
  assert(fw.ErrMissingFile instanceof fw.FrameworkError);
});

async function collect(folder: URL, sources: string[]): Promise<void> {
  for await (const entry of Deno.readDir(folder)) {
    const path = new URL(entry.name + (entry.isDirectory ? "/" : ""), folder);
    if (entry.isDirectory) await collect(path, sources);
    else if (entry.name.endsWith(".ts")) sources.push(await Deno.readTextFile(path));
  }
}
Deno.test("ErrMissingFile has no stack trace, because capturing one would slow down every start", () => {
  assertInstanceOf(fw.ErrMissingFile, fw.FrameworkError);
  assert(Error.isError(fw.ErrMissingFile));
  assertEquals(fw.ErrMissingFile.name, "FrameworkError [FW_MISSING_FILE]");
  assertEquals(fw.ErrMissingFile.Code, "FW_MISSING_FILE");
  assertEquals(fw.ErrMissingFile.stack?.includes("\n"), false);
});
