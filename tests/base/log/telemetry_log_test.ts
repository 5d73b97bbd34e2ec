import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";

const program = fromFileUrl(new URL("./telemetry_log_app.ts", import.meta.url));

async function run(env: Record<string, string>, ...flags: string[]): Promise<{ out: string; all: string }> {
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-prompt", "--no-lock", ...flags, program],
    env: { NO_COLOR: "1", ...env },
  }).output();
  const decoder = new TextDecoder();
  return { out: decoder.decode(stdout), all: decoder.decode(stdout) + decoder.decode(stderr) };
}

for (const flags of [["-A"], ["--allow-net"]]) {
  Deno.test(`Logger exports its lines to OpenTelemetry with trace and span IDs, with ${flags}`, async () => {
    const { all } = await run({ OTEL_DENO: "true", OTEL_EXPORTER_OTLP_PROTOCOL: "console" }, ...flags);
    const [, trace, span] = /^LOG \[WARN\][^]*?^ {2}trace: (\w+)\/(\w+)$/m.exec(all) ?? [];
    assert(trace !== undefined && span !== undefined, all);
    assertStringIncludes(all, `"message":"logged within a request"`);
    assertStringIncludes(all, `"trace_id":"${trace}","span_id":"${span}"`);
  });
}

Deno.test("Logger writes to standard output without a trace ID if OpenTelemetry is disabled", async () => {
  const { out } = await run({}, "-A");
  const { message, trace_id } = JSON.parse(out);
  assertEquals([message, trace_id], ["logged within a request", undefined]);
});
