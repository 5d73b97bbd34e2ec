/**
 * The accounts of a new application.
 *
 * @module
 */

import { accountFiles } from "./account_files.ts";
import type { Part } from "./part.ts";

/** Sign-up, login, second factors, passkeys and settings. Its files are those of `tests/tools/init/accounts/`. */
export const accounts: Part = {
  about: `\`/signup\`, \`/login\` and \`/account\` are in \`accounts/\`. For production:
  - Set \`DATA=data\`, the folder of the databases. Otherwise, all accounts are lost when the process ends. For another
    folder, change \`--allow-read\` and \`--allow-write\` in \`deno.json\`, too. In a container, mount a volume:
    \`docker run -v data:/app/data --env-file .env …\`.
  - Set \`SECRET\` to the output of \`deno eval 'import { Generate } from "@fw/web/keys"; console.log(Generate())'\`, and
    keep it: with another one, links and second factors are not valid anymore.
  - Set \`PUBLIC_URL\`, such as \`https://app.example\`, and \`MAIL_FROM\`. Forms are accepted only over HTTPS, or on
    \`localhost\`.
  - Replace \`mail.NewMemory()\` in \`main.ts\` with an SMTP transport: \`deno doc jsr:@fw/book/nodemailer\`.
  - Behind a proxy, pass \`fw.WithProxy({ Trust: ["127.0.0.1"] })\` to \`app.Run\`: \`deno doc jsr:@fw/book/nginx\`.`,
  tryIt: "open http://localhost:8080/signup   # with `deno task dev`, the mails are at /mails",
  packages: {
    otpauth: "npm:otpauth@^9",
    uqr: "npm:uqr@^0",
    "@simplewebauthn/server": "npm:@simplewebauthn/server@^13",
  },
  imports: [
    'import * as mail from "@fw/web/mail";',
    'import { optionsFromEnv, useAccounts } from "./accounts/mod.ts";',
  ],
  declarations: "",
  routes: `const transport = mail.NewMemory(); // replace it with an SMTP transport: deno doc jsr:@fw/book/nodemailer
if (Deno.args.includes("--dev")) transport.Register(app.Party("/mails")); // shows the mails
useAccounts(app, optionsFromEnv(transport));`,
  tests: `Deno.test("GET /account requires a login", async () => {
  const client = httptest.New(quietApp()).WithHeader("accept", "text/html");
  await client.GET("/account").Expect().Status(302).Header("location", "/login?next=%2Faccount");
  await client.GET("/login").Expect().Status(200).Contains("password");
});`,
  permissions: [
    "--allow-read=accounts,data",
    "--allow-write=data",
    "--allow-env=DATA,SECRET,PUBLIC_URL,MAIL_FROM",
  ],
  includes: ["accounts"],
  files: accountFiles,
};
