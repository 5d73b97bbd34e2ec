/**
 * The schema of problem details (RFC 9457), as fw sends them.
 *
 * @module
 */

import type { JSONSchema } from "./json_schema.ts";

/** Problem details; `errors` lists the wrong places of input that does not fit. */
export const problemDetails: JSONSchema = {
  type: "object",
  description: "What went wrong (RFC 9457)",
  properties: {
    type: { type: "string" },
    title: { type: "string" },
    status: { type: "integer" },
    detail: { type: "string" },
    errors: {
      type: "array",
      items: {
        type: "object",
        properties: {
          in: { type: "string", enum: ["body", "query", "header", "path"] },
          pointer: { type: "string" },
          detail: { type: "string" },
        },
        required: ["pointer", "detail"],
      },
    },
  },
};
