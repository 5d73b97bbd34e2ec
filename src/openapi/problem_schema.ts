/**
 * The JSON Schema of problem details (RFC 9457).
 *
 * @module
 */

import type { JSONSchema } from "./json_schema.ts";

/** The schema of problem details. `errors` lists the validation errors. */
export const problemDetails: JSONSchema = {
  type: "object",
  description: "Problem details (RFC 9457)",
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
