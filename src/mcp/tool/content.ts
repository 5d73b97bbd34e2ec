/**
 * Results that consist of several parts.
 *
 * @module
 */

import { toJSON } from "../../text/json.ts";

/** The content type of results that are passed on to agents as they are. */
export const contentType = "application/vnd.fw.mcp-content+json";

/** A part of a result: a string, or an object of the protocol with a `type` such as `image` or `resource`. */
export type ContentPart = string | Readonly<Record<string, unknown>>;

/**
 * Creates a result of several parts, for tools and prompts. Most routes do not need it: text, JSON, images and other
 * files are converted automatically.
 *
 * @param parts The parts.
 * @returns The response.
 *
 * @example Return a name and a picture
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mcp from "@fw/web/mcp";
 *
 * const app = fw.New();
 * app.Get("/tea", () => mcp.Content("Assam", { type: "image", data: "AQID", mimeType: "image/png" }));
 * mcp.New(app, { Name: "teas", Routes: ({ Path }) => Path === "/tea" });
 *
 * (await (await app.fetch(new Request("http://localhost/tea"))).json())[0]; // → { type: "text", text: "Assam" }
 * ```
 */
export function Content(...parts: ContentPart[]): Response {
  const content = parts.map((part) => typeof part === "string" ? { type: "text", text: part } : part);
  return new Response(toJSON(content), { headers: { "content-type": contentType } });
}
