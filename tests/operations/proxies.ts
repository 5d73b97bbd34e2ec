/**
 * Real proxies with the configurations on the how-to pages, on free ports.
 *
 * @module
 */

import { freePort } from "../free_port.ts";

const pages = new URL("../../examples/book/howto/", import.meta.url);

/** A running proxy. */
export interface Proxy extends AsyncDisposable {
  readonly url: string;
}

/** A kind of proxy. */
export interface ProxyKind {
  readonly program: string;
  /** The name of its page. */
  readonly page: string;
  /** The language of its configuration on its page. */
  readonly language: string;
  /** Completes the configuration and returns the arguments for running it in the foreground. */
  prepare(recipe: string, folder: string, port: number): { files: Record<string, string>; args: string[] };
}

/** The tested proxies by name. */
export const proxies: Readonly<Record<string, ProxyKind>> = {
  nginx: {
    program: "nginx",
    page: "nginx",
    language: "nginx",
    prepare: (recipe, folder, port) => ({
      files: {
        "nginx.conf": `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/error.log;
events { worker_connections 512; }
http { access_log off; client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f;
uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
${recipe.replace("listen 80;", `listen 127.0.0.1:${port};`)} }`,
      },
      args: ["-p", folder, "-e", `${folder}/error.log`, "-c", `${folder}/nginx.conf`],
    }),
  },
  haproxy: {
    program: "haproxy",
    page: "other-proxies",
    language: "haproxy",
    prepare: (recipe, folder, port) => ({
      files: { "haproxy.cfg": `${recipe.replace("127.0.0.1:80\n", `127.0.0.1:${port}\n`)}\n` },
      args: ["-db", "-f", `${folder}/haproxy.cfg`],
    }),
  },
  caddy: {
    program: "caddy",
    page: "other-proxies",
    language: "caddy",
    prepare: (recipe, folder, port) => ({
      files: {
        Caddyfile: `{\n admin off\n auto_https off\n}\n${
          recipe.replace(":80 {", `http://127.0.0.1:${port}, http://shop.example:${port} {`)
        }\n`,
      },
      args: ["run", "--adapter", "caddyfile", "--config", `${folder}/Caddyfile`],
    }),
  },
  apache: {
    program: "apache2",
    page: "other-proxies",
    language: "apache",
    prepare: (recipe, folder, port) => ({
      files: {
        "apache.conf": `${
          [
            "mpm_event",
            "authz_core",
            "headers",
            "proxy",
            "proxy_http",
            "proxy_balancer",
            "lbmethod_byrequests",
            "slotmem_shm",
          ]
            .map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join("\n")
        }
ServerName localhost
DefaultRuntimeDir ${folder}
Mutex file:${folder}
PidFile ${folder}/apache.pid
ErrorLog ${folder}/error.log
Listen 127.0.0.1:${port}
${recipe.replace("*:80", `*:${port}`)}\n`,
      },
      args: ["-X", "-d", folder, "-f", `${folder}/apache.conf`],
    }),
  },
  varnish: {
    program: "varnishd",
    page: "other-proxies",
    language: "vcl",
    prepare: (recipe, folder, port) => ({
      files: { "default.vcl": recipe },
      args: [
        "-F",
        "-a",
        `127.0.0.1:${port}`,
        "-n",
        `${folder}/work`,
        "-f",
        `${folder}/default.vcl`,
        "-s",
        "malloc,32m",
        "-p",
        "shortlived=0",
      ],
    }),
  },
};

/** Returns the reason why the tests of a proxy are ignored, or `undefined` if they can run. */
export async function missing(kind: ProxyKind): Promise<string | undefined> {
  try {
    await new Deno.Command(kind.program, { args: ["-v"], stdout: "null", stderr: "null" }).output();
    return undefined;
  } catch {
    return `${kind.program} is not installed`;
  }
}

/** Starts a proxy in front of two servers, with the recipe from its page or another one. */
export async function startProxy(kind: ProxyKind, ports: readonly [number, number], own?: string): Promise<Proxy> {
  const folder = await Deno.makeTempDir({ prefix: "fw_proxy_" });
  await Deno.chmod(folder, 0o755);
  const port = freePort();
  const recipe = (own ?? await recipeOf(kind)).replaceAll("8080", String(ports[0])).replaceAll(
    "8081",
    String(ports[1]),
  );
  const { files, args } = kind.prepare(recipe, folder, port);
  for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${folder}/${name}`, text);
  const process = new Deno.Command(kind.program, {
    args,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
    env: { HOME: folder, XDG_DATA_HOME: folder },
  })
    .spawn();
  const errors = new Response(process.stderr).text();
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    try {
      process.kill("SIGTERM");
    } catch {
      // The process has already exited.
    }
    await process.status;
    const said = await errors;
    await Deno.remove(folder, { recursive: true }).catch(() => {});
    return said;
  };
  for (let attempt = 0; attempt < 600; attempt++) {
    const response = await fetch(url, { headers: { connection: "close" } }).catch(() => undefined);
    await response?.body?.cancel();
    if (response?.status === 200) return { url, [Symbol.asyncDispose]: async () => void await stop() };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`Cannot start ${kind.program}: ${await stop()}`);
}

async function recipeOf({ page, language }: ProxyKind): Promise<string> {
  const text = await Deno.readTextFile(new URL(`${page}.md`, pages));
  const recipe = new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(text)?.[1];
  if (recipe === undefined) throw new Error(`The page "${page}" has no recipe in "${language}"`);
  return recipe;
}
