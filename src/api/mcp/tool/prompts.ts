/**
 * Offers routes as prompts. A prompt is a template of messages that the user selects, for example with a slash command.
 *
 * @module
 */

import { isJSONObject } from "../../../base/data/plain_object.ts";
import { withoutAbsent } from "../../openapi/json_schema.ts";
import type { BoundTool } from "./tool.ts";
import { readContent, readJSON, type ReadResponse, textOf } from "./tool_result.ts";
import { codes, ProtocolError } from "../wire/messages.ts";

/** Describes a prompt as clients see it. */
export function describePrompt({ tool, arguments: all }: BoundTool): Record<string, unknown> {
  const { properties, required } = tool.inputSchema;
  return withoutAbsent({
    name: tool.name,
    title: tool.title,
    description: tool.description ?? tool.title ?? tool.name,
    arguments: all.length === 0 ? undefined : all.map(({ name }) =>
      withoutAbsent({
        name,
        description: Object(Object(properties)[name])["description"],
        required: Array.isArray(required) && required.includes(name) ? true : undefined,
      })
    ),
  });
}

/**
 * Converts a response to messages. A string is one message of the user, and an array contains strings and messages. An
 * object has the messages as its member `messages`, and optionally a `description`.
 */
export function promptResult(name: string, response: ReadResponse): Record<string, unknown> {
  if (response.status >= 300) {
    const code = response.status >= 500 ? codes.internal : codes.params;
    const reason = response.status >= 500 ? "" : `: ${textOf(response)}`;
    throw new ProtocolError(code, `Cannot get "${name}": the route responded with ${response.status}${reason}`);
  }
  const parts = readContent(response);
  if (parts !== undefined) return { messages: parts.map((content) => ({ role: "user", content })) };
  const value = readJSON(response) ?? textOf(response);
  const { messages = value, description } = isJSONObject(value) ? value as Record<string, unknown> : {};
  const list = Array.isArray(messages) ? messages : [messages];
  return withoutAbsent({ description, messages: list.map(messageOf) });
}

function messageOf(value: unknown): unknown {
  return typeof value === "string" ? { role: "user", content: { type: "text", text: value } } : value;
}
