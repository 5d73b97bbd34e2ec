/**
 * Measures the cost of five hundred controllers at start-up. If it is run with the folder of a checkout, it prints the
 * milliseconds that `Handle` and `Build` take in a new process, as in real programs.
 */

import type * as Web from "../../mod.ts";
import type * as MVC from "../../mvc/mod.ts";

/** A checkout of fw. */
export interface Build {
  readonly name: string;
  readonly fw: typeof Web;
  readonly mvc: typeof MVC;
}

/** Loads a checkout. */
export async function load(name: string, folder: string): Promise<Build> {
  return { name, fw: await import(`${folder}/mod.ts`), mvc: await import(`${folder}/mvc/mod.ts`) };
}

/** Returns the time that `Handle` and `Build` take for five hundred controllers, in milliseconds. */
export function start(build: Build): readonly [number, number] {
  const types = classes(build);
  const app = build.fw.New();
  const began = performance.now();
  for (const [n, type] of types.entries()) build.mvc.New(app.Party(`/c${n}`)).Register(users).Handle(type);
  const handled = performance.now();
  app.Build();
  return [handled - began, performance.now() - handled];
}

/** Does the same in a separate process. */
export async function startAfresh(folder: string): Promise<readonly [number, number]> {
  const args = ["run", "-A", "--no-check", import.meta.filename ?? "", folder];
  const { stdout } = await new Deno.Command(Deno.execPath(), { args, stderr: "inherit" }).output();
  const [handled = NaN, built = NaN] = JSON.parse(new TextDecoder().decode(stdout));
  return [handled, built];
}

/** Creates five hundred different classes with ten methods each. */
function classes({ mvc }: Build): (new () => Record<never, never>)[] {
  return Array.from({ length: 500 }, (_, n) => {
    const text = `return class C${n} { users = Inject(users); constructor() {} Get() {} GetBy(id = 0n) {} Post() {} ` +
      "PutBy(id = 0n) {} DeleteBy(id = 0n) {} GetByFriends(id = 0n, users = Inject(users)) {} GetSearchBy(text) {} " +
      "GetPageBy(page = 0, size = 20) {} PatchByNameBy(id = 0n, name) {} HeadBy(id = 0n) {} }";
    return new Function("Inject", "users", text)(mvc.Inject, users);
  });
}

function users(): object {
  return {};
}

if (import.meta.main) {
  const [folder = "../.."] = Deno.args;
  // deno-lint-ignore no-console -- the parent process reads the output
  console.log(JSON.stringify(start(await load("cold", folder))));
}
