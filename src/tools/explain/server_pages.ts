/**
 * The pages of the error codes for configuration, the server and files.
 *
 * @module
 */

import type { PageSources } from "./page.ts";

/** Configuration, listening, the runtime, static files and time limits. */
export const serverPages: PageSources = {
  FW_CONFIG: {
    cause: "An option has the wrong type, is out of range or conflicts with another option. The message names the " +
      "option and its value.",
    remedy: "Check the unit: times are in milliseconds and sizes are in bytes. Convert environment variables to " +
      "numbers and check that they are set.",
    wrong: `const limit = Number("10 seconds"); // NaN
const app = fw.New().Configure(fw.WithHandlerTimeout(limit));
await app.Build();`,
    right: [['Number("10 seconds"); // NaN', "10_000; // milliseconds"]],
    chapter: "Deployment",
  },
  FW_ENV: {
    cause: "An environment variable in the `fw.Env` schema is not set, has an invalid value, or cannot be read " +
      "because of a missing permission. The message lists all such variables, without the values of secrets.",
    remedy: "Set the variables, or write them to a file and run `deno run --env-file=.env`. List their names in " +
      "`--allow-env`. Use the `Defaults` option for values that are needed only in development.",
    wrong: `const env = fw.Env(z.object({ APP_SECRET: z.string().min(16) }));
env.APP_SECRET;`,
    right: `const env = fw.Env(z.object({ APP_SECRET: z.string().min(16) }), {
  Environment: "development",
  Defaults: { development: { APP_SECRET: "only-for-development" } },
});
env.APP_SECRET;`,
    chapter: "Deployment",
  },
  FW_ADDRESS: {
    cause: "The address passed to `fw.Addr` or `app.Run` is not `HOST:PORT`, `:PORT` or a supported listener, or the " +
      "port is not between 0 and 65535.",
    remedy: 'Write `":8080"` for all interfaces or `"127.0.0.1:8080"` for this machine only. Port 0 selects a free ' +
      "port.",
    wrong: `const app = fw.New();
await app.Run(fw.Addr("localhost:http"));`,
    right: [["localhost:http", "localhost:8080"]],
    chapter: "Deployment",
  },
  FW_LISTEN: {
    cause: "The operating system or Deno does not allow the server to listen: the port is already in use, the port " +
      "is below 1024, the `--allow-net` permission is missing, or a certificate and its key do not match.",
    remedy: "Stop the other program or choose another port. The message and its cause state the reason.",
    wrong: `using other = Deno.listen({ hostname: "127.0.0.1", port: 0 });
const app = fw.New();
await app.Run(fw.Addr(\`127.0.0.1:\${other.addr.port}\`)); // the port is already in use`,
    right: `const app = fw.New();
await app.Run(fw.Addr("127.0.0.1:0")); // a free port`,
    chapter: "Deployment",
  },
  FW_RUNTIME: {
    cause: "The Deno version is older than the oldest version that fw supports. The message contains both versions.",
    remedy: "Run `deno upgrade`, and update the version in your Dockerfile and CI.",
    wrong: "deno upgrade 2.0.0\ndeno run --allow-net main.ts",
    right: "deno upgrade\ndeno run --allow-net main.ts",
    chapter: "Deployment",
  },
  FW_FILE: {
    cause: "A folder or file to serve does not exist, is not readable, or changed while it was being sent. Relative " +
      "paths are resolved from the current directory of the process, not from the module.",
    remedy: 'Pass a URL relative to the module, such as `new URL("./public", import.meta.url)`, and grant ' +
      "`--allow-read`.",
    wrong: `const app = fw.New();
app.HandleDir("/static", "./no-such-folder");
await app.Build();
await app.fetch(new Request("http://localhost/static/style.css"));`,
    right: `const folder = await Deno.makeTempDir();
const app = fw.New();
app.HandleDir("/static", folder);
await app.Build();
await app.fetch(new Request("http://localhost/static/style.css"));
await Deno.remove(folder);`,
    chapter: "Static files",
  },
  FW_TIMEOUT: {
    cause: "A handler did not finish within the limit set with `fw.WithHandlerTimeout` or the `timeout` middleware, " +
      "a client sent its body too slowly, or a shutdown ended the request.",
    remedy:
      "Pass `ctx.Signal()` to slow operations such as `fetch` so that they are canceled. Move long-running work " +
      "to a background job, or set a longer limit for the route.",
    wrong: `const app = fw.New();
app.Get("/tea", timeout.New({ After: 10 }), async (ctx) => {
  await new Promise((resolve) => setTimeout(resolve, 50));
  ctx.WriteString("Tea");
});
await app.fetch(new Request("http://localhost/tea"));`,
    right: [["After: 10 ", "After: 5_000 "]],
    chapter: "Security",
  },
};
