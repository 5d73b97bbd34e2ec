/**
 * Generates the files that every new application has.
 *
 * @module
 */

import config from "../../../deno.json" with { type: "json" };
import { agentsFile } from "./agents.ts";
import { type Part, zod } from "./parts/part.ts";

/** Generates the contents of the common files, by path. */
export function commonFiles(name: string, parts: readonly Part[]): [path: string, text: string][] {
  const permissions = merged([
    "--allow-net",
    "--allow-env=PORT,DRAIN_DELAY",
    ...parts.flatMap((part) => part.permissions),
  ]).join(" ");
  const includes = parts.flatMap((part) => part.includes).map((folder) => ` --include ${folder}`).join("");
  const ignored = [...unshared, ...dataFolders(permissions)];
  const packages = Object.assign({}, zod, ...parts.map((part) => part.packages));
  return [
    ["deno.json", configFile({ permissions, includes, packages })],
    ["README.md", readme(name, parts)],
    ["AGENTS.md", agentsFile(name, parts.some(({ includes }) => includes.includes("accounts")))],
    ["Dockerfile", dockerfile(permissions)],
    [".dockerignore", lines(".git", ...ignored)],
    [".gitignore", lines(...ignored.map((path) => `/${path}`))],
  ];
}

/** Merges the values of flags with the same name, because Deno accepts each flag once. */
function merged(flags: readonly string[]): string[] {
  const values = new Map<string, string[]>();
  for (const flag of flags) {
    const [name = "", ...value] = flag.split("=");
    values.set(name, [...values.get(name) ?? [], ...value]);
  }
  return Array.from(values, ([name, value]) => value.length === 0 ? name : `${name}=${value.join(",")}`);
}

/**
 * The paths to exclude from both the repository and the image: binaries, secrets and the README's cookie file. They
 * must not match a source folder, because that folder would be ignored silently.
 */
const unshared = ["dist/", ".env", ".env.*", "cookies.txt"];

/** Returns the folders that the application writes to. They contain data, and databases with password hashes. */
function dataFolders(permissions: string): string[] {
  const [, folders = ""] = / --allow-write=(\S+)/.exec(permissions) ?? [];
  return folders.split(",").filter((folder) => folder !== "").map((folder) => `${folder}/`);
}

function lines(...texts: readonly string[]): string {
  return texts.map((text) => `${text}\n`).join("");
}

/**
 * The files that `deno fmt` must not change. It does not know the tags of templates, and turns
 * `href="<%= urlpath("home") %>"` into `href="<%= urlpath(" home") %>"`. Files in `public/` are often minified or come
 * from elsewhere.
 */
const unformatted = ["views/", "public/", "**/*.html", "**/*.njk"];

/**
 * The options of Deno. Without this one, Deno prints a line if a request was watched, because it aborts the signals of
 * successful requests.
 */
const unstable = ["no-legacy-abort"];

interface ConfigParts {
  readonly permissions: string;
  readonly includes: string;
  readonly packages: Readonly<Record<string, string>>;
}

function configFile({ permissions, includes, packages }: ConfigParts): string {
  const tasks = {
    // The development error page shows the source around the failing line, so it needs to read the files.
    dev: `deno run --watch ${permissions.replace(/ --allow-read=\S+/, "")} --allow-read main.ts --dev`,
    start: `deno run ${permissions} main.ts`,
    // Tests may use temporary folders and other programs.
    test: "deno test --allow-all",
    check: "deno fmt --check && deno lint && deno check",
    compile: `deno compile ${permissions}${includes} --output dist/app main.ts`,
  };
  const version = `${config.name}@^${config.version}`;
  const imports = { [config.name]: `jsr:${version}`, ...packages };
  const lint = { plugins: [`jsr:${version}/lint`], exclude: ["public/"] };
  const fmt = { lineWidth: 120, exclude: unformatted };
  return JSON.stringify({ tasks, imports, lint, fmt, unstable }, null, 2) + "\n";
}

function readme(name: string, parts: readonly Part[]): string {
  return `# ${name}

${parts.map((part) => `- ${part.about}`).join("\n")}

\`\`\`sh
deno task dev      # start the development server on http://localhost:8080, which restarts if a file changes
deno task test     # run the tests
deno task check    # check the format, the lint rules and the types
deno task start    # start the server; set PORT to change the port
deno task compile  # build a single binary, dist/app
\`\`\`

Try it:

\`\`\`sh
${parts.map((part) => part.tryIt).join("\n")}
\`\`\`

Run it in a container, as an unprivileged user:

\`\`\`sh
docker build -t ${imageName(name)} .
docker run -p 8080:8080 ${imageName(name)}
\`\`\`

Commit \`deno.lock\`, so that the image installs the same versions. \`/livez\` and \`/readyz\` are health checks for
orchestrators. \`DRAIN_DELAY\` is the time to keep serving after a stop signal, in milliseconds, so that load balancers
can react.

\`settings\` in \`main.ts\` describes the environment variables. To read them from a file, add \`--env-file=.env\` to a task.
`;
}

/** Returns the name of the Docker image, which may contain only lowercase letters, digits and single separators. */
function imageName(name: string): string {
  return name.toLowerCase().match(/[a-z0-9]+/g)?.join("-") ?? "app";
}

function dockerfile(permissions: string): string {
  // A volume gets the owner of the folder that it is mounted on.
  const makeFolders = dataFolders(permissions).map((folder) => `mkdir -p ${folder} && `).join("");
  return `FROM denoland/deno:${imageVersion}
WORKDIR /app
# Dependencies first: this layer is rebuilt only if they change.
COPY deno.json deno.lock* ./
RUN deno install
COPY . .
RUN deno cache main.ts && ${makeFolders}chown -R deno:deno /app
USER deno
EXPOSE 8080
ENV DRAIN_DELAY=1000
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \\
  CMD ["deno", "eval", "${healthCheck}"]
CMD ["run", ${permissions.split(" ").map((each) => JSON.stringify(each)).join(", ")}, "main.ts"]
`;
}

/** The script for the health check. The image does not contain any other program that can send requests. */
const healthCheck = "const r = await fetch('http://127.0.0.1:' + (Deno.env.get('PORT') ?? 8080) + '/livez'); " +
  "Deno.exit(r.ok ? 0 : 1)";

/** The Deno version of the base image. */
const imageVersion = "2.9.5";
