import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Validator } from "npm:@seriousme/openapi-schema-validator@^2";
import { type Ended, runProgram } from "../../running.ts";

const ended = new Map<string, Promise<Ended>>();

/** Runs the program. The same arguments give the same result, so it runs once for all tests that pass them. */
function runOpenAPI(...args: string[]): Promise<Ended> {
  return ended.getOrInsertComputed(args.join(" "), () => runProgram("src/api/openapi/mod.ts", args));
}

Deno.test("openapi as a program includes information from the sources", async (t) => {
  const { code, out, err } = await runOpenAPI(
    "tests/api/openapi/fixture/main.ts",
    "--title=Things",
    "--api-version=2.0.0",
  );
  assertEquals(code, 0, err);
  const document = JSON.parse(out);
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  assert(valid, JSON.stringify(errors));
  const get = (path: string) => document.paths[path].get;
  const body = (path: string) => get(path).responses["200"].content["application/json"].schema;
  const { schemas } = document.components;

  await t.step("title and version come from the flags", () => {
    assertEquals(document.info, { title: "Things", version: "2.0.0" });
  });
  await t.step("doc comments become summaries and descriptions", () => {
    assertEquals(get("/things").summary, "Lists the users");
    assertEquals(get("/things").description, "Returns one page at a time.");
    assertEquals(get("/things").deprecated, true);
    assertEquals(get("/things/{id}").summary, "Finds one");
    assertEquals(get("/things/{id}").description, "Or none.");
  });
  await t.step("a generic type is instantiated, and a recursive type becomes a reference", () => {
    assertEquals(body("/things"), { $ref: "#/components/schemas/Page_User" });
    assertEquals(schemas.Page_User.properties.items, { type: "array", items: { $ref: "#/components/schemas/User" } });
    assertEquals(schemas.Page_User.required, ["items"]);
    const user = schemas.User.allOf[1];
    assertEquals(schemas.User.allOf[0], { $ref: "#/components/schemas/Base" });
    assertEquals(user.properties.manager.anyOf[0], { $ref: "#/components/schemas/User" });
    assertEquals(user.properties.name, { type: "string", description: "The full name." });
    assertEquals(user.properties.role, { enum: ["admin", "guest"] });
    assertEquals(user.properties.born, { type: "string", format: "date-time" });
    assertEquals(user.required, ["name", "tags", "role", "born", "manager"]);
  });
  await t.step("mvc.Tuple sends its first value", () => {
    assertEquals(body("/things/{id}"), { $ref: "#/components/schemas/User" });
  });
  await t.step("Pick, Omit, Partial, Record, tuples and imported names are described", () => {
    assertEquals(Object.keys(body("/things/picked").properties), ["id", "name"]);
    assertEquals(body("/things/partial").required, undefined);
    assertEquals(Object.keys(body("/things/partial").properties).includes("manager"), false);
    assertEquals(body("/things/record").additionalProperties, { $ref: "#/components/schemas/Bee" });
    assertEquals(body("/things/space"), { $ref: "#/components/schemas/Bee" });
    assertEquals(body("/things/pair").minItems, 1);
  });
  await t.step("media types and statuses are derived from the return type", () => {
    const types = (path: string, method: string, status: string) =>
      Object.keys(document.paths[path][method].responses[status].content ?? {});
    assertEquals(types("/things/text", "get", "200"), ["text/plain"]);
    assertEquals(types("/things/view", "get", "200"), ["text/html"]);
    assertEquals(types("/things/bytes", "get", "200"), ["application/octet-stream"]);
    assertEquals(types("/things/lines", "get", "200"), ["application/jsonl"]);
    assertEquals(types("/things/bee", "post", "201"), ["application/json"]);
    assertEquals(types("/things/bee", "post", "409"), ["application/json"]);
    assertEquals(types("/things/literal", "post", "202"), ["application/json"]);
    assertEquals(types("/things/xml", "post", "200"), ["application/xml"]);
    assertEquals(Object.keys(document.paths["/things"].delete.responses), ["400", "default"]);
    assertEquals(Object.keys(get("/things/{id}").responses), ["200", "400", "404", "default"]);
  });
  await t.step(
    "inherited generics are resolved, and controllers with the same name keep their own descriptions",
    () => {
      assertEquals(body("/bees"), { type: "array", items: { $ref: "#/components/schemas/Bee" } });
      assertEquals(document.tags, [{ name: "Bee", description: "Serves bees." }, {
        name: "Same",
        description: "A controller with the same name as another one.",
      }]);
      assertEquals([get("/v1").summary, get("/v2").summary], ["First", "Second"]);
      assertEquals([Object.keys(body("/v1").properties), Object.keys(body("/v2").properties)], [["first"], ["second"]]);
    },
  );
  await t.step("types that cannot be described are left open, with a warning", () => {
    assertEquals(body("/things/open"), {});
    assertStringIncludes(err, 'Cannot describe the type "mapped"');
  });
  await t.step("a method with an inferred return type causes a warning, unless it is described", () => {
    assertEquals(get("/things/inferred").responses["default"], { description: "Response" });
    const named = err.split("\n").filter((line) => line.includes("is inferred"));
    assertEquals(named, [
      'warning: Cannot describe the response of "ThingController.GetInferred": its return type is inferred; declare it, or ' +
      "set Returns in its description",
    ]);
  });
});

Deno.test("openapi as a program reports files that it cannot find", async () => {
  const { code, out, err } = await runOpenAPI("tests/api/openapi/fixture/bee.ts");
  assertEquals([code, out], [1, ""]);
  assertStringIncludes(err, 'exports neither an application as its default nor "newApp"');
});

Deno.test("openapi as a program describes the party whose document the application serves", async () => {
  const { code, out, err } = await runOpenAPI("tests/api/openapi/fixture/part.ts");
  assertEquals([code, err], [0, ""]);
  assertEquals(Object.keys(JSON.parse(out).paths), ["/api/items", "/api/items/{id}"]);
});

Deno.test("openapi as a program describes handlers that are named functions", async () => {
  const { paths } = JSON.parse((await runOpenAPI("tests/api/openapi/fixture/part.ts")).out);
  const { summary, description } = paths["/api/items"].get;
  assertEquals([summary, description], ["Lists the items", "The newest come first."]);
  const found = paths["/api/items/{id}"].get;
  assertEquals([found.summary, found.deprecated], ["Finds an item", true]);
  assertEquals(Object.keys(found.responses["200"].content["application/json"].schema), ["$ref"]);
});

Deno.test("openapi as a program selects a document by path", async () => {
  const file = "tests/api/openapi/fixture/parts.ts";
  const undecided = await runOpenAPI(file);
  assertEquals([undecided.code, undecided.out], [1, ""]);
  assertEquals(
    undecided.err,
    'Cannot choose a document: the application serves "/shop/openapi", "/stock/openapi"; set --path [FW_CONFIG]\n',
  );
  const { code, out, err } = await runOpenAPI(file, "--path=/stock/openapi");
  assertEquals([code, err], [0, ""], "there is no warning about the pages");
  const { info, paths } = JSON.parse(out);
  assertEquals([info.title, Object.keys(paths)], ["stock", ["/stock/items"]]);
  const missing = await runOpenAPI(file, "--path=/openapi");
  assertEquals(missing.code, 1);
  assertStringIncludes(
    missing.err,
    'Cannot find a document at "/openapi" in the application: it serves "/shop/openapi"',
  );
});

Deno.test("openapi as a program describes types that are inferred from schemas", async () => {
  const { code, out, err } = await runOpenAPI("tests/api/openapi/fixture/inferred.ts", "--path=/docs1");
  assertEquals(code, 0, err);
  const document = JSON.parse(out);
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  assert(valid, JSON.stringify(errors));
  const { schemas } = document.components;
  const resolve = (schema: Record<string, unknown>) =>
    typeof schema["$ref"] === "string" ? schemas[schema["$ref"].slice("#/components/schemas/".length)] : schema;
  const body = (path: string, method = "get") =>
    resolve(document.paths[path][method].responses["200"].content["application/json"].schema);
  const tea = {
    name: { type: "string" },
    grams: { type: "integer", minimum: -9007199254740991, maximum: 100 },
    picked: { type: "string", format: "date-time" },
  };
  assertEquals(body("/teas").items, { $ref: "#/components/schemas/Tea" });
  assertEquals(schemas.Tea.properties, tea);
  assertEquals(schemas.Tea.required, ["name", "grams"]);
  for (const path of ["/teas/direct", "/teas/tuple", "/teas/generic"]) assertEquals(body(path).properties, tea, path);
  assertEquals(body("/teas/shelf").properties.teas.items.properties, tea);
  assertEquals(body("/teas/cup").properties, { size: { type: "number" } });
  assertEquals(body("/teas/pot").properties, { litres: { type: "number" } });
  assertEquals(body("/teas/sent").properties, { at: { type: "string" } });
  assertEquals(body("/teas/order").properties, { count: { type: "number", minimum: 1 } });
  assertEquals(body("/teas/order", "post").properties, { count: { type: "number", minimum: 1 } });
  const tree = body("/teas/tree");
  assertEquals(resolve(tree.properties.branches.items).properties.name, { type: "string" });
  assertEquals(body("/teas/secret"), {});
  assertStringIncludes(err, 'Cannot describe the type "typeof secret": export "secret"');
  assert(!err.includes('"typeof order"') && !err.includes("z.infer"), err);
});

Deno.test("openapi as a program finds a document by its path, in any spelling", async () => {
  for (const [path, title] of [["/docs1", "First"], ["docs1", "First"], ["/inner/docs2/", "Second"]]) {
    const { code, out, err } = await runOpenAPI("tests/api/openapi/fixture/inferred.ts", `--path=${path}`);
    assertEquals(code, 0, err);
    assertEquals(JSON.parse(out).info.title, title);
  }
  const { err } = await runOpenAPI("tests/api/openapi/fixture/inferred.ts", "--path=/docs3");
  assertStringIncludes(err, '"/docs3" in the application: it serves "/docs1", "/inner/docs2"');
});
