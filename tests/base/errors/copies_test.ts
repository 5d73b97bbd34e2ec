import * as fw from "@fw/web";
import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { cp } from "node:fs/promises";
import { join, toFileUrl } from "@std/path";
import { root } from "../../running.ts";
import { quiet } from "../../serving.ts";

/** Loads another copy of fw. */
async function withCopy(run: (other: typeof fw, folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "fw_copy_" });
  try {
    for (const name of ["src", "mvc", "mod.ts", "deno.json"]) {
      await cp(join(root, name), join(folder, name), { recursive: true });
    }
    await run(await import(toFileUrl(join(folder, "mod.ts")).href), folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("two copies of fw in one program share errors, tuples and extensions, and name foreign objects", async () => {
  await withCopy(async (other, folder) => {
    assert(other.New !== fw.New);
    const app = quiet();
    app.Get("/refused", () => {
      throw new other.HTTPError(418, "Short and stout");
    });
    app.Get("/wrong", () => {
      throw new other.FrameworkError("FW_STATE", "Too early");
    });
    class Controller {
      Get(): unknown {
        return other.mvc.Tuple("tea", 201);
      }
    }
    fw.mvc.New(app.Party("/tuple")).Handle(Controller);
    const key = other.Key<string>("tenant");
    app.Install({
      Name: "tenants",
      Install(host: import("@fw/web").Host) {
        host.Provide(key, () => "acme");
        host.Check("tenants", () => {}, "start");
      },
    });
    app.Get("/value", (ctx) => ctx.WriteString(ctx.Values().Get(key) ?? ""));
    const ask = async (path: string) => {
      const response = await app.fetch(new Request(`http://localhost${path}`));
      return [response.status, await response.text()];
    };
    assertEquals(await ask("/refused"), [418, "Short and stout"]);
    assertEquals(await ask("/wrong"), [500, "Internal Server Error"]);
    assertEquals(await ask("/tuple"), [201, "tea"]);
    assertEquals(await ask("/value"), [200, "acme"]);
    assert(new other.HTTPError(404) instanceof fw.HTTPError);
    class Own extends fw.HTTPError {}
    assert(new Own(404) instanceof Own && !(new fw.HTTPError(404) instanceof Own));
    const error = assertThrows(() => other.mvc.New(quiet() as never), Error);
    assertStringIncludes(error.message, "Cannot use a Party of another copy of fw: it comes from file:");
    assertStringIncludes(error.message, toFileUrl(folder).href);
    assertStringIncludes(error.message, "let both depend on the same version");
  });
});
