/**
 * The panel of tools on the development pages.
 *
 * @module
 */

import { messageOf } from "../../base/errors/to_error.ts";
import type { PanelCall, PanelElement } from "../../core/context/extension.ts";
import type { Tool } from "./tool/tool.ts";
import { meta, modern } from "./wire/revisions.ts";

/** Lists the tools, or shows one of them and calls it if its button was pressed. */
export async function readPanel(
  tools: readonly Tool[],
  { Query, Form }: PanelCall,
  send: (headers: Record<string, string>, body: string) => Promise<Response>,
): Promise<unknown> {
  const found = tools.find(({ name }) => name === Query.tool);
  if (found === undefined) {
    return tools.map(({ name, description }) => ({
      Tool: { Element: "link", Text: name, Values: { tool: name } } satisfies PanelElement,
      Description: description,
    }));
  }
  const { name, description, inputSchema } = found;
  const call: PanelElement = { Element: "form", Text: "Call", Inputs: { Arguments: Form?.Arguments ?? "{}" } };
  return {
    Tool: name,
    Description: description,
    Input: JSON.stringify(inputSchema, null, 2),
    Call: call,
    ...Form === undefined ? {} : { Result: await callTool(name, Form.Arguments ?? "", send) },
  };
}

/** Calls a tool like a client without credentials, through the guards of the endpoint and of the route. */
async function callTool(name: string, text: string, send: Parameters<typeof readPanel>[2]): Promise<string> {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    return `The arguments are not JSON: ${messageOf(error)}`;
  }
  const method = "tools/call";
  const _meta = { [meta.version]: modern, [meta.capabilities]: {} };
  const headers = {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "mcp-protocol-version": modern,
    "mcp-method": method,
    "mcp-name": name,
  };
  const body = { jsonrpc: "2.0", id: 1, method, params: { name, arguments: given, _meta } };
  const response = await send(headers, JSON.stringify(body));
  return `${response.status}\n${await response.text()}`;
}
