/**
 * The files that every new application has.
 *
 * @module
 */

import config from "../../deno.json" with { type: "json" };
import type { Part } from "./parts/part.ts";

/** Composes them: the text of each by its path. */
export function commonFiles(name: string, parts: readonly Part[]): [path: string, text: string][] {
  const permissions = ["--allow-net", "--allow-env=PORT", ...parts.flatMap((part) => part.permissions)].join(" ");
  const includes = parts.flatMap((part) => part.includes).map((folder) => ` --include ${folder}`).join("");
  return [
    ["deno.json", configFile({ permissions, includes })],
    ["README.md", readme(name, parts)],
    ["Dockerfile", dockerfile(permissions)],
    [".dockerignore", "/.git\n/app\n"],
    [".gitignore", "/app\n/cookies\n"],
  ];
}

interface TaskParts {
  readonly permissions: string;
  readonly includes: string;
}

function configFile({ permissions, includes }: TaskParts): string {
  const tasks = {
    // The page of a failure shows the source around it.
    dev: `deno run --watch ${permissions.replace(/ --allow-read=\S+/, "")} --allow-read main.ts --dev`,
    start: `deno run ${permissions} main.ts`,
    test: `deno test ${permissions}`,
    compile: `deno compile ${permissions}${includes} --output app main.ts`,
  };
  const imports = { [config.name]: `jsr:${config.name}@^${config.version}` };
  return JSON.stringify({ tasks, imports, fmt: { lineWidth: 120 } }, null, 2) + "\n";
}

function readme(name: string, parts: readonly Part[]): string {
  return `# ${name}

${parts.map((part) => `- ${part.about}`).join("\n")}

\`\`\`sh
deno task dev      # serve on http://localhost:8080, restart at every change, explain errors
deno task test     # run the tests
deno task start    # serve; PORT chooses another port
deno task compile  # make one binary, ./app
\`\`\`

Try it:

\`\`\`sh
${parts.map((part) => part.tryIt).join("\n")}
\`\`\`

\`docker build -t ${name} . && docker run -p 8080:8080 ${name}\` runs it in a container.
`;
}

function dockerfile(permissions: string): string {
  return `FROM denoland/deno:${imageVersion}
WORKDIR /app
COPY . .
RUN deno cache main.ts && chown -R deno:deno /app
USER deno
EXPOSE 8080
CMD ["run", ${permissions.split(" ").map((each) => JSON.stringify(each)).join(", ")}, "main.ts"]
`;
}

/** The version of Deno that the image brings along. */
const imageVersion = "2.9.5";
