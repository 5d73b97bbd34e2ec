import { assertEquals } from "@std/assert";
import { walk } from "@std/fs";
import { repoFile, repoPath } from "../../lint/layers.ts";
import { type Fate, type Kind, kinds } from "./kinds.ts";
import { type Carry, type Way, ways } from "./ways_out.ts";
import { testUnless } from "../../skipped.ts";

/** Returns what is wrong with one cell, or `undefined`. */
async function faultOf(carry: Carry, way: Way, kind: Kind): Promise<string | undefined> {
  const fate: Fate | undefined = way.cells?.[kind.name] ?? kind[way.wire];
  if (fate === undefined) return `${kind.name}: empty cell`;
  let arrived: unknown;
  try {
    arrived = await carry({ items: [0, { at: kind.value }] });
  } catch (error) {
    if (fate !== "refused") return `${kind.name}: refused with ${error}`;
    // The JSON of responses is written by the platform, which does not know the path.
    const isNamed = way.wire === "response" || String(error).includes(".items[1].at");
    return isNamed ? undefined : `${kind.name}: the error does not name the path: ${error}`;
  }
  const expected = fate === "same" ? kind.value : fate === "refused" ? "an error" : fate.becomes;
  const at = (arrived as { items: [number, { at?: unknown }] } | null | undefined)?.items?.[1]?.at;
  return isSame(at, expected) ? undefined : `${kind.name}: ${Deno.inspect(at)} instead of ${Deno.inspect(expected)}`;
}

function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return false;
  if (a instanceof Error && b instanceof Error) {
    return a.message === b.message && a.stack === b.stack && isSame(a.cause, b.cause);
  }
  try {
    assertEquals(a, b);
    return String(a) === String(b);
  } catch {
    return false;
  }
}

for (const way of ways) {
  testUnless(
    way.missing,
    `values: ${way.name} carries each kind without loss, or refuses it with its path`,
    async () => {
      await way.use(async (carry) => {
        const faults: string[] = [];
        for (const kind of kinds) {
          const fault = await faultOf(carry, way, kind);
          if (fault !== undefined) faults.push(fault);
        }
        assertEquals(faults, []);
      });
    },
  );
}

/**
 * Files that write JSON without the codec, and why they may: nothing that an application passes to fw leaves a call
 * there, or the format has its own rules.
 */
const exempt: Readonly<Record<string, string>> = {
  "mvc/reflect/token.ts": "a name",
  "src/core/accessors/schema.ts": "a message",
  "src/live/answers/conversation.ts": "a name",
  "src/api/client/json_type.ts": "a type",
  "src/api/client/request_body.ts": "the JSON of a request",
  "src/base/config/option_kinds.ts": "a message",
  "src/base/config/option_table.ts": "a message",
  "src/pages/formats/msgpack_format.ts": "the MessagePack of a response",
  "src/pages/formats/xml_writer.ts": "the XML of a response",
  "src/pages/formats/yaml_format.ts": "the YAML of a response",
  "src/core/app/dashboard/dashboard.ts": "pages for developers",
  "src/core/app/dashboard/panels.ts": "pages for developers",
  "src/core/app/dashboard/failure.ts": "pages for developers",
  "src/core/app/dashboard/history.ts": "pages for developers",
  "src/api/mcp/panel.ts": "pages for developers",
  "src/core/app/inspect/served_routes.ts": "names",
  "src/work/jobs/stores/job_columns.ts": "names and parts of jobs that are text already",
  "src/live/hub/nats_jetstream.ts": "requests of the protocol",
  "src/live/hub/nats_log.ts": "payloads that are text already",
  "src/live/hub/nats_table.ts": "rows that are text already",
  "src/api/mcp/protocol_sessions.ts": "the client's own JSON",
  "src/api/mcp/reply.ts": "messages whose values are text or JSON already",
  "src/api/mcp/request_state.ts": "the client's own JSON",
  "src/api/mcp/tool/tool_request.ts": "the client's own JSON",
  "src/api/mcp/wire/message_stream.ts": "messages whose values are text or JSON already",
  "src/http/parameter_types/functions.ts": "a message",
  "src/http/parameter_types/macros.ts": "a message",
  "src/http/response/draft.ts": "a name",
  "src/http/response/json_options.ts": "the JSON of a response",
  "src/http/response/problem_body.ts": "the JSON of a response",
  "src/http/response/event_texts.ts": "the JSON of a response",
  "src/core/serialize/chunks.ts": "the JSON of a response",
  "src/state/keys/tokens.ts": "strings, numbers and null, which are signed",
  "src/state/sessions/identities.ts": "the IDs of users, which are strings",
  "src/state/sessions/session.ts": "a message",
  "src/state/sessions/user_rows.ts": "strings and numbers of its own",
  "src/pages/view/open_templates.ts": "data for a script in a page",
  "src/work/webhooks/scheme.ts": "a digest",
  "src/live/websocket/client/live.ts": "code for browsers",
  "src/live/websocket/client/live_queue.ts": "code for browsers",
  "src/live/websocket/client/live_rooms.ts": "code for browsers",
  "src/live/websocket/processes/processes.ts": "the size of rows that are JSON already",
  "src/live/websocket/wire/recovery.ts": "rooms and positions",
  "src/base/text/json.ts": "the serializer of responses",
};

/** Folders of tools for development, and of features whose text has its own rules, such as logs. */
const exemptFolders = /^src\/(?:base\/(?:command|codec|log)|browser|tools|api\/openapi|middleware)\//;

Deno.test("values: every file that writes JSON is one of the ways out, or has a reason not to be", async () => {
  const sources = new Set(ways.map(({ source }) => source));
  const unknown: string[] = [];
  const known = new Set<string>();
  for await (const { path, isFile } of walk(repoFile(""))) {
    const name = repoPath(path);
    if (!isFile || !/^(src|mvc)\/.*\.ts$/.test(name) || exemptFolders.test(name) || name.endsWith("/media.ts")) {
      continue;
    }
    const text = (await Deno.readTextFile(path)).replace(/^\s*(?:\/?\*|\/\/).*$/gm, "")
      // A value in a message is only quoted.
      .replaceAll("${JSON.stringify(", "");
    if (!/JSON\.stringify\(|\btoJSON\(|\bencode(?:Stored|Marked|Sent|With\w+)\(/.test(text)) continue;
    if (sources.has(name)) known.add(name);
    else if (exempt[name] === undefined) unknown.push(name);
    else known.add(name);
  }
  assertEquals(unknown, [], "Add a row to `ways`, or a reason to `exempt`");
  assertEquals([...sources, ...Object.keys(exempt)].filter((name) => !known.has(name)), [], "Rows without a file");
});

Deno.test("values: the reference page lists the same kinds, and refuses the same ones", async () => {
  const page = await Deno.readTextFile(repoFile("examples/book/reference/values.md"));
  const rows = page.split("\n").filter((line) => line.startsWith("|")).slice(2)
    .map((line) => line.split("|").slice(1, 4).map((cell) => cell.trim().replaceAll("`", "")));
  const word = (fate: Fate) => fate === "refused" ? "error" : fate === "same" ? "same" : "other";
  assertEquals(
    rows.map(([name = "", stored = "", sent = ""]) => [name, documented(stored), documented(sent)]),
    kinds.map(({ name, stored, sent }) => [name, word(stored), name === "bigint" ? "other" : word(sent)]),
  );
});

function documented(cell: string): string {
  return cell.startsWith("error") ? "error" : cell === "same" ? "same" : "other";
}
