import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import createClient from "npm:openapi-fetch@^0.17";
import openapiTS, { astToString } from "npm:openapi-typescript@^7";
import { Validator } from "npm:@seriousme/openapi-schema-validator@^2";
import { overSocket } from "../../serving.ts";
import { newApp } from "./fixture/awkward.ts";

Deno.test("Document.Build() returns a valid document, from which a client that calls the server is generated", async () => {
  const app = newApp();
  app.Logger().SetLevel("disable");
  await overSocket(app, async (ask, port) => {
    const document = JSON.parse((await ask("/openapi.json")).text);
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    assert(valid, JSON.stringify(errors));
    const folder = await Deno.makeTempDir();
    try {
      const types = astToString(await openapiTS(document));
      assertStringIncludes(types, "UserController_Post");
      await Deno.writeTextFile(join(folder, "api.ts"), types);
      // The generated types accept the correct call and reject an incorrect one.
      await Deno.writeTextFile(
        join(folder, "main.ts"),
        `import createClient from "npm:openapi-fetch@^0.17";
         import type { paths } from "./api.ts";
         const client = createClient<paths>({ baseUrl: "http://localhost" });
         export const good = () => client.POST("/v1/users", { body: { name: "Ada" } });
         // @ts-expect-error: the name is a string
         export const bad = () => client.POST("/v1/users", { body: { name: 7 } });`,
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
    const { response, data } = await call("/v1/users", { body: { name: "Ada" } });
    assertEquals([response.status, Object(data)["name"]], [201, "Ada"]);
  });
});
