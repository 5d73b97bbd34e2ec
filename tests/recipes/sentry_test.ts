import { assertEquals, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { Child } from "../http/server/support.ts";
import { programOf } from "./recipe.ts";

const root = fromFileUrl(new URL("../../", import.meta.url));
const flags = ["-A", "--no-check", `--config=${root}deno.json`, `--lock=${root}deno.lock`];

/** The last part of the program. */
const routes = `
app.Get("/fails/{tea}", () => {
  throw new Error("Out of tea");
});
app.Get("/missing", (ctx) => ctx.NotFound());
app.Get("/stray", () => void Promise.reject(new Error("This was not awaited")));
app.Get("/ok", (ctx) => ctx.Text(ctx.RemoteAddr()));
app.Configure(fw.WithOnListen((address) => console.log("port", "port" in address ? address.port : "")));
await app.Run(fw.Addr("127.0.0.1:0"), fw.WithoutStartupLog);
`;

/** A report as the tracker shows it. */
interface Report {
  readonly message: string;
  readonly route: string | undefined;
  readonly files: readonly string[];
}

/** Parses an envelope sent by Sentry's SDK. It has a line of JSON for each header and each item. */
function reportsOf(envelope: string): Report[] {
  const lines = envelope.trim().split("\n").map((line) => JSON.parse(line));
  return lines.filter((line) => line.exception !== undefined).map(({ exception, tags }) => ({
    message: exception.values[0].value,
    route: tags?.route,
    files: exception.values[0].stacktrace.frames.map((frame: { filename?: string }) => frame.filename ?? ""),
  }));
}

Deno.test('The recipe "sentry" reports errors, including the last one before the process exits', async () => {
  const reports: Report[] = [];
  const first = Promise.withResolvers<void>();
  const tracker = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    reports.push(...reportsOf(await request.text()));
    if (reports.length > 0) first.resolve();
    return Response.json({});
  });
  const folder = await Deno.makeTempDir({ prefix: "fw_sentry_" });
  try {
    const dsn = `http://key@127.0.0.1:${tracker.addr.port}/1`;
    const program = await programOf("sentry", { "https://key@sentry.example/1": dsn });
    await Deno.writeTextFile(join(folder, "main.ts"), program + routes);
    await using child = new Child(["run", ...flags, join(folder, "main.ts")]);
    const url = `http://127.0.0.1:${await child.port()}`;
    const status = async (path: string) => {
      const response = await fetch(url + path);
      return [response.status, await response.text()];
    };
    assertEquals(await status("/stray"), [200, ""]);
    // Sentry's SDK rejects once more after it has sent the report, which must not happen during the shutdown.
    await first.promise;
    assertEquals(await status("/ok"), [200, "127.0.0.1"]);
    assertEquals(await status("/missing"), [404, "Not Found"]);
    assertEquals(await status("/fails/Assam"), [500, "Internal Server Error"]);
    child.kill("SIGTERM");
    const ended = await child.end();
    assertEquals(ended.code, 0, JSON.stringify(ended));
  } finally {
    await tracker.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
  const messages = reports.map(({ message, route }) => [message, route]).sort();
  assertEquals(messages, [["Out of tea", "/fails/{tea}"], ["This was not awaited", undefined]]);
  const files = reports.find(({ message }) => message === "Out of tea")?.files ?? [];
  assertStringIncludes(files.join("\n"), "main.ts");
});
