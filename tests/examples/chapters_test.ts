import { assertEquals } from "@std/assert";
import { newApp as dependencies } from "../../examples/dependencies/main.ts";
import { newApp as languages } from "../../examples/languages/main.ts";
import { newApp as routing } from "../../examples/routing/main.ts";
import { newApp as versions } from "../../examples/versions/main.ts";
import type * as fw from "../../mod.ts";
import * as httptest from "../../src/httptest/mod.ts";
import { overSocket } from "../serving.ts";

function quiet(app: fw.Application): fw.Application {
  app.Logger().SetLevel("disable");
  return app;
}

Deno.test("examples/routing uses the most specific route that matches", async () => {
  const test = httptest.New(quiet(routing()));
  await test.GET("/users/7").Expect().JSON({ by: "number", id: "7" });
  await test.GET("/users/ada").Expect().JSON({ by: "name", name: "ada" });
  await test.GET("/users/me").Expect().Status(302).Header("location", "/users/7");
  await test.GET("/files/css/site.css").Expect().Body("css/site.css");
  await test.GET("/age/200").Expect().Status(400);
  await test.GET("/nowhere").Expect().Status(404).Body("There is nothing at /nowhere");
  await test.GET("/home").Expect().Body("please log in");
  await test.GET("/home").WithHeader("x-user", "ada").Expect().Body("welcome back");
  await overSocket(quiet(routing()), async (ask) => {
    const { text } = await ask("/", { headers: { host: "admin.localhost" } });
    assertEquals(text, "welcome to admin.localhost");
  });
});

Deno.test("examples/input reads the query, headers, cookies and JSON with schemas", async () => {
  // The types of zod are not checked in this workspace member.
  const { newApp } = await import(new URL("../../examples/input/main.ts", import.meta.url).href);
  const test = httptest.New(quiet(newApp()));
  await test.GET("/teas?limit=1").Expect().JSON([{ name: "Assam", grams: 100 }]);
  await test.POST("/teas").WithJSON({ name: "Sencha", grams: 50 }).Expect().Status(201);
  await test.POST("/teas").WithJSON({ name: "Sencha", grams: -1 }).Expect().Status(422).Contains("#/grams");
  await test.POST("/teas").WithForm({ name: "Sencha" }).Expect().Status(415);
  await test.GET("/me").Expect().Contains('"seen":""');
  await test.GET("/me").Expect().Contains('"seen":"yes"');
});

Deno.test("examples/dependencies creates dependencies once or per request", async () => {
  const app = quiet(dependencies(() => "today"));
  const test = httptest.New(app);
  await test.POST("/notes").WithForm({ text: "tea" }).Expect().Status(201);
  await test.GET("/notes").Expect().JSON(["today tea"]);
  await test.GET("/me").WithHeader("x-user", "ada").Expect().JSON({ name: "ada" });
  await test.GET("/me").Expect().Status(401);
  await app.Shutdown();
});

Deno.test("examples/versions serves two versions, and describes each of them", async () => {
  const test = httptest.New(quiet(versions()));
  await test.GET("/api/teas").Expect().JSON(["Assam", "Sencha"]).Header("x-api-version", "1.0.0")
    .Header("sunset", "Fri, 01 Jan 2027 00:00:00 GMT");
  await test.GET("/api/teas").WithHeader("Accept-Version", "latest").Expect()
    .JSON([{ name: "Assam" }, { name: "Sencha" }]).Header("x-api-version", "2.1.0");
  await test.GET("/api/teas").WithHeader("Accept-Version", "3.0.0").Expect().Status(501).Body("version not found");
  await test.GET("/api/shops").WithHeader("Accept-Version", "2.0.0").Expect().JSON([{ city: "Hamburg" }]);
  await test.GET("/api/shops").Expect().Status(501);
  await test.GET("/api/cups").WithHeader("Accept", "application/json; version=2.0.0").Expect().Status(404)
    .JSON({ error: "not found", version: "2.0.0" });
  await test.GET("/v2.json").Expect().Status(200).Contains("/api/shops");
  await test.GET("/v1.json").Expect().Status(200).Contains("/api/teas");
});

Deno.test("examples/languages uses the language of the path, and writes and reads formats", async () => {
  const test = httptest.New(quiet(languages()));
  await test.GET("/").Expect().Body("Hello Ada");
  await test.GET("/el").Expect().Body("Γεια Ada");
  await test.GET("/el/cart?dogs=3").Expect().Body("3 σκύλοι");
  await test.GET("/cart").WithHeader("Accept-Language", "el-GR, en;q=0.5").Expect().Body("1 σκύλος");
  await test.GET("/teas").WithHeader("Accept", "application/yaml").Expect().Body("- name: Assam\n- name: Sencha\n");
  await test.GET("/teas").WithHeader("Accept", "application/json;q=0.1, application/xml").Expect()
    .Contains("<List><Item><name>Assam</name></Item>");
  await test.GET("/teas").WithHeader("Accept", "image/png").Expect().Status(406);
  await test.POST("/teas").WithJSON({ name: "Oolong" }).Expect().Status(201).JSON({ name: "Oolong" });
  await test.POST("/el/teas").WithJSON({}).Expect().Status(422).Contains("Λείπει το όνομα");
});
