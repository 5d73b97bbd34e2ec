import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import createClient from "npm:openapi-fetch@^0.17";
import openapiTS, { astToString } from "npm:openapi-typescript@^7";
import { Validator } from "npm:@seriousme/openapi-schema-validator@^2";
import * as fw from "../../mod.ts";
import { withPage } from "../browser.ts";
import { overSocket } from "../serving.ts";

/** Loads a module of the example, whose types are checked with the rules for applications rather than packages. */
function load(name: string): Promise<Record<string, (...args: unknown[]) => unknown>> {
  return import(new URL(`../../examples/contracts/${name}`, import.meta.url).href);
}

async function quietApp(): Promise<fw.Application> {
  const app = (await load("main.ts"))["newApp"]?.();
  if (!(app instanceof fw.Application)) throw new TypeError("The example has no application");
  app.Logger().SetLevel("disable");
  return app;
}

Deno.test("examples/contracts serves its typed client over a socket", async () => {
  await overSocket(await quietApp(), async (_ask, port) => {
    const { addAndFind } = await load("client.ts");
    assertEquals(await addAndFind?.(`http://127.0.0.1:${port}`), "Assam, 100 g, picked 1970-01-01T00:00:00.000Z");
  });
});

Deno.test("examples/contracts rejects invalid input with problem details", async () => {
  await overSocket(await quietApp(), async (ask) => {
    const post = (body: string, type = "application/json") =>
      ask("/teas", { method: "POST", headers: { "content-type": type }, body });
    const bad = await post('{"name":"A","grams":-1}');
    assertEquals([bad.status, bad.headers.get("content-type")], [422, "application/problem+json"]);
    assertEquals(JSON.parse(bad.text).errors.map((error: { pointer: string }) => error.pointer), ["#/name", "#/grams"]);
    assertEquals((await post("{")).status, 400);
    assertEquals((await post("name=Assam", "application/x-www-form-urlencoded")).status, 415);
    assertEquals((await ask("/teas?limit=0")).status, 422);
  });
});

Deno.test("examples/contracts has a valid OpenAPI document, from which a client that calls the server is generated", async () => {
  await overSocket(await quietApp(), async (ask, port) => {
    const document = JSON.parse((await ask("/openapi.json")).text);
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    assert(valid, JSON.stringify(errors));
    const folder = await Deno.makeTempDir();
    try {
      const types = astToString(await openapiTS(document));
      assertStringIncludes(types, "TeaController_Post");
      await Deno.writeTextFile(join(folder, "api.ts"), types);
      // The generated types accept the correct call and reject an incorrect one.
      await Deno.writeTextFile(
        join(folder, "main.ts"),
        `import createClient from "npm:openapi-fetch@^0.17";
         import type { paths } from "./api.ts";
         const client = createClient<paths>({ baseUrl: "http://localhost" });
         export const good = () => client.POST("/teas", { body: { name: "Assam", grams: 100 } });
         // @ts-expect-error: grams is a number
         export const bad = () => client.POST("/teas", { body: { name: "Assam", grams: "many" } });`,
      );
      const command = new Deno.Command(Deno.execPath(), { args: ["check", "main.ts"], cwd: folder, stderr: "piped" });
      const checked = await command.output();
      assertEquals(checked.code, 0, new TextDecoder().decode(checked.stderr));
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
    const client = createClient<Record<string, never>>({ baseUrl: `http://127.0.0.1:${port}` });
    const call: (path: string, init: unknown) => Promise<{ response: Response; data?: unknown }> = client
      .POST as never;
    const { response, data } = await call("/teas", { body: { name: "Assam", grams: 100 } });
    assertEquals([response.status, Object(data)["name"]], [201, "Assam"]);
  });
});

Deno.test("examples/contracts has a page from which a request can be sent", async () => {
  await overSocket(await quietApp(), async (_ask, port) => {
    await withPage(async (page) => {
      await page.goto(`http://127.0.0.1:${port}/`);
      await page.getByText("Adds a tea").click();
      await page.getByLabel("Body").fill('{"name":"Assam","grams":100}');
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByText("201 Created").waitFor();
    });
  });
});
