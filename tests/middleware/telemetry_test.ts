import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import * as telemetry from "../../src/middleware/telemetry.ts";
import { bothWays, quiet } from "../serving.ts";

bothWays("telemetry.New() has no effect without OpenTelemetry", () => {
  const app = quiet();
  app.UseRouter(telemetry.New());
  app.Get("/", (ctx) => ctx.WriteString("served"));
  return app;
}, async (ask) => {
  assertEquals((await ask("/")).text, "served");
  assertEquals((await ask("/nowhere")).status, 404);
});

/** Returns the data that Deno exports for the traced program, by the first line of each part. */
async function exported(): Promise<Map<string, string>> {
  const program = fromFileUrl(new URL("./telemetry_app.ts", import.meta.url));
  const env = { OTEL_DENO: "true", OTEL_EXPORTER_OTLP_PROTOCOL: "console", NO_COLOR: "1" };
  const args = ["run", "-A", "--no-lock", "--no-check", program];
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), { args, env }).output();
  const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
  const parts = text.split(/^(?=SPAN |METRIC )/m).filter((part) => !/^SPAN .* Client /.test(part));
  return new Map(parts.map((part) => [part.split(/ \[| \(/, 1)[0] ?? "", part]));
}

Deno.test("telemetry.New() adds the route, the controller and the error to Deno's spans and metrics", async () => {
  const parts = await exported();
  const user = parts.get("SPAN GET /users/{id:int}") ?? "";
  assertStringIncludes(user, "http.route: /users/{id:int}\n");
  assertStringIncludes(user, "http.request.id: id-of-users-5\n");
  assertStringIncludes(user, "app.zone: north\n");
  assertStringIncludes(parts.get("SPAN GET /orders/{id:long}") ?? "", "code.function.name: Orders.GetBy\n");
  const failed = parts.get("SPAN GET /fail") ?? "";
  assertStringIncludes(failed, "exception");
  assertStringIncludes(failed, "boom");
  assert(!(parts.get("SPAN GET /refuse") ?? "taken").includes("taken"), parts.get("SPAN GET /refuse"));
  assert(parts.has("SPAN GET"), "a request without a route keeps its name");
  const duration = parts.get("METRIC http.server.request.duration") ?? "";
  for (const route of ["/users/{id:int}", "/orders/{id:long}", "/fail"]) {
    assertStringIncludes(duration, `http.route=${route}`);
  }
  assert(parts.has("METRIC http.server.active_requests"), [...parts.keys()].join());
});
