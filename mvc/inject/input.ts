/**
 * Typed inputs. They are parts of the request that are validated by a schema, used as default values of arguments.
 *
 * @module
 */

import type { FormResult as Outcome } from "../../src/core/accessors/form_result.ts";
import type { FormOptions } from "../../src/core/accessors/form_options.ts";
import type { StandardSchema } from "../../src/core/accessors/schema.ts";
import type { InputKind } from "../../src/core/context/format/input_reader.ts";
import type { From } from "../reflect/input_type.ts";
import { inputToken } from "../reflect/token.ts";
import { recognize } from "./default_value.ts";
import { ask } from "./inject.ts";

/** The output type of a schema. */
export type InputOutput<S extends StandardSchema> = S extends StandardSchema<infer Output> ? Output : never;

/** The type that a client sends for a schema. */
export type InputSent<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>["input"];

/**
 * The type of an argument with a validated input, which is the output of its schema. The type also tells typed clients
 * what to send.
 *
 * The type is inferred from a default value such as `mvc.Body(schema)`. Write it out if types must be explicit, as in a
 * package for JSR.
 */
export type Checked<Kind extends InputKind, S extends StandardSchema> = InputOutput<S> | From<Kind, InputSent<S>>;

/** The result of a form, as returned by {@linkcode FormResult}. The type also tells typed clients what to send. */
export type CheckedForm<S extends StandardSchema> = Outcome<InputOutput<S>> | From<"Form", InputSent<S>>;

/**
 * Reads the JSON request body and validates it with a schema. Use it as the default value of an argument of a
 * controller method or of a handler on `party.ConfigureContainer()`. Nothing has to be registered.
 *
 * Responds with problem details if the body is not valid. The status is 400 if the body cannot be parsed, 415 if it has
 * another content type, and 422 if it does not match the schema. The `errors` member lists all problems in all inputs
 * of the method, each with the part of the request (`in`), a JSON pointer and a message. Values can be nested up to 400
 * levels deep. If the schema expects a bigint, JSON numbers are read without loss of precision.
 *
 * @param schema A schema from any Standard Schema library. It is evaluated once, when the controller is registered, so
 * it cannot depend on other arguments.
 * @returns The output of the schema.
 *
 * @example Validate a body with zod
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mvc from "@fw/web/mvc";
 * import { z } from "npm:zod@^4";
 *
 * const newUser = z.object({ name: z.string().min(1), age: z.number().int().default(18) });
 * class UserController {
 *   Post(user = mvc.Body(newUser)) {
 *     return mvc.Tuple({ id: 1, ...user }, 201);
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app.Party("/users")).Handle(UserController);
 *
 * async function post(body: unknown) {
 *   const headers = { "content-type": "application/json" };
 *   const request = new Request("http://localhost/users", { method: "POST", body: JSON.stringify(body), headers });
 *   return await (await app.fetch(request)).json();
 * }
 * await post({ name: "Ada" }); // → { id: 1, name: "Ada", age: 18 }
 * (await post({ name: "" })).errors[0].pointer; // → "#/name"
 * ```
 */
export function Body<S extends StandardSchema>(schema: S): Checked<"Body", S> {
  return ask(inputToken("Body", schema)) as Checked<"Body", S>;
}

/**
 * Reads the query string and validates it with a schema. Use it as the default value of an argument, like {@linkcode
 * Body}. A parameter is read as an array if it is repeated, if its name ends in `[]`, or if the schema expects one.
 *
 * Strings are converted to the types in the schema: numbers, bigints, booleans (`true`, `false`, `1`, `0` and `on`),
 * ISO 8601 dates, `null`, and objects in JSON. A string that is not the exact representation of a value, such as
 * `3abc` or `9007199254740993` for a number, is not converted, so that the schema rejects it. If the schema also
 * accepts strings, the value stays a string. This requires zod, valibot, or a library with Standard JSON Schema.
 *
 * @example A query with a number and a list
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mvc from "@fw/web/mvc";
 * import { z } from "npm:zod@^4";
 *
 * const page = z.object({ limit: z.number().int().max(50).default(10), tags: z.array(z.string()) });
 * class TeaController {
 *   Get(query = mvc.Query(page)) {
 *     return query;
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app.Party("/teas")).Handle(TeaController);
 *
 * const get = (query: string) => app.fetch(new Request(`http://localhost/teas?${query}`));
 * await (await get("limit=3&tags=green")).json(); // → { limit: 3, tags: ["green"] }
 * (await get("limit=3abc")).status; // → 422
 * ```
 *
 * @param schema A schema from any Standard Schema library.
 * @returns The output of the schema.
 */
export function Query<S extends StandardSchema>(schema: S): Checked<"Query", S> {
  return ask(inputToken("Query", schema)) as Checked<"Query", S>;
}

/**
 * Reads a urlencoded or multipart form and validates it with a schema. Use it as the default value of an argument, like
 * {@linkcode Body}. A field is read as an array if it is repeated, if its name ends in `[]`, or if the schema expects
 * one. Strings are converted as by {@linkcode Query}. A checkbox that is not checked is missing from the form, so use
 * `z.boolean().default(false)`.
 *
 * A file is a `File`, and a file field in which the user did not select a file is missing. File contents that exceed
 * the memory limit are stored in temporary files, which are removed at the end of the request.
 *
 * @example A form with files
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mvc from "@fw/web/mvc";
 * import { z } from "npm:zod@^4";
 *
 * const photo = z.file().max(1 << 20).mime(["image/png", "image/jpeg"]);
 * const newTea = z.object({ name: z.string(), cover: photo.optional(), photos: z.array(photo).max(5) });
 * class TeaController {
 *   Post(form = mvc.Form(newTea)) {
 *     return { cover: form.cover?.name, photos: form.photos.length };
 *   }
 * }
 * const app = fw.New();
 * mvc.New(app.Party("/teas")).Handle(TeaController);
 *
 * const body = new FormData();
 * body.append("name", "Assam");
 * body.append("cover", new File(["…"], "cover.png", { type: "image/png" }));
 * const response = await app.fetch(new Request("http://localhost/teas", { method: "POST", body }));
 * await response.json(); // → { cover: "cover.png", photos: 0 }
 * ```
 *
 * @param schema A schema from any Standard Schema library.
 * @returns The output of the schema.
 */
export function Form<S extends StandardSchema>(schema: S): Checked<"Form", S> {
  return ask(inputToken("Form", schema)) as Checked<"Form", S>;
}

/**
 * Reads a form and returns its result, like `ctx.FormResult`. Use it as the default value of an argument, for pages
 * that show the form again with its errors. The method also runs if the form does not match the schema, so check
 * `IsValid`.
 *
 * If the body cannot be read as a form, the request fails as with {@linkcode Form}.
 *
 * @example Show a form again with its errors
 * ```ts
 * import * as fw from "@fw/web";
 * import * as mvc from "@fw/web/mvc";
 * import { z } from "npm:zod@^4";
 *
 * const newTea = z.object({ name: z.string().min(1, "Enter a name") });
 * class TeaController {
 *   GetNew() {
 *     return new mvc.View({ Name: "new", Data: { form: fw.NewForm() } });
 *   }
 *   Post(form = mvc.FormResult(newTea)) {
 *     if (!form.IsValid) return new mvc.View({ Name: "new", Data: { form }, Code: 422 });
 *     return new mvc.Response({ Path: `/teas/${form.Value.name}` }); // 303
 *   }
 * }
 * const app = fw.New();
 * app.RegisterView(fw.HTML("").ParseTemplate("new.html", "<%= it.form.Error('name') %>"));
 * mvc.New(app.Party("/teas")).Handle(TeaController);
 *
 * const body = new URLSearchParams({ name: "" });
 * const response = await app.fetch(new Request("http://localhost/teas", { method: "POST", body }));
 * [response.status, await response.text()]; // → [422, "Enter a name"]
 * ```
 *
 * @param schema A schema from any Standard Schema library.
 * @param options The fields that are secrets, and those that are not although their names suggest it.
 * @returns The schema's output or the errors by field name, together with the submitted values.
 */
export function FormResult<S extends StandardSchema>(schema: S, options?: FormOptions): CheckedForm<S> {
  return ask(inputToken("FormResult", schema, options)) as CheckedForm<S>;
}

/**
 * Reads the request headers and validates them with a schema. Use it as the default value of an argument, like
 * {@linkcode Body}. Names are case-insensitive. If the schema expects an array, the header is split at commas. Strings
 * are converted as by {@linkcode Query}.
 *
 * @param schema A schema from any Standard Schema library.
 * @returns The output of the schema.
 */
export function Header<S extends StandardSchema>(schema: S): Checked<"Header", S> {
  return ask(inputToken("Header", schema)) as Checked<"Header", S>;
}

/**
 * Reads the path parameters and validates them with a schema. Use it as the default value of an argument, like
 * {@linkcode Body}. Strings are converted as by {@linkcode Query}.
 *
 * @param schema A schema from any Standard Schema library.
 * @returns The output of the schema.
 */
export function Params<S extends StandardSchema>(schema: S): Checked<"Params", S> {
  return ask(inputToken("Params", schema)) as Checked<"Params", S>;
}

// The keys are the published names, because a minifier may rename the functions.
for (const [name, input] of Object.entries({ Body, Query, Form, FormResult, Header, Params })) {
  recognize(input, name, "schema");
}
