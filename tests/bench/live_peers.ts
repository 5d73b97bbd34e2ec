/**
 * The servers that fw's WebSocket connections are compared to: socket.io on Node.js, and Bun. They run in a temporary
 * folder.
 *
 * @module
 */

const scripts: Readonly<Record<string, { readonly packages: readonly string[]; readonly source: string }>> = {
  socketio: {
    packages: ["socket.io@4"],
    source: `const server = require("http").createServer();
      const io = new (require("socket.io").Server)(server, { transports: ["websocket"] });
      io.on("connection", (socket) => socket.on("echo", (data, reply) => reply(data)));
      server.listen(0, "127.0.0.1", () => console.log(server.address().port));`,
  },
  bun: {
    packages: ["bun@1"],
    source: `const server = Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch(request, server) { if (!server.upgrade(request)) return new Response("pong"); },
        websocket: { message(socket, data) { socket.send(data); } },
      });
      console.log(server.port);`,
  },
};

let folder: string | undefined;
const installed = new Set<string>();

/** Reports whether a server is one of the peers. */
export function isPeer(kind: string): boolean {
  return kind in scripts;
}

/** Installs a peer with npm and starts it. It prints its port. */
export function startPeer(kind: string): Deno.ChildProcess {
  const { packages, source } = scripts[kind] ?? { packages: [], source: "" };
  folder ??= Deno.makeTempDirSync({ prefix: "fw_bench_" });
  Deno.writeTextFileSync(`${folder}/package.json`, "{}");
  const args = ["install", "--silent", "--no-audit", "--no-fund", "--prefer-offline", ...packages];
  if (!installed.has(kind) && !new Deno.Command("npm", { args, cwd: folder }).outputSync().success) {
    throw new Error(`Cannot install ${packages.join()} with npm`);
  }
  installed.add(kind);
  Deno.writeTextFileSync(`${folder}/${kind}.js`, source);
  const program = kind === "bun" ? `${folder}/node_modules/.bin/bun` : "node";
  return new Deno.Command(program, { args: [`${kind}.js`], cwd: folder, stdout: "piped" }).spawn();
}

/** Removes the installed packages. */
export function removePeers(): void {
  if (folder !== undefined) Deno.removeSync(folder, { recursive: true });
}
