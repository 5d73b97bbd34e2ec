/**
 * The state of a call between two rounds. The client keeps it, so that any process can serve the next round.
 *
 * @module
 */

import type { Context } from "../context/context.ts";
import { isJSONObject } from "../data/plain_object.ts";
import { Generate, Keys } from "../keys/keys.ts";
import { toJSON } from "../text/json.ts";
import type { InputRequired } from "./agent_call.ts";
import { codes, type Message, type Params, ProtocolError } from "./wire/messages.ts";

/** The time limit for the reply, in milliseconds. */
const lifetime = 60 * 60 * 1000;

/** Seals and opens the state of calls. It is valid only for the same caller and the same call. */
export class RequestStates {
  readonly #keys: Keys;

  constructor(keys: Keys = new Keys(Generate())) {
    this.#keys = keys;
  }

  /** Returns the replies that the client has given in this round and in earlier ones. */
  async repliesOf(ctx: Context, message: Message): Promise<Params> {
    const { inputResponses = {}, requestState } = message.params;
    if (!isJSONObject(inputResponses)) {
      throw new ProtocolError(codes.params, 'Cannot continue the call: "inputResponses" is not an object');
    }
    if (requestState === undefined) return inputResponses as Params;
    const text = this.#keys.Decrypt(await purposeOf(ctx, message), String(requestState));
    if (text === undefined) {
      throw new ProtocolError(codes.params, 'Cannot continue the call: "requestState" is not valid or has expired');
    }
    return { ...JSON.parse(text), ...inputResponses };
  }

  /** Converts an interim result to the form of the protocol. */
  async resultOf(ctx: Context, message: Message, { requests, replies }: InputRequired): Promise<Params> {
    const requestState = this.#keys.Encrypt(await purposeOf(ctx, message), toJSON(replies), lifetime);
    return { resultType: "input_required", inputRequests: requests, requestState };
  }
}

async function purposeOf(ctx: Context, { method, params: { name, uri, arguments: given } }: Message): Promise<string> {
  return `mcp ${await callerDigest(ctx)} ${await digest(toJSON([method, name ?? uri, given ?? {}]))}`;
}

/**
 * Returns a digest of the caller: the user whom a guard of the endpoint has authenticated, or the credentials that only
 * the guards of the tools check.
 *
 * @param ctx The request context.
 * @returns The digest, or an empty string if the caller is anonymous.
 */
export async function callerDigest(ctx: Context): Promise<string> {
  const user = ctx.User();
  const caller = user === undefined
    ? ctx.GetHeader("authorization")
    : JSON.stringify([user.Method, user.Claims?.["iss"] ?? "", user.ID]);
  return caller === "" ? "" : await digest(caller);
}

/** Returns the SHA-256 digest of a string, in base64. */
export async function digest(text: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toBase64();
}
