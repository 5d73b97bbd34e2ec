// Cases about typed inputs.

import type * as fw from "../../../../mod.ts";
import * as mvc from "../../../../mvc/mod.ts";
import { Body as body } from "../../../../mvc/mod.ts";
import type { Case } from "../case.ts";

/**
 * Creates a schema for an object with a string member. A schema library would make the bundles of the other cases
 * larger.
 */
function textAt<K extends string>(key: K) {
  return {
    "~standard": {
      version: 1,
      vendor: "cases",
      types: undefined as { input: Record<K, string>; output: Record<K, string> } | undefined,
      validate(value: unknown): { value: Record<K, string> } | { issues: { message: string; path: string[] }[] } {
        const found = (value as Record<string, unknown> | undefined)?.[key];
        return typeof found === "string"
          ? { value: { [key]: found } as Record<K, string> }
          : { issues: [{ message: "Not a string", path: [key] }] };
      },
    },
  } as const;
}

const user = textAt("name");
const page = textAt("page");

async function post(app: fw.Application, path: string, value: unknown): Promise<string> {
  const headers = { "content-type": "application/json" };
  const request = new Request(`http://localhost${path}`, { method: "POST", body: JSON.stringify(value), headers });
  const response = await app.fetch(request);
  return `${response.status} ${await response.text()}`;
}

/** Cases about inputs. */
export const inputCases: readonly Case[] = [
  {
    name: "14: inputs are read, validated and listed on the route",
    async run({ app, m, note }) {
      class Users {
        Post(input = mvc.Body(user), query = mvc.Query(page), inline = mvc.Body(textAt("name"))) {
          note("body");
          return [input.name, query.page, inline.name];
        }
      }
      m.Handle(Users);
      note(app.Routes().flatMap((route) => route.Inputs).map((input) => input.Kind).join(" "));
      note(await post(app, "/?page=3", { name: "Ada" }));
      note(String((await post(app, "/?page=3", {})).slice(0, 3)));
      note(String((await post(app, "/", { name: "Ada" })).slice(0, 3)));
    },
    works: ["Body Query Body", "body", '200 ["Ada","3","Ada"]', "422", "422"],
  },
  {
    name: "14: inputs under an alias are validated, or fail the request if they are asynchronous",
    async run({ app, m, note }) {
      class Users {
        Post(input = body(user), inline = body(textAt("name"))) {
          note("body");
          return [input.name, inline.name];
        }
      }
      m.Handle(Users);
      note(await post(app, "/", { name: "Ada" }));
      note(String((await post(app, "/", {})).slice(0, 3)));
    },
    works: ["body", '200 ["Ada","Ada"]', "422"],
    inSource: ["500 Internal Server Error", "500"],
  },
  {
    name: "14: a guard runs before an input",
    async run({ app, m, note }) {
      function guard(ctx: fw.Context) {
        ctx.StopWithStatus(401);
        return "stranger";
      }
      class Users {
        Post(_guard = mvc.Inject(guard), input = mvc.Body(user)) {
          note("body");
          return input.name;
        }
      }
      m.Register(guard).Handle(Users);
      note(await post(app, "/", {}));
    },
    works: ["401 Unauthorized"],
  },
];
