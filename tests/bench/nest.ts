/** A Nest controller, served by Node from a temporary folder. */

const script = `
require("reflect-metadata");
const { Controller, Get, Inject, Module, Param, ParseIntPipe } = require("@nestjs/common");
const { NestFactory } = require("@nestjs/core");
const { FastifyAdapter } = require("@nestjs/platform-fastify");

class Users { find(id) { return { id, name: "Ada" }; } }
class UserController {
  constructor(users) { this.users = users; }
  getBy(id) { return this.users.find(id); }
}
Inject(Users)(UserController, undefined, 0);
Controller("users")(UserController);
Param("id", ParseIntPipe)(UserController.prototype, "getBy", 0);
Get(":id")(UserController.prototype, "getBy", Object.getOwnPropertyDescriptor(UserController.prototype, "getBy"));
class App {}
Module({ controllers: [UserController], providers: [Users] })(App);

(async () => {
  const app = await NestFactory.create(App, new FastifyAdapter(), { logger: false });
  await app.listen(0, "127.0.0.1");
  console.log(app.getHttpServer().address().port);
})();
`;

const packages = [
  "@nestjs/core@11",
  "@nestjs/common@11",
  "@nestjs/platform-fastify@11",
  "reflect-metadata@0.2",
  "rxjs@7",
];

/** The running server. */
export class Nest {
  readonly port: number;
  readonly #process: Deno.ChildProcess;
  readonly #folder: string;

  constructor(process: Deno.ChildProcess, port: number, folder: string) {
    this.#process = process;
    this.port = port;
    this.#folder = folder;
  }

  /** Installs Nest and starts it on the first core. */
  static async start(): Promise<Nest> {
    const folder = await Deno.makeTempDir();
    await Deno.writeTextFile(`${folder}/package.json`, "{}");
    const installed = await new Deno.Command("npm", {
      args: ["install", "--silent", "--no-audit", "--no-fund", "--prefer-offline", ...packages],
      cwd: folder,
    }).output();
    if (!installed.success) throw new Error("Cannot install Nest with npm");
    await Deno.writeTextFile(`${folder}/main.js`, script);
    const process = new Deno.Command("taskset", {
      args: ["-c", "0", "node", "main.js"],
      cwd: folder,
      stdout: "piped",
      env: { NODE_ENV: "production" },
    }).spawn();
    const reader = process.stdout.getReader();
    const { value } = await reader.read();
    reader.releaseLock();
    return new Nest(process, Number(new TextDecoder().decode(value)), folder);
  }

  /** Ends the process and removes the installation. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill();
    await this.#process.stdout.cancel();
    await this.#process.status;
    await Deno.remove(this.#folder, { recursive: true });
  }
}
