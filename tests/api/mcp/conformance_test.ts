import { assertEquals } from "@std/assert";
import { newApp } from "./everything.ts";
import { serving } from "./agent.ts";

const suite = "npm:@modelcontextprotocol/conformance@0.2.0-alpha.12";

/** The scenarios that the suite runs without requiring them, and that do not apply to fw. */
const inapplicable: Readonly<Record<string, string>> = {
  "tasks-lifecycle": "The extension for tasks is optional; long work belongs to a job queue",
  "tasks-capability-negotiation": "The extension for tasks is optional",
  "tasks-wire-fields": "The extension for tasks is optional",
  "tasks-request-state-removal": "The extension for tasks is optional",
  "tasks-mrtr-input": "The extension for tasks is optional",
  "tasks-request-headers": "The extension for tasks is optional",
  "tasks-dispatch-and-envelope": "The extension for tasks is optional",
  "tasks-required-task-error": "The extension for tasks is optional",
  "tasks-mrtr-composition": "The extension for tasks is optional",
  "json-schema-2020-12": "Its tool has keywords at the root of its schema, where fw lists the arguments of a route",
};

/** The number of required scenarios of each revision. */
const required: Readonly<Record<string, number>> = { "2026-07-28": 37, "2025-11-25": 30 };

for (const [revision, count] of Object.entries(required)) {
  Deno.test(`mcp.New() passes the official conformance suite for revision ${revision}`, async () => {
    const folder = await Deno.makeTempDir();
    try {
      await serving(newApp(), async (_ask, port) => {
        const url = `http://127.0.0.1:${port}/mcp`;
        const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
          args: ["run", "-A", "--no-lock", suite, "server", "--url", url, "--requirements", revision],
          cwd: folder,
          env: { NO_COLOR: "1" },
        }).output();
        const text = new TextDecoder().decode(stdout) + new TextDecoder().decode(stderr);
        const summary = text.slice(text.indexOf("=== SUMMARY ==="), text.indexOf("\nNot scored"));
        const passed = summary.match(/^✓ [\w-]+(?=:)/gm) ?? [];
        const failed = (summary.match(/^✗ [\w-]+(?=:)/gm) ?? []).map((line) => line.slice(2));
        assertEquals(failed.filter((name) => !Object.hasOwn(inapplicable, name)), [], text);
        assertEquals([code, passed.length >= count], [0, true], text);
      });
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}
