/**
 * Assembles the files of a new application from its features.
 *
 * @module
 */

import type { Choices } from "./choices.ts";
import { commonFiles } from "./common.ts";
import { accounts } from "./parts/with_accounts.ts";
import { api } from "./parts/api.ts";
import { controllers } from "./parts/controllers.ts";
import { importZod, type Part } from "./parts/part.ts";
import { visits } from "./parts/sessions.ts";
import { site } from "./parts/site.ts";

/** The features, in the order in which they appear in the code. */
const parts: readonly { readonly isChosen: (choices: Choices) => boolean; readonly part: Part }[] = [
  // The later routes see the user.
  { isChosen: (choices) => choices.Accounts === true, part: accounts },
  { isChosen: (choices) => choices.Site, part: site },
  { isChosen: (choices) => choices.API, part: api },
  { isChosen: (choices) => choices.MVC, part: controllers },
  { isChosen: (choices) => choices.Sessions, part: visits },
];

/** The path from which the tests import the application. */
const mainModule = "./main.ts";

/** Assembles the contents of all files, by path. */
export function composeFiles(choices: Choices): Map<string, string> {
  const chosen = parts.filter(({ isChosen }) => isChosen(choices)).map(({ part }) => part);
  // Without any feature, the application would have no routes.
  if (chosen.length === 0) chosen.push(api);
  const files = new Map<string, string>([
    ...commonFiles(choices.Name, chosen),
    ["main.ts", mainFile(chosen)],
    ["main_test.ts", testFile(chosen)],
  ]);
  for (const part of chosen) for (const [path, text] of Object.entries(part.files)) files.set(path, text);
  return files;
}

function mainFile(chosen: readonly Part[]): string {
  return `import * as fw from "@fw/web";
${importLines(chosen)}
${
    chosen.filter((part) => part.declarations !== "").map((part) => `${part.declarations}\n\n`).join("")
  }/** The environment variables. Their names are also the value of \`--allow-env\` in deno.json. */
const settings = z.object({
  PORT: z.int().min(0).max(65535).default(8080),
  DRAIN_DELAY: z.int().min(0).default(0), // milliseconds
});

/** Creates the application, for the server below and the tests. */
export function newApp(): fw.Application {
  const app = fw.Default();
  health.New().Register(app); // /livez and /readyz

${chosen.map((part) => indented(part.routes)).join("\n\n")}

  return app;
}

if (import.meta.main) {
  const app = newApp();
  const env = fw.Env(settings);
  if (Deno.args.includes("--dev")) {
    // Error pages show source code in development, so only this machine can reach them.
    await app.Run(fw.Addr(\`127.0.0.1:\${env.PORT}\`), fw.WithDevelopment);
  } else {
    // Make /readyz fail first, so that load balancers stop sending requests before the listener closes.
    await app.Run(fw.Addr(\`:\${env.PORT}\`), fw.WithDrainDelay(env.DRAIN_DELAY));
  }
}
`;
}

function importLines(chosen: readonly Part[]): string {
  const health = 'import * as health from "@fw/web/middleware/health";';
  const lines = new Set([health, importZod, ...chosen.flatMap((part) => part.imports)]);
  return [...lines].sort().map((line) => `${line}\n`).join("");
}

function testFile(chosen: readonly Part[]): string {
  return `import * as httptest from "@fw/web/httptest";
import { newApp } from "${mainModule}";

/** Creates the application for a test. It logs errors only. */
function quietApp(): ReturnType<typeof newApp> {
  const app = newApp();
  app.Logger().SetLevel("error");
  return app;
}

Deno.test("GET /readyz responds with 200 while the application is ready", async () => {
  await httptest.New(quietApp()).GET("/readyz").Expect().Status(200);
});

${chosen.map((part) => part.tests).join("\n\n")}
`;
}

function indented(text: string): string {
  return text.split("\n").map((line) => line === "" ? "" : `  ${line}`).join("\n");
}
