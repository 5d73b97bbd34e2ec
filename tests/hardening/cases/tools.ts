/** Attacks through tools that are offered to agents. */

import type { Attack } from "../attack.ts";
import { all, never, noFault, responds, respondsInTurn } from "../expect.ts";
import { headerOf } from "../outcome.ts";
import { post, request } from "../requests.ts";

const tools = { needs: ["tools"] };

/** Returns JSON in which each character is one byte. */
function json(value: unknown): string {
  return JSON.stringify(value).replace(
    /[\u0080-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function ask(method: string, params: unknown, headers: Record<string, string> = {}, path = "/tooled/mcp"): string {
  return post(path, "application/json", json({ jsonrpc: "2.0", id: 1, method, params }), headers);
}

function call(name: string, given: unknown, headers: Record<string, string> = {}, path = "/tooled/mcp"): string {
  return ask("tools/call", { name, arguments: given }, headers, path);
}

/** Values that spell the path of a route that is not offered. The target is the last segment of its path. */
function spellings(target: string): readonly string[] {
  return [
    target,
    `x/../${target}`,
    `./${target}`,
    `x/./../${target}`,
    `/${target}`,
    `//${target}`,
    `${target}/`,
    `${target}/.`,
    `x\\..\\${target}`,
    `.\\${target}`,
    `%2e/${target}`,
    `x%2f..%2f${target}`,
    `x/%2e%2e/${target}`,
    `x%5c..%5c${target}`,
    `${target}?x`,
    `${target}#x`,
    `${target}%00`,
    target.replace(/^./, (char) => `%${char.charCodeAt(0).toString(16)}`),
    `../../${target === "keys" ? "files" : "teas"}/${target}`,
  ];
}

const paths: readonly Attack[] = [["tool_tea", "name", "/teas/", "export"], [
  "tool_file",
  "rest",
  "/files/",
  "keys",
]].flatMap(([tool = "", argument = "", prefix = "", target = ""]) =>
  spellings(target).flatMap((value) => [
    {
      ...tools,
      name: `the argument ${JSON.stringify(value)} of ${tool} does not reach another route`,
      send: call(tool, { [argument]: value }),
      expect: all(responds(200), never()),
    },
    {
      ...tools,
      name: `the resource ${JSON.stringify(prefix + value)} is not that of another route`,
      send: ask("resources/read", { uri: `app://${prefix}${value}` }),
      expect: all(responds(200), never()),
    },
    {
      ...tools,
      name: `the resource ${JSON.stringify(prefix + value)}, encoded, is not that of another route`,
      send: ask("resources/read", { uri: `app://${prefix}${encodeURIComponent(value)}` }),
      expect: all(responds(200), never()),
    },
  ])
);

/** Values of a catch-all at the root, which a wrapper could take for a language or for a path to rewrite. */
const first: readonly Attack[] = [
  "el-GR/teas/export",
  "en-US/files/keys",
  "EL-gr/files/keys",
  "%65l-GR/teas/export",
  "led/teas/export",
  "el-GR/led/files/keys",
  "led/el-GR/files/keys",
  "/led/files/keys",
  "led%2ffiles%2fkeys",
  "teas/export",
  "files/keys",
].map((rest) => ({
  ...tools,
  name: `the first segment of ${JSON.stringify(rest)} is data of a tool`,
  send: call("tool_any", { rest }),
  expect: all(responds(200), never()),
}));

const methods: readonly Attack[] = ["DELETE", "delete", " Delete "].flatMap((method) =>
  ([
    ["an argument", call("tool_order", { _method: method })],
    ["a member of its query", call("tool_order", { query: { _method: method } })],
    ["a field of its form", call("tool_form", { form: { name: "x", _method: method } })],
    ["a header that it declares", call("tool_head", { "x-method": method })],
  ] as const).map(([means, send]) => ({
    ...tools,
    name: `a tool does not become ${JSON.stringify(method)} by ${means}`,
    send,
    expect: all(responds(200), never()),
  }))
);

const versions: readonly Attack[] = ["2.0.0", "2", "2.9.9"].flatMap((version) => [
  {
    ...tools,
    name: `a tool does not become version ${version} by an argument`,
    send: call("tool_version", { version }),
    expect: all(responds(200), never()),
  },
  {
    ...tools,
    name: `a tool does not become version ${version} by a resource`,
    send: ask("resources/read", { uri: `app:///versions?version=${version}` }),
    expect: all(responds(200), never()),
  },
  {
    ...tools,
    name: `a tool does not become version ${version} by a header`,
    send: call("tool_version", {}, { "Accept-Version": version }),
    expect: all(responds(200), never()),
  },
]);

const initialize = {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "attack", version: "1" },
};

function basic(name: string): Record<string, string> {
  return { Authorization: `Basic ${btoa(`${name}:pass`)}` };
}

/** Starts a session as one user and uses it as another. The outcome is that of the other user. */
function asAnother(use: (session: Record<string, string>) => string, other = basic("bob")): Attack["send"] {
  return async (wire) => {
    const begun = await wire.send(ask("initialize", initialize, basic("ada"), "/tooled/mcp-sessions"));
    const session = { "Mcp-Session-Id": headerOf(begun.replies[0], "mcp-session-id") };
    const outcome = await wire.send(use({ ...session, ...other }));
    const still = await wire.send(ask("ping", {}, { ...session, ...basic("ada") }, "/tooled/mcp-sessions"));
    return { ...outcome, replies: [...outcome.replies, ...still.replies], text: outcome.text + still.text };
  };
}

const sessions: readonly Attack[] = [
  {
    ...tools,
    name: "a user does not delete the protocol session of another",
    send: asAnother((session) => request("DELETE", "/tooled/mcp-sessions", session)),
    expect: respondsInTurn(404, 200),
  },
  {
    ...tools,
    name: "a user does not continue the protocol session of another",
    send: asAnother((session) => ask("tools/list", {}, session, "/tooled/mcp-sessions")),
    expect: respondsInTurn(404, 200),
  },
  {
    ...tools,
    name: "a user does not cancel a call in the protocol session of another",
    send: asAnother((session) => ask("notifications/cancelled", { requestId: 1 }, session, "/tooled/mcp-sessions")),
    expect: respondsInTurn(404, 200),
  },
  {
    ...tools,
    name: "an anonymous client does not delete the protocol session of a user",
    send: asAnother((session) => request("DELETE", "/tooled/mcp-sessions", session), {}),
    expect: respondsInTurn(404, 200),
  },
  {
    ...tools,
    name: "a protocol session cannot be forged",
    send: ask("tools/list", {}, { "Mcp-Session-Id": "../mcp:1" }, "/tooled/mcp-sessions"),
    expect: responds(404),
  },
];

const messages: readonly Attack[] = [
  {
    ...tools,
    name: "a page of another origin cannot call tools",
    send: call("tool_tea", { name: "x" }, { Origin: "https://evil.example" }),
    expect: responds(403),
  },
  {
    ...tools,
    name: "a page whose name was rebound to this machine cannot call tools",
    send: call("tool_tea", { name: "x" }, { Host: "evil.example:80", Origin: "http://evil.example:80" }),
    expect: responds(403),
  },
  {
    ...tools,
    name: "deeply nested arguments do not fail the server",
    send: post(
      "/tooled/mcp",
      "application/json",
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tool_tea","arguments":{"name":${
        "[".repeat(100_000)
      }${"]".repeat(100_000)}}}}`,
    ),
    expect: noFault(),
  },
  {
    ...tools,
    name: "oversized arguments are rejected",
    send: call("tool_tea", { name: "x".repeat(2_000_000) }),
    expect: responds(413),
  },
  {
    ...tools,
    name: "the name of a tool is not a property of an object",
    send: call("constructor", {}),
    expect: all(responds(200), noFault()),
  },
];

/** Names that collide with that of a tool if they are compared loosely. */
const collisions: readonly Attack[] = [
  "Tool_Tea",
  "tool_tea ",
  " tool_tea",
  "tool_tea\u0000",
  "tool_tea\u200b",
  "tool-tea",
  "\uff54ool_tea",
  "tool_tea.tool_file",
  "tools/tool_tea",
].map((name) => ({
  ...tools,
  name: `the name ${JSON.stringify(name)} does not call the tool "tool_tea"`,
  send: call(name, { name: "collision" }),
  expect: all(responds(200), never("tea collision"), never("any ")),
}));

const revision = "2026-07-28";

/** Creates a message of revision 2026-07-28. */
function modern(
  method: string,
  params: Readonly<Record<string, unknown>>,
  headers: Record<string, string> = {},
): string {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": revision,
    "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
  };
  const name = String(params["name"] ?? params["uri"] ?? "");
  return ask(method, { ...params, _meta }, {
    "MCP-Protocol-Version": revision,
    "Mcp-Method": method,
    ...name === "" ? {} : { "Mcp-Name": name },
    ...headers,
  });
}

const modernAttacks: readonly Attack[] = [
  {
    ...tools,
    name: "a tool is called only if its header names it",
    send: modern("tools/call", { name: "tool_tea", arguments: { name: "x" } }, { "Mcp-Name": "tool_file" }),
    expect: responds(400),
  },
  {
    ...tools,
    name: "a method is served only if its header names it",
    send: modern("tools/call", { name: "tool_tea", arguments: { name: "x" } }, { "Mcp-Method": "tools/list" }),
    expect: responds(400),
  },
  {
    ...tools,
    name: "a version is used only if its header names it",
    send: modern("tools/list", {}, { "MCP-Protocol-Version": "2025-11-25" }),
    expect: responds(400),
  },
  {
    ...tools,
    name: "the state of a call that waits for input cannot be forged",
    send: modern("tools/call", { name: "tool_ask", arguments: {}, requestState: "e30.0.x" }),
    expect: all(responds(400, 200), never("asked")),
  },
  {
    ...tools,
    name: "the state of a call that waits for input cannot be of another type",
    send: modern("tools/call", { name: "tool_ask", arguments: {}, requestState: { name: "x" } }),
    expect: all(responds(400, 200), never("asked")),
  },
  {
    ...tools,
    name: "inherited properties are not input",
    send: modern("tools/call", { name: "tool_ask", arguments: {}, inputResponses: { constructor: {}, __proto__: {} } }),
    expect: all(responds(200), never("asked")),
  },
  ...spellings("export").map((value) => ({
    ...tools,
    name: `the argument ${JSON.stringify(value)} does not reach another route in revision ${revision}`,
    send: modern("tools/call", { name: "tool_tea", arguments: { name: value } }),
    expect: all(responds(200), never()),
  })),
];

/** Attacks through tools. */
export const toolAttacks: readonly Attack[] = [
  ...paths,
  ...first,
  ...methods,
  ...versions,
  ...messages,
  ...collisions,
  ...modernAttacks,
];

/** Attacks on protocol sessions. */
export const toolSessionAttacks: readonly Attack[] = sessions;
