/**
 * What five hundred controllers cost the start of a program. Run by itself, with the folder of a checkout, it says so for
 * the first time in a fresh process, which is what programs have: the milliseconds of `Handle` and of `Build`.
 */

import type * as Web from "../../mod.ts";
import type * as MVC from "../../mvc/mod.ts";

/** One checkout. */
export interface Build {
  readonly name: string;
  readonly fw: typeof Web;
  readonly mvc: typeof MVC;
}

/** Loads a checkout. */
export async function load(name: string, folder: string): Promise<Build> {
  return { name, fw: await import(`${folder}/mod.ts`), mvc: await import(`${folder}/mvc/mod.ts`) };
}

/** The milliseconds of `Handle` and of `Build` of five hundred controllers. */
export function start(build: Build): readonly [number, number] {
  const types = classes(build);
  const app = build.fw.New();
  const began = performance.now();
  for (const [n, type] of types.entries()) build.mvc.New(app.Party(`/c${n}`)).Register(users).Handle(type);
  const handled = performance.now();
  app.Build();
  return [handled - began, performance.now() - handled];
}

/** The same in a process of its own. */
export async function startAfresh(folder: string): Promise<readonly [number, number]> {
  const args = ["run", "-A", "--no-check", import.meta.filename ?? "", folder];
  const { stdout } = await new Deno.Command(Deno.execPath(), { args, stderr: "inherit" }).output();
  const [handled = NaN, built = NaN] = JSON.parse(new TextDecoder().decode(stdout));
  return [handled, built];
}

/** Five hundred classes of ten methods, each a class of its own. */
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
  // deno-lint-ignore no-console -- read by the process that started this one.
  console.log(JSON.stringify(start(await load("cold", folder))));
}
