/**
 * The doors to an application's code: the ways in which a call can come in. `fw.Proxy` is not a door, because the code
 * behind it belongs to another server, which receives a request and shares nothing else (`tests/hosts/proxy/`).
 *
 * @module
 */

import type * as fw from "@fw/web";
import type { Journal } from "./desk.ts";

/** The doors. A new one has to be added here and then fills its column of the table. */
export const doors = [
  "route",
  "version",
  "language",
  "mount",
  "switch",
  "in process",
  "JSON stream",
  "live event",
  "Socket.IO event",
  "tool call",
  "cache renewal",
  "job",
] as const;

/** The name of a door. */
export type DoorName = typeof doors[number];

/** The things that the application's code can be asked to do. */
export type Action = "who" | "echo" | "secret" | "conflict" | "crash" | "judge" | "hold" | "wait" | "pause";

/** The caller and the arguments of a call. */
export interface CallOptions {
  /** The request headers, or those of the handshake. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The argument as JSON. */
  readonly data?: string;
  /** Ends the call as a client does that leaves. */
  readonly signal?: AbortSignal;
}

/** The outcome of a call, in the terms of HTTP. */
export interface Verdict {
  readonly status: number;
  /** The result or the error as text. */
  readonly text: string;
}

/** Sends one call through a door. */
export type Caller = (action: Action, options?: CallOptions) => Promise<Verdict>;

/** The settings of the application behind a door. */
export interface Setup {
  /** Middleware that protects the code behind the door. */
  readonly guards?: readonly fw.Handler[];
  /** Changes the application that receives the request. */
  configure?(app: fw.Application): void;
  /** Watches every application that the call passes through. */
  observe?(app: fw.Application): void;
}

/** A served application and the way in. */
export interface Entrance {
  readonly call: Caller;
  /** Sends one request, if a call takes several. */
  readonly ask: Caller;
  readonly journal: Journal;
  /** Begins a graceful shutdown and resolves when it is complete. */
  stop(): Promise<void>;
}

/** One way into the application's code. */
export interface Door {
  readonly name: DoorName;
  /** Serves the application while a function calls it. */
  open(setup: Setup, run: (entrance: Entrance) => Promise<void>): Promise<void>;
}
