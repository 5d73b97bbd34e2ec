/**
 * Questions that a route can put to the client during a call.
 *
 * @module
 */

import { isJSONObject } from "../../base/data/plain_object.ts";
import { type StandardSchema, validate } from "../../core/accessors/schema.ts";
import { type JSONSchema, type SchemaConverter, writeSchema } from "../openapi/json_schema.ts";
import type { Params } from "./wire/messages.ts";

/** A question to the user, who fills in a form. */
export interface ElicitQuestion {
  /** The message that the user reads. */
  readonly Elicit: string;
  /** The schema of the form: a flat object, as a schema of any library or as JSON Schema. */
  readonly Schema: StandardSchema | JSONSchema;
}

/** A question to the client's model. */
export interface SampleQuestion {
  /** The parameters of `sampling/createMessage`, such as `messages` and `maxTokens`. */
  readonly Sample: Readonly<Record<string, unknown>>;
}

/** A question for the folders that the client works in. */
export interface RootsQuestion {
  /** Always `true`. */
  readonly Roots: true;
}

/** A question that a route can put to the client. */
export type Question = ElicitQuestion | SampleQuestion | RootsQuestion;

/** A request to the client, in the form of the protocol. */
export interface InputRequest {
  readonly method: string;
  readonly params: Params;
}

/** Returns the capability that a client needs for a question. */
export function capabilityOf(question: Question): string {
  if ("Elicit" in question) return "elicitation";
  return "Sample" in question ? "sampling" : "roots";
}

/** Converts a question to a request. */
export function requestOf(question: Question, convert: SchemaConverter | undefined): InputRequest {
  if ("Sample" in question) return { method: "sampling/createMessage", params: question.Sample };
  if ("Roots" in question) return { method: "roots/list", params: {} };
  const { schema, failure } = writeSchema(question.Schema, "input", convert);
  if (failure !== undefined) throw new TypeError(`Cannot ask "${question.Elicit}": ${failure}`);
  const { type = "object", properties = {}, required } = schema;
  const requestedSchema = { type, properties, ...required === undefined ? {} : { required } };
  return { method: "elicitation/create", params: { message: question.Elicit, requestedSchema } };
}

/**
 * Validates a reply.
 *
 * @returns The reply, with the output of the schema as its content, or `undefined` if it is not valid.
 */
export async function readReply(question: Question, reply: unknown): Promise<unknown> {
  if (!isJSONObject(reply)) return undefined;
  const given = reply as Record<string, unknown>;
  if ("Sample" in question) return typeof given["role"] === "string" && "content" in given ? given : undefined;
  if ("Roots" in question) return Array.isArray(given["roots"]) ? given : undefined;
  const { action, content } = given;
  if (action === "decline" || action === "cancel") return { action };
  if (action !== "accept" || !isJSONObject(content)) return undefined;
  if (!("~standard" in question.Schema)) return { action, content };
  const [output, error] = await validate(content, question.Schema as StandardSchema);
  return error === null ? { action, content: output } : undefined;
}
