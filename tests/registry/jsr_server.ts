/**
 * A JSR registry on loopback. `deno publish` uploads packages to it, and Deno reads them from it. Everything is stored
 * in memory.
 *
 * @module
 */

import { listImports } from "./listed_imports.ts";
import { readTarball } from "./tar.ts";

interface Version {
  readonly files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
  readonly meta: Metadata;
}

/** The metadata of a version that Deno reads. */
interface Metadata {
  readonly manifest: unknown;
  readonly exports: Readonly<Record<string, string>>;
  readonly moduleGraph2?: unknown;
}

/** A running registry. */
export interface Registry extends AsyncDisposable {
  /** The URL, for the `JSR_URL` environment variable. */
  readonly url: string;
  /** The host and port, for a permission that allows nothing else. */
  readonly host: string;
  /** The published packages with their versions. */
  readonly published: readonly string[];
  /** Publishes the files of a version again, under another number. */
  republish(key: string, version: string, number: string): void;
  /** Adds the imports of a package to the metadata of its versions, like the public registry. */
  listImports(key: string): Promise<void>;
}

const types: Readonly<Record<string, string>> = {
  ts: "text/typescript",
  tsx: "text/tsx",
  js: "text/javascript",
  mjs: "text/javascript",
  json: "application/json",
  wasm: "application/wasm",
};

/** Starts a registry on a free port. */
export function startRegistry(): Registry {
  const packages = new Map<string, Map<string, Version>>();
  const published: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    const posted = /^\/api\/scopes\/([\w-]+)\/packages\/([\w-]+)\/versions\/([\w.+-]+)$/.exec(pathname);
    if (request.method === "POST" && posted !== null) {
      const [, scope = "", name = "", version = ""] = posted;
      const key = `@${scope}/${name}`;
      const versions = packages.get(key) ?? new Map<string, Version>();
      packages.set(key, versions.set(version, await unpack(await request.bytes(), searchParams.get("config") ?? "")));
      published.push(`${key}@${version}`);
      return Response.json({ id: "1", status: "success", error: null });
    }
    return respond(packages, pathname);
  });
  const host = `127.0.0.1:${server.addr.port}`;
  function republish(key: string, version: string, number: string): void {
    const known = packages.get(key)?.get(version);
    if (known === undefined) throw new Error(`Cannot publish ${key} again: version ${version} does not exist`);
    packages.get(key)?.set(number, known);
    published.push(`${key}@${number}`);
  }
  async function list(key: string): Promise<void> {
    for (const [version, { files, meta }] of packages.get(key) ?? []) {
      const moduleGraph2 = await listImports({ files, exports: meta.exports });
      packages.get(key)?.set(version, { files, meta: { ...meta, moduleGraph2 } });
    }
  }
  const url = `http://${host}/`;
  return { url, host, published, republish, listImports: list, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** Unpacks a package and computes the checksums that Deno compares. */
async function unpack(tarball: Uint8Array<ArrayBuffer>, configPath: string): Promise<Version> {
  const files = await readTarball(tarball);
  const manifest: Record<string, unknown> = {};
  for (const [path, bytes] of files) {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    manifest[path] = { size: bytes.length, checksum: `sha256-${digest.toHex()}` };
  }
  const config = JSON.parse(new TextDecoder().decode(files.get(configPath)));
  const exports = typeof config.exports === "string" ? { ".": config.exports } : config.exports;
  return { files, meta: { manifest, exports } };
}

function respond(packages: ReadonlyMap<string, ReadonlyMap<string, Version>>, path: string): Response {
  const [, key = "", rest = ""] = /^\/(@[\w-]+\/[\w-]+)\/(.+)$/.exec(path) ?? [];
  const versions = packages.get(key);
  const [scope = "", name = ""] = key.slice(1).split("/");
  if (path.startsWith("/api/")) return describePackage(path);
  if (versions === undefined) return Response.json({ code: "packageNotFound", message: path }, { status: 404 });
  if (rest === "meta.json") return Response.json({ scope, name, ...listVersions([...versions.keys()]) });
  const described = versions.get(rest.replace(/_meta\.json$/, ""));
  if (rest.endsWith("_meta.json") && described !== undefined) return Response.json(described.meta);
  const [version = ""] = rest.split("/", 1);
  const bytes = versions.get(version)?.files.get(rest.slice(version.length));
  if (bytes === undefined) return Response.json({ code: "notFound", message: path }, { status: 404 });
  const type = types[path.slice(path.lastIndexOf(".") + 1)] ?? "text/plain";
  return new Response(bytes, { headers: { "content-type": type } });
}

function describePackage(path: string): Response {
  const [, scope, name] = /^\/api\/scopes\/([\w-]+)\/packages\/([\w-]+)$/.exec(path) ?? [];
  // Before publishing, Deno checks whether the version exists and treats any successful response as existing.
  if (scope === undefined) return Response.json({ code: "notFound", message: path }, { status: 404 });
  return Response.json({ scope, name });
}

/** Lists versions with an old date, because Deno ignores versions that are less than a day old. */
function listVersions(versions: readonly string[]): Record<string, unknown> {
  const createdAt = new Date(Date.now() - 30 * 24 * 3600 * 1000).toISOString();
  const latest = versions.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1);
  return { latest, versions: Object.fromEntries(versions.map((version) => [version, { createdAt }])) };
}
