/**
 * Suggests values for the arguments of prompts and resource templates.
 *
 * @module
 */

import { returned } from "../../base/config/returned.ts";
import type { Context } from "../../core/context/context.ts";
import { isJSONObject } from "../../base/data/plain_object.ts";
import { codes, type Params, ProtocolError } from "./wire/messages.ts";
import type { BoundTool } from "./tool/tool.ts";

/** A request for suggestions. */
export interface Completion {
  /** The name of the prompt or resource template. */
  readonly Name: string;
  /** The name of the argument. */
  readonly Argument: string;
  /** The beginning of the value. */
  readonly Value: string;
  /** The arguments that are already known. */
  readonly Arguments: Readonly<Record<string, unknown>>;
}

/** Suggests values for an argument. */
export type Completer = (completion: Completion, ctx: Context) => readonly string[] | Promise<readonly string[]>;

/** The maximum number of suggestions, as defined by the protocol. */
const most = 100;

/** The prompts and resources that a caller sees, and the application's own suggestions. */
interface Offers {
  readonly prompts: readonly BoundTool[];
  readonly resources: readonly BoundTool[];
  readonly complete: Completer | undefined;
}

/** Serves `completion/complete`. By default, the values of enumerations are suggested. */
export async function complete(offers: Offers, params: Params, ctx: Context): Promise<Record<string, unknown>> {
  const bound = find(offers, Object(params["ref"]));
  const { name, value = "" } = Object(params["argument"]);
  if (bound === undefined) {
    throw new ProtocolError(codes.params, "Cannot complete: there is no such prompt or template");
  }
  if (typeof name !== "string") throw new ProtocolError(codes.params, "Cannot complete: the argument has no name");
  const given = Object(params["context"])["arguments"];
  const completion: Completion = {
    Name: bound.tool.name,
    Argument: name,
    Value: String(value),
    Arguments: isJSONObject(given) ? given as Params : {},
  };
  const all = offers.complete === undefined
    ? listed(bound, completion)
    : returned(await offers.complete(completion, ctx), "Complete of mcp", isTexts, "an array of strings");
  return { completion: { values: all.slice(0, most), total: all.length, hasMore: all.length > most } };
}

function find({ prompts, resources }: Offers, ref: Params): BoundTool | undefined {
  if (ref["type"] === "ref/prompt") return prompts.find(({ tool }) => tool.name === ref["name"]);
  const uri = String(ref["uri"]);
  return resources.find((bound) => bound.uri !== undefined && uri.split("{?", 1)[0] === bound.uri);
}

function listed({ tool }: BoundTool, { Argument, Value }: Completion): readonly string[] {
  const { enum: values } = Object(Object(tool.inputSchema["properties"])[Argument]);
  return Array.isArray(values) ? values.map(String).filter((value) => value.startsWith(Value)) : [];
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
