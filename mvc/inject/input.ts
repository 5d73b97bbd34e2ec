/**
 * Typed input: parts of the request that a schema checks, as default values of arguments.
 *
 * @module
 */

import type { InputKind } from "../../src/app/route_description.ts";
import type { FormResult as Outcome } from "../../src/input/form_result.ts";
import type { StandardSchema } from "../../src/input/schema.ts";
import type { From } from "../reflect/input_type.ts";
import { recognise } from "./default_value.ts";
import { ask } from "./inject.ts";
import { formResultToken, inputToken } from "./input_token.ts";

/** What a schema gives. */
export type InputOutput<S extends StandardSchema> = S extends StandardSchema<infer Output> ? Output : never;

/** What a client sends for a schema to accept it. */
export type InputSent<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>["input"];

/**
 * What an argument of a method receives of a checked input: what its schema gives. The type also tells a client what to
 * send.
 *
 * It is inferred from a default value such as `mvc.Body(schema)`. Write it where types have to be declared, as in a
 * package for JSR.
 */
export type Checked<Kind extends InputKind, S extends StandardSchema> = InputOutput<S> | From<Kind, InputSent<S>>;

/** The outcome of a form, as {@linkcode FormResult} gives it. The type also tells a client what to send. */
export type CheckedForm<S extends StandardSchema> = Outcome<InputOutput<S>> | From<"Form", InputSent<S>>;

/**
 * The JSON body of the request, checked by a schema: the default value of an argument of a controller's method, or of a
 * function on `party.ConfigureContainer()`. Nothing has to be registered.
 *
 * A body that cannot be read fails with status 400, one of another content type with 415, and one that does not fit
 * with 422, each as problem details. Their `errors` list every wrong place of all inputs of the method, each with the
 * part of the request (`in`), a JSON pointer and a message. Values may be nested up to 400 levels deep.
 *
 * If the schema takes a bigint, a JSON number is read as one, without loss of digits.
 *
 * @example An input checked by zod
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
 *
 * @param schema A schema of any library that implements Standard Schema. It is read once, when the controller is
 * served, so it cannot depend on other arguments.
 * @returns What the schema gives.
 */
export function Body<S extends StandardSchema>(schema: S): Checked<"Body", S> {
  return ask(inputToken("Body", schema)) as Checked<"Body", S>;
}

/**
 * The query of the request, checked by a schema: the default value of an argument, as {@linkcode Body} is. Values are
 * texts. A name that comes several times, ends in `[]`, or that the schema takes a list for, is a list.
 *
 * @param schema A schema of any library that implements Standard Schema.
 * @returns What the schema gives.
 */
export function Query<S extends StandardSchema>(schema: S): Checked<"Query", S> {
  return ask(inputToken("Query", schema)) as Checked<"Query", S>;
}

/**
 * The form in the body of the request, urlencoded or multipart, checked by a schema: the default value of an argument,
 * as {@linkcode Body} is. Values are texts and files. A name that comes several times, ends in `[]`, or that the schema
 * takes a list for, is a list. File contents beyond the memory limit are in temporary files, which are removed when the
 * request ends.
 *
 * @param schema A schema of any library that implements Standard Schema.
 * @returns What the schema gives.
 */
export function Form<S extends StandardSchema>(schema: S): Checked<"Form", S> {
  return ask(inputToken("Form", schema)) as Checked<"Form", S>;
}

/**
 * The outcome of a form, as `ctx.FormResult` gives it: the default value of an argument, for pages that show the form
 * again with its errors. If the form does not match the schema, the method still runs: check `IsValid`.
 *
 * A body that cannot be read as a form fails as it does with {@linkcode Form}.
 *
 * @example A page with a form
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
 * @param schema A schema of any library that implements Standard Schema.
 * @returns The output of the schema, or the errors by field name; in both cases with the submitted values.
 */
export function FormResult<S extends StandardSchema>(schema: S): CheckedForm<S> {
  return ask(formResultToken(schema)) as CheckedForm<S>;
}

/**
 * The headers of the request, checked by a schema: the default value of an argument, as {@linkcode Body} is. Names
 * match whatever their case, values are texts. If the schema takes a list, the header is split at its commas.
 *
 * @param schema A schema of any library that implements Standard Schema.
 * @returns What the schema gives.
 */
export function Header<S extends StandardSchema>(schema: S): Checked<"Header", S> {
  return ask(inputToken("Header", schema)) as Checked<"Header", S>;
}

/**
 * The path parameters of the request by name, checked by a schema: the default value of an argument, as
 * {@linkcode Body} is. Values are texts.
 *
 * @param schema A schema of any library that implements Standard Schema.
 * @returns What the schema gives.
 */
export function Params<S extends StandardSchema>(schema: S): Checked<"Params", S> {
  return ask(inputToken("Params", schema)) as Checked<"Params", S>;
}

recognise(Body, "Body", "schema");
recognise(Query, "Query", "schema");
recognise(Form, "Form", "schema");
recognise(FormResult, "FormResult", "schema");
recognise(Header, "Header", "schema");
recognise(Params, "Params", "schema");
