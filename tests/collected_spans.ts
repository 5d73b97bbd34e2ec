/**
 * Collects the OpenTelemetry spans of a program.
 *
 * @module
 */

import { assert } from "@std/assert";

/** A span, as received by a collector. */
export interface Span {
  readonly name: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceId: string;
  readonly status: { readonly code?: number };
  readonly attributes: readonly { readonly key: string; readonly value: { readonly stringValue?: string } }[];
  readonly events: readonly { readonly name: string }[];
}

/** Runs a traced program together with a collector, and returns the received spans. */
export async function collectedSpans(program: string): Promise<Span[]> {
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
