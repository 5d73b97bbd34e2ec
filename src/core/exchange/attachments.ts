/**
 * The contributions of extensions to the calls of a party: values, labels and functions for views.
 *
 * @module
 */

/** A value that an extension provides for each call. */
export interface Provider {
  /** The name of the extension, for messages. */
  readonly extension: string;
  /** The place of the value among those that are created for a call. Each provider of an application has its own. */
  readonly slot: number;
  /** Creates the value for a call, given its context. */
  of(ctx: unknown): unknown;
  /** Converts the value for jobs that the call adds. */
  readonly carry: Carried | undefined;
}

/** The conversion of a value that jobs take over from the call that adds them. */
export interface Carried {
  readonly name: string;
  /** The name of the extension, for messages. */
  readonly extension: string;
  /** The prefix of the party that provides the value. */
  readonly at: string;
  encode(value: unknown): unknown;
  decode(data: unknown): unknown;
}

/** A fact about calls that logs, metrics and caches distinguish. */
export interface LabelRule {
  readonly name: string;
  /** Returns the value for a call, or `undefined` if it is not known. Never throws. */
  of(ctx: unknown): string | undefined;
  readonly isLogged: boolean;
  /** The values that metrics distinguish. `undefined` if metrics do not have the label. */
  readonly metric: ReadonlySet<string> | undefined;
  /** Whether cached responses and rate limits are separate for each value. */
  readonly isVaried: boolean;
  /** The request header that the value depends on, for caches between the server and the client. */
  readonly header: string;
}

/** A function for views that receives the context of the call. */
export type CallViewFunc = (ctx: unknown, ...args: unknown[]) => unknown;

/** The contributions to the calls of one party, including those of its ancestors. */
export interface Attachments {
  readonly providers: ReadonlyMap<object, Provider>;
  readonly labels: readonly LabelRule[];
  readonly viewFuncs: ReadonlyMap<string, CallViewFunc>;
}
