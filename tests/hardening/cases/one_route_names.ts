/** The names that the attacks on several routes at one path share with the subject. */

/** The ways to refuse a request or to respond early. Their positions are part of the paths. */
export const refusals = [
  "a password",
  "a token",
  "a role",
  "an address",
  "a rate limit",
  "a conflict",
  "an error",
  "a redirect",
  "a response",
  "a stream",
  "a bare stop",
] as const;

/** The middleware around the routes. It holds responses back until they are complete. */
export const recorders = ["nothing", "compress", "cache", "etag"] as const;

/** A file whose name contains a hash, in the folder of the subject. */
export const hashedFile = "hashed/app.3f9a12bc.js";
