/**
 * Temporary projects for the tests of the permissions command.
 *
 * @module
 */

import { dirname, join } from "@std/path";
import config from "../../../deno.json" with { type: "json" };
import { type Ended, root, runProgram } from "../../running.ts";

/** The imports and links of a configuration file, with which a project can import fw. */
export const fw: { readonly imports: Readonly<Record<string, string>>; readonly links: readonly string[] } = {
  imports: { ...config.imports, "@fw/web": "jsr:@fw/web@*" },
  links: [root, ...config.links.map((path) => join(root, path))],
};

/** A project in a temporary folder, which is removed at the end. */
export class Project implements AsyncDisposable {
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Creates a project. Its files are below a folder with a space in its name. */
  static async create(files: Readonly<Record<string, string>>): Promise<Project> {
    const project = new Project(join(await Deno.makeTempDir({ prefix: "fw_permissions_test_" }), "a project"));
    for (const [path, text] of Object.entries(files)) await project.write(path, text);
    return project;
  }

  async write(path: string, text: string): Promise<void> {
    await Deno.mkdir(dirname(join(this.folder, path)), { recursive: true });
    await Deno.writeTextFile(join(this.folder, path), text);
  }

  read(path: string): Promise<string> {
    return Deno.readTextFile(join(this.folder, path));
  }

  /** Returns a permission set in `deno.json`. */
  async set(name: string): Promise<unknown> {
    return JSON.parse(await this.read("deno.json")).permissions?.[name];
  }

  /** Runs the permissions command. */
  command(...args: string[]): Promise<Ended> {
    return runProgram("src/tools/permissions/mod.ts", args, this.folder);
  }

  /** Runs Deno. */
  async deno(...args: string[]): Promise<Ended> {
    const command = new Deno.Command(Deno.execPath(), {
      args,
      cwd: this.folder,
      env: { NO_COLOR: "1" },
      stdin: "null",
    });
    const { code, stdout, stderr } = await command.output();
    return { code, out: new TextDecoder().decode(stdout), err: new TextDecoder().decode(stderr) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Deno.remove(dirname(this.folder), { recursive: true });
  }
}
