/**
 * The state of a call between two rounds. The client keeps it, so that any process can serve the next round.
 *
 * @module
 */

import { currentManager } from "../../state/sessions/session_manager.ts";
import type { Context } from "../../core/context/context.ts";
import { isJSONObject } from "../../base/data/plain_object.ts";
import { Generate, Keys } from "../../state/keys/keys.ts";
import { NewMemory } from "../../state/store/memory.ts";
import type { Store } from "../../state/store/store.ts";
import { StoreGuard } from "../../state/store/store_guard.ts";
import { toJSON } from "../../base/text/json.ts";
import type { InputRequired } from "./agent_call.ts";
import { codes, type Message, type Params, ProtocolError } from "./wire/messages.ts";

/** The time limit for the reply, in milliseconds. */
const lifetime = 60 * 60 * 1000;

/** A round of a call. The client continues the call until its route needs no more replies. */
export interface Round {
  /** The replies that the client has given in this round and in earlier ones. */
  readonly replies: Params;
  /** The ID that all rounds of the call share. */
  readonly id: string;
  /**
   * Claims the call before its route runs, so that a repeated message does not run it twice.
   *
   * @throws {ProtocolError} If another message of the call runs the route, or has completed the call.
   */
  claim(): Promise<void>;
  /** Allows the client to continue the call. */
  release(): Promise<void>;
}

/** Seals and opens the state of calls. It is valid only for the same caller and the same call. */
export class RequestStates {
  readonly #keys: Keys;
  readonly #store: Store;
  readonly #guard = new StoreGuard("store of MCP calls", "FW_STORE");

  constructor(keys: Keys = new Keys(Generate()), store: Store = NewMemory()) {
    this.#keys = keys;
    this.#store = store;
  }

  /** Reads the round that a message belongs to. */
  async roundOf(ctx: Context, message: Message): Promise<Round> {
    const { inputResponses = {}, requestState } = message.params;
    if (!isJSONObject(inputResponses)) {
      throw new ProtocolError(codes.params, 'Cannot continue the call: "inputResponses" is not an object');
    }
    if (requestState === undefined) return { replies: inputResponses as Params, id: crypto.randomUUID(), ...unclaimed };
    const text = this.#keys.Decrypt(await purposeOf(ctx, message), String(requestState));
    if (text === undefined) {
      throw new ProtocolError(codes.params, 'Cannot continue the call: "requestState" is not valid or has expired');
    }
    const { id, replies } = JSON.parse(text) as { readonly id: string; readonly replies: Params };
    return { replies: { ...replies, ...inputResponses }, id, ...this.#claims(ctx, id) };
  }

  #claims(ctx: Context, id: string): Pick<Round, "claim" | "release"> {
    const key = `mcp-call:${id}`;
    return {
      claim: async () => {
        if (await this.#guard.write(ctx, () => this.#store.Create(key, "", lifetime))) return;
        throw new ProtocolError(codes.params, 'Cannot continue the call: "requestState" has already been used');
      },
      release: async () => void await this.#guard.write(ctx, () => this.#store.Delete(key)),
    };
  }

  /** Converts an interim result to the form of the protocol. */
  async resultOf(ctx: Context, message: Message, id: string, { requests, replies }: InputRequired): Promise<Params> {
    const requestState = this.#keys.Encrypt(await purposeOf(ctx, message), toJSON({ id, replies }), lifetime);
    return { resultType: "input_required", inputRequests: requests, requestState };
  }
}

/** The claims of a first round, which no other message can repeat. */
const unclaimed: Pick<Round, "claim" | "release"> = { claim: async () => {}, release: async () => {} };

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
  const caller = callerText(ctx);
  // A protocol session ends with the session of its user's login.
  return caller === "" ? "" : await digest(caller + (currentManager(ctx)?.handleOf(ctx) ?? ""));
}

/** Returns a string that identifies the caller, which may contain credentials. It is empty for anonymous callers. */
export function callerText(ctx: Context): string {
  const user = ctx.User();
  if (user === undefined) return ctx.GetHeader("authorization");
  return JSON.stringify([user.Method, user.Claims?.["iss"] ?? "", user.ID]);
}

/** Returns the SHA-256 digest of a string, in base64. */
export async function digest(text: string): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toBase64();
}
