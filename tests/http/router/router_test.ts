import { assert, assertEquals } from "@std/assert";
import { Macros } from "../../../src/http/parameter_types/macros.ts";
import { parseTemplate, type Template } from "../../../src/http/parameter_types/template.ts";
import { Router } from "../../../src/http/router/router.ts";
import { type Behavior, behaviors } from "./contract.ts";
import { type Hit, Linear } from "./linear.ts";

/** The common interface of both routers. */
interface Subject {
  add(method: string, template: Template, payload: Entry): Entry | undefined;
  find(method: string, path: string): Hit<Entry> | undefined;
  methodsAt(path: string): string[];
  elseCode(method: string, path: string): number;
}

interface Entry {
  readonly text: string;
  readonly names: readonly string[];
}

const before = "http://example.com";
const after = "?a=/b#c";

/** The tree. Like in requests, the path is part of a longer string. */
class Tree implements Subject {
  readonly #router = new Router<Entry>();

  add(method: string, template: Template, payload: Entry): Entry | undefined {
    return this.#router.add(method, template, payload);
  }

  find(method: string, path: string): Hit<Entry> | undefined {
    const text = before + path + after;
    const payload = this.#router.find(method, text, before.length, before.length + path.length);
    if (payload === undefined) return undefined;
    const { spans } = this.#router;
    return { payload, values: payload.names.map((_, i) => text.slice(spans[2 * i], spans[2 * i + 1])) };
  }

  methodsAt(path: string): string[] {
    return this.#router.methodsAt(before + path + after, before.length, before.length + path.length);
  }

  elseCode(method: string, path: string): number {
    return this.#router.refusal(method, before + path + after, before.length, before.length + path.length)?.code ?? 404;
  }
}

function split(text: string): [method: string, path: string] {
  const match = /^([A-Z]+) (.*)$/s.exec(text);
  return match === null ? ["GET", text] : [match[1] ?? "", match[2] ?? ""];
}

function check(subject: Subject, behavior: Behavior): void {
  const macros = new Macros();
  for (const text of behavior.routes) {
    const [method, path] = split(text);
    const template = parseTemplate(path, macros);
    const replaced = subject.add(method, template, { text, names: template.names });
    const expected = behavior.replaces?.[text];
    if (expected !== undefined) assertEquals(replaced?.text ?? "none", expected, `what ${text} replaces`);
  }
  for (const [ask, expected] of Object.entries(behavior.finds ?? {})) {
    const hit = subject.find(...split(ask));
    const values = hit?.values.map((value, i) => ` ${hit.payload.names[i]}=${value}`) ?? [];
    assertEquals(hit === undefined ? "404" : hit.payload.text + values.join(""), expected, `where ${ask} leads`);
  }
  for (const [path, expected] of Object.entries(behavior.allows ?? {})) {
    assertEquals(subject.methodsAt(path).join(" "), expected, `the methods of ${path}`);
  }
  for (const [ask, expected] of Object.entries(behavior.refuses ?? {})) {
    const [method, path] = split(ask);
    assertEquals(subject.find(method, path), undefined, `${ask} leads nowhere`);
    assertEquals(subject.elseCode(method, path), expected, `the code for ${ask}`);
  }
}

for (const behavior of behaviors) {
  Deno.test(`Router ${behavior.says}`, () => check(new Tree(), behavior));
  Deno.test(`Router ${behavior.says}, in the reference implementation`, () => check(new Linear<Entry>(), behavior));
  const isOrderFree = behavior.replaces === undefined;
  if (isOrderFree && behavior.routes.length > 1) {
    const reversed = { ...behavior, routes: behavior.routes.toReversed() };
    Deno.test(`Router ${behavior.says}, registered in reverse`, () => check(new Tree(), reversed));
  }
}

Deno.test("Router has a table of at least 80 behaviors without duplicates", () => {
  assert(behaviors.length >= 80, `${behaviors.length}`);
  assertEquals(new Set(behaviors.map((behavior) => behavior.says)).size, behaviors.length);
});

Deno.test("Router.methods() lists the methods that have any route, sorted", () => {
  const router = new Router<string>();
  const template = parseTemplate("/a", new Macros());
  for (const method of ["PUT", "GET", "DELETE"]) router.add(method, template, method);
  assertEquals(router.methods(), ["DELETE", "GET", "PUT"]);
});

Deno.test("Router.find() returns the spans of the last tree that it searched", () => {
  const router = new Router<string>();
  const macros = new Macros();
  router.add("GET", parseTemplate("/{a}/{b}", macros), "get");
  router.add("POST", parseTemplate("/{a}", macros), "post");
  assertEquals(router.find("GET", "/xx/yyy", 0, 7), "get");
  assertEquals(router.spans.slice(0, 4), [1, 3, 4, 7]);
  assertEquals(router.find("POST", "/zzzz", 0, 5), "post");
  assertEquals(router.spans.slice(0, 2), [1, 5]);
});

Deno.test("Router.find() checks each parameter at most once, regardless of backtracking", () => {
  const macros = new Macros();
  const asked = new Map<string, number>();
  for (let i = 0; i < 6; i++) {
    const name = `t${i}`;
    macros.Register({
      Name: name,
      Test: (text, start, end) => {
        const key = `${name} ${start}`;
        asked.set(key, (asked.get(key) ?? 0) + 1);
        return text.slice(start, end) !== "never";
      },
    });
  }
  const router = new Router<string>();
  // There are 6 types on each of 4 levels. All of them match, but no route ends there. The tree has 6 + 36 + 216 + 1296
  // edges, and each is visited once.
  const types = [0, 1, 2, 3, 4, 5];
  for (const a of types) {
    for (const b of types) {
      for (const c of types) {
        for (const d of types) {
          router.add("GET", parseTemplate(`/{a:t${a}}/{b:t${b}}/{c:t${c}}/{d:t${d}}/end`, macros), "hit");
        }
      }
    }
  }
  assertEquals(router.find("GET", "/aa/bb/cc/dd/nowhere", 0, 20), undefined);
  assertEquals(asked.values().reduce((sum, count) => sum + count, 0), 6 + 36 + 216 + 1296);
});

Deno.test("Router finds each of 500 routes", () => {
  const macros = new Macros();
  const router = new Router<number>();
  const kinds = ["", "/{id:int}", "/{id:int}/items/{item}", "/{name}", "/{rest:path}"];
  for (let i = 0; i < 500; i++) {
    router.add(
      "GET",
      parseTemplate(
        `/api/v1/group${i % 50}/thing${i % 100}${kinds[i % 5]}/r${i}`.replace(/(\{rest:path\}).*/, "$1"),
        macros,
      ),
      i,
    );
  }
  assertEquals(router.find("GET", "/api/v1/group0/thing0/r0", 0, 24), 0);
  assertEquals(router.find("GET", "/api/v1/group1/thing1/7/r1", 0, 26), 1);
  assertEquals(router.find("GET", "/api/v1/group2/thing2/7/items/x/r2", 0, 34), 2);
});
