import { assertEquals } from "@std/assert";
import { readExtendedValue, readHeaderParameters } from "../../../src/http/headers/header_parameters.ts";
import { bothWays, quiet } from "../../serving.ts";

/** The values that a handler sets, and the name and the full name that clients read. */
const rows: [value: string, plain: string, full: string][] = [
  ['attachment; filename="отчёт.pdf"', "_____.pdf", "отчёт.pdf"],
  ["attachment; filename=отчёт.pdf", "_____.pdf", "отчёт.pdf"],
  ['inline; filename="報告 (1).txt"', "__ (1).txt", "報告 (1).txt"],
  ['attachment; filename="a;b=\\"ж\\".txt"', "a;b=___.txt", 'a;b="ж".txt'],
  ['attachment; filename="🍵.txt"', "__.txt", "🍵.txt"],
  ['attachment; filename="\ud800.txt"', "_.txt", "\ufffd.txt"],
  ["attachment; filename=\"ж.txt\"; filename*=UTF-8''own.txt", "_.txt", "own.txt"],
];

bothWays("Context.Header() encodes a file name in Content-Disposition that a header cannot contain", () => {
  const app = quiet();
  app.Get("/{row:int}", (ctx) => ctx.Header("Content-Disposition", rows[Number(ctx.Params().Get("row"))]?.[0] ?? ""));
  app.Get("/plain", (ctx) => ctx.Header("Content-Disposition", 'attachment;filename="résumé.pdf"'));
  app.Get("/added", (ctx) => ctx.AddHeader("content-disposition", 'attachment; filename="ж"'));
  app.Get("/returned", (ctx) => {
    ctx.Header("Content-Disposition", 'attachment; filename="ж.txt"');
    return new Response("x");
  });
  app.Get("/broken", (ctx) => ctx.Header("Content-Disposition", 'attachment; filename="ж\r\nx-injected: 1"'));
  app.Get("/type", (ctx) => ctx.Header("Content-Disposition", "вложение"));
  return app;
}, async (ask) => {
  for (const [at, [value, plain, full]] of rows.entries()) {
    const { status, headers } = await ask(`/${at}`);
    const sent = headers.get("content-disposition") ?? "";
    const { parameters } = readHeaderParameters(sent) ?? { parameters: {} as Record<string, string> };
    assertEquals(
      [status, parameters["filename"], readExtendedValue(parameters["filename*"] ?? "")],
      [200, plain, full],
      `${value} → ${sent}`,
    );
  }
  assertEquals((await ask("/plain")).headers.get("content-disposition"), 'attachment;filename="résumé.pdf"');
  for (const path of ["/added", "/returned"]) {
    const { headers } = await ask(path);
    assertEquals(headers.get("content-disposition")?.includes("filename*=UTF-8''%D0%B6"), true, path);
  }
  for (const path of ["/broken", "/type"]) {
    const { status, headers } = await ask(path);
    assertEquals([status, headers.get("content-disposition"), headers.get("x-injected")], [500, null, null], path);
  }
});
