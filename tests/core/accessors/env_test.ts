import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { join, toFileUrl } from "@std/path";
import { inspect } from "node:util";
import { type } from "npm:arktype@^2";
import * as v from "npm:valibot@^1";
import { z } from "npm:zod@^4";
import * as fw from "@fw/web";
import { root } from "../../running.ts";

/** Sets variables for the time of a function. */
function using<T>(variables: Record<string, string>, work: () => T): T {
  const before = Object.keys(variables).map((name) => [name, Deno.env.get(name)] as const);
  for (const [name, value] of Object.entries(variables)) Deno.env.set(name, value);
  try {
    return work();
  } finally {
    for (const [name, value] of before) value === undefined ? Deno.env.delete(name) : Deno.env.set(name, value);
  }
}

function messageOf(work: () => unknown): string {
  const error = assertThrows(work, fw.FrameworkError);
  assertEquals(error.Code, "FW_ENV");
  return error.message;
}

const schemas = {
  zod: z.object({
    T_PORT: z.number().int().min(1000),
    T_DEBUG: z.boolean().optional(),
    T_ORIGINS: z.array(z.string()).optional(),
    T_SECRET: z.string().min(12),
  }),
  valibot: v.object({
    T_PORT: v.pipe(v.number(), v.integer(), v.minValue(1000)),
    T_DEBUG: v.optional(v.boolean()),
    T_ORIGINS: v.optional(v.array(v.string())),
    T_SECRET: v.pipe(v.string(), v.minLength(12)),
  }),
  arktype: type({
    T_PORT: "number.integer >= 1000",
    "T_DEBUG?": "boolean",
    "T_ORIGINS?": "string[]",
    T_SECRET: "string >= 12",
  }),
};

for (const [library, schema] of Object.entries(schemas)) {
  Deno.test(`Env() converts variables to the types of a schema from ${library}`, () => {
    const variables = {
      T_PORT: "8080",
      T_DEBUG: "true",
      T_ORIGINS: "a.example, b.example",
      T_SECRET: "longer than 12",
    };
    const env = using(variables, () => fw.Env(schema as fw.StandardSchema<z.infer<typeof schemas.zod>>));
    assertEquals({ ...env }, {
      T_PORT: 8080,
      T_DEBUG: true,
      T_ORIGINS: ["a.example", "b.example"],
      T_SECRET: "longer than 12",
    });
    assert(Object.isFrozen(env));
  });

  Deno.test(`Env() lists all faults of a schema from ${library} in one message, without secrets`, () => {
    const message = messageOf(() =>
      using(
        { T_PORT: "80", T_DEBUG: "perhaps", T_SECRET: "hunter2" },
        () => fw.Env(schema as fw.StandardSchema<object>),
      )
    );
    assertStringIncludes(message, "Cannot read the environment: variables are missing or invalid\n");
    for (const name of ["T_PORT", "T_DEBUG", "T_SECRET"]) assertStringIncludes(message, `\n  ${name}: `);
    assert(!message.includes("T_ORIGINS"));
    assert(!message.includes("hunter2"), message);
  });

  Deno.test(`Env() reports variables of a schema from ${library} that are not set`, () => {
    const message = messageOf(() => using({ T_DEBUG: "" }, () => fw.Env(schema as fw.StandardSchema<object>)));
    assertEquals(
      message,
      "Cannot read the environment: variables are missing or invalid\n  T_PORT: not set\n  T_SECRET: not set",
    );
  });
}

Deno.test("Env() does not print secrets that a schema has changed or that another variable's message contains", () => {
  const schemas = [
    v.object({ T_TOKEN: v.pipe(v.string(), v.toUpperCase(), v.regex(/^\d+$/)) }),
    v.object({ T_TOKEN: v.pipe(v.string(), v.transform((text) => [...text].reverse().join("")), v.literal("x")) }),
    z.object({ T_TOKEN: z.string().refine(() => false, { error: (issue) => `bad: ${issue.input}` }) }),
    z.object({ T_TOKEN: z.string() }).refine(() => false, { error: (issue) => `bad: ${JSON.stringify(issue.input)}` }),
    type({ T_TOKEN: "string.numeric.parse" }),
    type({ T_TOKEN: "string" }).narrow(({ T_TOKEN }, ctx) => ctx.mustBe(`other than ${T_TOKEN}`)),
  ];
  for (const schema of schemas) {
    const message = messageOf(() => using({ T_TOKEN: "hunter2" }, () => fw.Env(schema as fw.StandardSchema<object>)));
    assertEquals(/hunter2|2retnuh/i.exec(message), null, message);
  }
});

Deno.test("Env() treats names of secrets, URLs with a password and the option Secrets as secrets", () => {
  const schema = z.object({
    T_API_KEY: z.string(),
    T_DATABASE: z.string(),
    T_STRIPE: z.string(),
    T_NAME: z.string(),
  });
  const variables = {
    T_API_KEY: 'key "of" mine',
    T_DATABASE: "postgres://app:p4ss word@db/app",
    T_STRIPE: "sk_live_1",
    T_NAME: "shop",
  };
  const env = using(variables, () => fw.Env(schema, { Secrets: ["T_STRIPE"] }));
  const shown = { T_API_KEY: "…", T_DATABASE: "…", T_STRIPE: "…", T_NAME: "shop" };
  assertEquals(JSON.parse(JSON.stringify(env)), shown);
  for (const text of [Deno.inspect(env), Deno.inspect({ env }), inspect(env)]) {
    assert(!/key "of|p4ss|sk_live_1/.test(text), text);
    assertStringIncludes(text, "shop");
  }
  assertEquals(env.T_STRIPE, "sk_live_1");
});

Deno.test("Env() makes the logger mask secrets in messages, fields, errors and records", () => {
  const env = using(
    { T_SECRET: 'quoted "secret"', T_PRIVATE_KEY: "-----BEGIN\nabcdefgh\nijklmnop\n-----END" },
    () => fw.Env(z.object({ T_SECRET: z.string(), T_PRIVATE_KEY: z.string() })),
  );
  for (const format of ["text", "json"] as const) {
    const lines: string[] = [];
    const logger = new fw.Logger().SetFormat(format).SetOutput((line, record) => lines.push(line, record.Message));
    logger.Info("settings", env);
    logger.Info("spread", { ...env });
    logger.Infof("secret=%s", env.T_SECRET);
    logger.With({ secret: env.T_SECRET, key: env.T_PRIVATE_KEY }).Warn("fields");
    logger.Error(new Error(`no login with ${env.T_SECRET}`, { cause: new Error(env.T_PRIVATE_KEY) }));
    logger.Print(`/login?secret=${encodeURIComponent(env.T_SECRET)}`);
    assertEquals(lines.length, 12);
    assertEquals(lines.filter((line) => /quoted|abcdefgh|ijklmnop/.test(line)), []);
  }
});

Deno.test("Env() does not treat numbers and choices as secrets, and masks each item of a list", () => {
  const schema = z.object({
    T_TOKEN_LIFETIME: z.int(),
    T_KEY_TYPE: z.enum(["short", "long"]),
    T_SECRETS: z.array(z.string()),
  }).readonly();
  const variables = { T_TOKEN_LIFETIME: "3600", T_KEY_TYPE: "short", T_SECRETS: "first-one, second-one" };
  const env = using(variables, () => fw.Env(schema));
  assertEquals(JSON.parse(JSON.stringify(env)), { T_TOKEN_LIFETIME: 3600, T_KEY_TYPE: "short", T_SECRETS: "…" });
  const lines: string[] = [];
  new fw.Logger().SetTimeFormat("").SetOutput((line) => lines.push(line)).Print("3600 short first-one, second-one");
  assertEquals(lines, ["3600 short …, …"]);
});

Deno.test("Env() keeps secrets out of the explanation of a route", async () => {
  const env = using({ T_SECRET: "hidden-secret" }, () => fw.Env(z.object({ T_SECRET: z.string() })));
  class Settings {
    secret = env.T_SECRET;
  }
  class Controller {
    settings = fw.mvc.Inject(Settings);
    Get(): string {
      return "x";
    }
  }
  const app = fw.New();
  fw.mvc.Configure(app.Party("/"), (m) => m.Register(new Settings()).Handle(Controller));
  await app.Build();
  const text = Deno.inspect(await app.Explain("GET", "/"), { depth: 10 });
  assertStringIncludes(text, "Settings");
  assert(!text.includes("hidden-secret"));
});

Deno.test("Env() takes the defaults of the current environment only", () => {
  const schema = z.object({ T_SECRET: z.string(), T_PORT: z.int() });
  const Defaults = { development: { T_SECRET: "dev-secret", T_PORT: "8080" }, production: { T_PORT: "80" } };
  assertEquals({ ...fw.Env(schema, { Defaults, Environment: "development" }) }, {
    T_SECRET: "dev-secret",
    T_PORT: 8080,
  });
  assertEquals(using({ T_PORT: "9000" }, () => fw.Env(schema, { Defaults, Environment: "development" }).T_PORT), 9000);
  assertStringIncludes(messageOf(() => fw.Env(schema, { Defaults, Environment: "production" })), "T_SECRET: not set");
  assertStringIncludes(messageOf(() => fw.Env(schema, { Defaults })), "T_PORT: not set");
  assertStringIncludes(
    messageOf(() => fw.Env(schema, { Defaults: { test: { T_PROT: "1" } }, Environment: "test" })),
    'the schema has no variable "T_PROT"',
  );
});

Deno.test("Env() needs the option Names if the library does not reveal them, and a synchronous schema", () => {
  const schema: fw.StandardSchema<Record<string, string>> = {
    "~standard": { version: 1, vendor: "own", validate: (value) => ({ value: value as Record<string, string> }) },
  };
  assertStringIncludes(messageOf(() => fw.Env(schema)), 'set the option "Names"');
  assertEquals({ ...using({ T_NAME: "a" }, () => fw.Env(schema, { Names: ["T_NAME"] })) }, { T_NAME: "a" });
  const later = z.object({ T_NAME: z.string().refine(() => Promise.resolve(true)) });
  assertStringIncludes(messageOf(() => using({ T_NAME: "a" }, () => fw.Env(later))), "the schema is asynchronous");
});

const program = `
import * as fw from "@fw/web";
import { z } from "npm:zod@^4";
const env = fw.Env(z.object({ T_PORT: z.int(), T_SECRET: z.string(), T_OTHER: z.string().optional() }));
console.log(env, env.T_SECRET.length);
`;

/** Runs the program with a file of variables. */
async function run(file: string, ...flags: string[]): Promise<{ out: string; err: string }> {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(join(folder, ".env"), file);
    const args = ["run", "--no-prompt", "--no-check", "--no-lock", "--config", join(root, "deno.json"), ...flags, "-"];
    const child = new Deno.Command(Deno.execPath(), {
      args: [...args.slice(0, -1), toFileUrl(join(folder, "main.ts")).href],
      cwd: folder,
      env: { NO_COLOR: "1", T_PORT: "8080" },
      stdout: "piped",
      stderr: "piped",
    });
    await Deno.writeTextFile(join(folder, "main.ts"), program);
    const { stdout, stderr } = await child.output();
    return { out: new TextDecoder().decode(stdout), err: new TextDecoder().decode(stderr) };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("Env() reads a file of --env-file, and needs no other permission than the names", async () => {
  const file = 'T_PORT=9000\nT_SECRET="from the file"\n';
  const { out, err } = await run(file, "--env-file", "--allow-env=T_PORT,T_SECRET,T_OTHER");
  // A variable of the process takes precedence over the file.
  assertEquals([out, err], ['{ T_PORT: 8080, T_SECRET: "…" } 13\n', ""]);
});

Deno.test("Env() reports all variables that it is not allowed to read, with the flag", async () => {
  const { out, err } = await run("", "--allow-env=T_PORT");
  assertEquals(out, "");
  for (const name of ["T_SECRET", "T_OTHER"]) assertStringIncludes(err, `\n  ${name}: not allowed to be read`);
  assertStringIncludes(err, "\n  Run with --allow-env=T_PORT,T_SECRET,T_OTHER");
  assertStringIncludes(err, "FrameworkError [FW_ENV]");
});
