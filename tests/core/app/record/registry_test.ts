import * as fw from "@fw/web";
import { assertThrows } from "@std/assert";
import { quiet } from "../../../serving.ts";

Deno.test("Application.Build() rejects two routes with the same name, and lets one route replace another", () => {
  const app = quiet();
  app.Get("/a", () => {}).SetName("it");
  app.Post("/b", () => {}).SetName("it");
  assertThrows(() => app.Build(), fw.FrameworkError, 'Cannot name "POST /b" "it": "GET /a" already has that name');
  const other = quiet();
  other.Get("/a", () => {});
  other.Get("/a", () => {});
  other.Build();
});
