import { assertEquals } from "@std/assert";
import { askInProcess, quiet } from "../../../serving.ts";

Deno.test("Context.ServeFile() detects changes of files in memory immediately", async () => {
  const file = await Deno.makeTempFile({ suffix: ".txt" });
  try {
    const app = quiet();
    app.Get("/", (ctx) => ctx.ServeFile(file));
    for (const text of ["one", "two, longer", "3"]) {
      await Deno.writeTextFile(file, text);
      for (let round = 0; round < 4; round++) assertEquals((await askInProcess(app, "/")).text, text);
      const [part, head] = [
        await askInProcess(app, "/", { headers: { range: "bytes=0-0" } }),
        await askInProcess(app, "/", { method: "HEAD" }),
      ];
      assertEquals([part.status, part.text], [206, text.slice(0, 1)]);
      assertEquals([head.text, head.headers.get("content-length")], ["", `${text.length}`]);
    }
    await Deno.remove(file);
    assertEquals((await askInProcess(app, "/")).status, 404);
    // The new file has the same size and time.
    for (const text of ["a", "b", "c"]) {
      await Deno.writeTextFile(`${file}.new`, text);
      await Deno.utime(`${file}.new`, 1e9, 1e9);
      await Deno.rename(`${file}.new`, file);
      for (let round = 0; round < 4; round++) assertEquals((await askInProcess(app, "/")).text, text);
    }
  } finally {
    await Deno.remove(file);
  }
});

Deno.test("Context.ServeFile() passes a copy of the bytes to middleware that reads the body", async () => {
  const file = await Deno.makeTempFile({ suffix: ".txt" });
  try {
    await Deno.writeTextFile(file, "clean");
    const app = quiet();
    app.Get("/", (ctx) => ctx.ServeFile(file));
    app.Get("/before", (ctx) => {
      ctx.Recorder().OnSend((recorder) => void recorder.Body()?.fill(33));
      return ctx.ServeFile(file);
    });
    app.Get("/after", async (ctx) => {
      await ctx.ServeFile(file);
      ctx.Recorder().Body()?.fill(33);
    });
    for (let round = 0; round < 3; round++) {
      for (const [path, text] of [["/", "clean"], ["/before", "!!!!!"], ["/after", "!!!!!"]] as const) {
        assertEquals((await askInProcess(app, path)).text, text);
      }
    }
  } finally {
    await Deno.remove(file);
  }
});
