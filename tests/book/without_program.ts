/**
 * The how-to pages without a program of their own.
 *
 * @module
 */

/** The reasons, by page name. */
export const withoutProgram: Readonly<Record<string, string>> = {
  ...because("needs a library or a server, and tests/recipes run it", [
    ...[
      "better-auth",
      "drizzle",
      "graphql",
      "hono",
      "nodemailer",
      "pino",
      "postgres",
      "protobuf",
      "pug",
      "react",
      "s3",
    ],
    ...["sentry", "stripe-webhooks", "trpc", "turnstile", "upyo", "vite"],
  ]),
  ...because("is the configuration of another program, and tests/operations run it", [
    ...["kubernetes", "nginx", "other-proxies", "systemd"],
  ]),
  ...because("needs signals and certificates, and tests/operations and tests/http/server run it", ["https", "stop"]),
};

function because(reason: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, reason]));
}
