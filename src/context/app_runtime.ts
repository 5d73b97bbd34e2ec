/**
 * What all requests of one built application share.
 *
 * @module
 */

import type { AddressList } from "../base/addresses.ts";
import type { Configuration } from "../base/config.ts";
import type { Host } from "../base/host.ts";
import { contentTypes, withCharset } from "../http/content_type.ts";
import { type BodyLimits, defaultLimits } from "../body/limits.ts";

/** The part of a built application that requests read. */
export interface AppRuntime {
  readonly host: Host;
  readonly config: Readonly<Configuration>;
  readonly proxies: AddressList;
  readonly limits: BodyLimits;
  /** The content type of text; empty where the platform's own is right. */
  readonly textType: string;
  readonly htmlType: string;
}

/** Computes once what requests share. */
export function createRuntime(host: Host, config: Readonly<Configuration>, proxies: AddressList): AppRuntime {
  const isDefault = config.Charset.toUpperCase() === "UTF-8";
  return {
    host,
    config,
    proxies,
    limits: { ...defaultLimits, PostMaxMemory: config.PostMaxMemory },
    textType: isDefault ? "" : withCharset("text/plain", config.Charset),
    htmlType: isDefault ? contentTypes.html : withCharset("text/html", config.Charset),
  };
}
