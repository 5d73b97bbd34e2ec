import { assertEquals } from "@std/assert";
import plugin from "../../src/tools/lint/mod.ts";

/** Returns the plugin's findings for the members of a class, as the rule and the first quoted word. */
function lint(members: string): string[] {
  return Deno.lint.runPlugin(plugin, "users.ts", `class C { ${members} }`).map(({ id, message }) =>
    `${id.replace("fw-web/", "")} ${message.split('"')[1]}`
  );
}

Deno.test("no-hidden-route rejects private and protected methods with a route's name", () => {
  assertEquals(lint("private GetSecrets() {}"), ["no-hidden-route GetSecrets"]);
  assertEquals(lint("protected DeleteBy(id = 0) {}"), ["no-hidden-route DeleteBy"]);
  assertEquals(lint("private getSecrets() {} private Getter() {} #Get() {} GetAll() {} private static Get() {}"), []);
  assertEquals(lint("private GetSecrets() {} BeforeActivation(b: unknown) {}"), []);
});

Deno.test("no-optional-path-argument rejects an optional argument whose type is lost", () => {
  assertEquals(lint("GetBy(id?: number) {}"), ["no-optional-path-argument id"]);
  assertEquals(lint("GetBy(name: string, page?: bigint) {}"), ["no-optional-path-argument page"]);
  assertEquals(lint("GetBy(name?: string) {} PutBy(id = 0) {} Get(ctx?: Context) {}"), []);
});

Deno.test("context-name rejects a Context under another name before path arguments", () => {
  assertEquals(lint("GetBy(c: Context, id = 0) {}"), ["context-name GetBy"]);
  assertEquals(lint("GetBy(request: fw.Context, id = 0) {}"), ["context-name GetBy"]);
  assertEquals(lint("GetBy(ctx: fw.Context, id = 0) {} PutBy(_ctx: Context) {} Get(request: Context) {}"), []);
  assertEquals(lint("GetBy(contextName: string) {}"), []);
});

Deno.test("inject-name rejects injecting functions that are imported under another name", () => {
  function lintImport(text: string): string[] {
    return Deno.lint.runPlugin(plugin, "users.ts", text).map(({ message }) => message.split('"')[3] ?? "");
  }
  assertEquals(lintImport('import { Inject as use } from "@fw/web/mvc";'), ["use"]);
  assertEquals(lintImport('import { Body, Inject as use, Query as q } from "jsr:@fw/web@^1.2.0/mvc";'), ["use", "q"]);
  assertEquals(lintImport('import { Inject, Body as Body, Tuple as T } from "@fw/web/mvc";'), []);
  assertEquals(lintImport('import { Inject as use } from "other/mvc"; import * as m from "@fw/web/mvc";'), []);
});

Deno.test("inject-name rejects default values that are not written as mvc.Inject", () => {
  function lintDefault(imports: string, list: string): string[] {
    const text = `import ${imports} from "@fw/web/mvc"; class A { Get(${list}) {} }`;
    return Deno.lint.runPlugin(plugin, "users.ts", text).map(({ message }) => message.split('"')[3] ?? "");
  }
  assertEquals(lintDefault("{ Inject }", "user = Inject(User)"), ["Inject"]);
  assertEquals(lintDefault("{ Body, Inject }", "name = Inject(user).name.trim(), b = Body(s)"), ["Inject", "Body"]);
  assertEquals(lintDefault("* as m", "{ name } = m.Inject(user)"), ["m.Inject"]);
  assertEquals(lintDefault("* as mvc", "user = mvc.Inject(User), n = mvc.Tuple(1, 2)[0]"), []);
  assertEquals(lintDefault("* as m", "n = m.Tuple(1, 2)[0], id = 0, now = Date.now()"), []);
  assertEquals(lintDefault("{ Inject }", "id = 0) { Inject(id); } field = Inject(User); Post(a = 1"), []);
});
