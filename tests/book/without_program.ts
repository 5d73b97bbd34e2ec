/**
 * The how-to pages whose programs are not in files.
 *
 * @module
 */

/** The pages whose only code block is a whole program that ends by itself, and shows its results. */
export const shortPrograms: readonly string[] = [
  ...["better-auth", "graphql", "hono", "pino", "protobuf", "pug", "react", "sentry", "stop", "stripe-webhooks"],
  ...["trpc", "turnstile", "vite"],
];

/** The reasons why the code of the other pages does not run in an empty folder, by page name. The pages state them. */
export const withoutProgram: Readonly<Record<string, string>> = {
  ...because("needs a PostgreSQL server, and tests/recipes run it", ["accounts-postgres", "drizzle", "postgres"]),
  ...because("needs a mail server, and tests/recipes run it", ["nodemailer", "upyo"]),
  ...because("needs a bucket, and tests/recipes run it", ["s3"]),
  ...because("is the configuration of another program, and tests/operations run it", [
    ...["kubernetes", "nginx", "other-proxies", "systemd"],
  ]),
  ...because("needs certificates, and tests/http/server run it", ["https"]),
};

function because(reason: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, reason]));
}
