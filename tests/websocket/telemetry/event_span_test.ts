import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";

/** A span, as received by a collector. */
interface Span {
  readonly name: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceId: string;
  readonly status: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
  readonly events: readonly { readonly name: string }[];
}

/** Runs a traced program together with a collector, and returns the received spans. */
async function collected(program: string): Promise<Span[]> {
  const spans: Span[] = [];
  const collector = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const body = await request.json();
    for (const { scopeSpans } of body.resourceSpans ?? []) {
      for (const scope of scopeSpans) spans.push(...scope.spans);
    }
    return Response.json({});
  });
  const env = {
    OTEL_DENO: "true",
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.addr.port}`,
  };
  const args = ["run", "-A", "--no-lock", "--no-check", program];
  const { success, stderr } = await new Deno.Command(Deno.execPath(), { args, env }).output();
  await collector.shutdown();
  assert(success, new TextDecoder().decode(stderr));
  return spans;
}

Deno.test("Server exports a span for each event, with its error and the requests of its handler", async () => {
  const spans = await collected(fromFileUrl(new URL("./telemetry_app.ts", import.meta.url)));
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
