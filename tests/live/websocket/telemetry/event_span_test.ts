import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { collectedSpans } from "../../../collected_spans.ts";

Deno.test("Server exports a span for each event, with its error and the requests of its handler", async () => {
  const spans = await collectedSpans(fromFileUrl(new URL("./telemetry_app.ts", import.meta.url)));
  const names = spans.map(({ name }) => name).filter((name) => name.startsWith("websocket"));
  // Clients cannot create any number of names.
  const any = Array.from({ length: 3 }, () => "websocket _OnAnyEvent");
  assertEquals(names.sort(), [...any, "websocket echo", "websocket fail", "websocket price", "websocket refuse"]);
  const span = (name: string) => spans.find((each) => each.name === `websocket ${name}`);
  assertEquals(span("echo")?.attributes.map(({ key, value }) => [key, value.stringValue]), [
    ["messaging.operation.name", "echo"],
  ]);
  assertEquals([span("fail")?.status.code, span("fail")?.events.map(({ name }) => name)], [2, ["exception"]]);
  for (const name of ["echo", "refuse"]) assertEquals(span(name)?.status.code ?? 0, 0);
  const made = spans.find(({ name, parentSpanId }) => name === "GET" && parentSpanId === span("price")?.spanId);
  assertEquals(made?.traceId, span("price")?.traceId, JSON.stringify(spans));
});
