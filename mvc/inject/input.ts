/**
 * Typed input: parts of the request that a schema checks, as default values of arguments.
 *
 * @module
 */

import type { StandardSchema } from "../../src/input/schema.ts";
import type { From } from "../reflect/input_type.ts";
import { recognise } from "./default_value.ts";
import { ask } from "./inject.ts";
import { inputToken } from "./input_token.ts";

/** What a schema gives. */
export type InputOutput<S extends StandardSchema> = S extends StandardSchema<infer Output> ? Output : never;

/** What a client sends for a schema to accept it. */
export type InputSent<S extends StandardSchema> = NonNullable<S["~standard"]["types"]>["input"];

/**
 * The JSON body of the request, checked by a schema: the default value of an argument of a controller's method, or of a
 * function on `party.ConfigureContainer()`. Nothing has to be registered.
 *
 * A body that cannot be read fails with status 400, one of another content type with 415, and one that does not fit
 * with 422, each as problem details; `errors` holds a JSON pointer and a message for each place.
 *
 * Over a connection only the value is kept of the body. What needs its bytes too, to check a signature for example,
 * reads them before: middleware or a dependency that is written before this one, with `ctx.GetBody()`.
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
export function Body<S extends StandardSchema>(schema: S): InputOutput<S> & From<"Body", InputSent<S>> {
  return ask(inputToken("Body", schema)) as InputOutput<S> & From<"Body", InputSent<S>>;
}

/**
 * The query of the request, checked by a schema: the default value of an argument, as {@linkcode Body} is. Values are
 * texts; a name that comes several times, or ends in `[]`, is a list.
 *
 * @param schema A schema of any library that implements Standard Schema.
 * @returns What the schema gives.
 */
export function Query<S extends StandardSchema>(schema: S): InputOutput<S> & From<"Query", InputSent<S>> {
  return ask(inputToken("Query", schema)) as InputOutput<S> & From<"Query", InputSent<S>>;
}

/**
 * The form in the body of the request, urlencoded or multipart, checked by a schema: the default value of an argument,
 * as {@linkcode Body} is. Values are texts and files; a name that comes several times, or ends in `[]`, is a list. What
 * files hold beyond the memory limit lies in temporary files, which are gone when the request ends.
 *
 * @param schema A schema of any library that implements Standard Schema.
 * @returns What the schema gives.
 */
export function Form<S extends StandardSchema>(schema: S): InputOutput<S> & From<"Form", InputSent<S>> {
  return ask(inputToken("Form", schema)) as InputOutput<S> & From<"Form", InputSent<S>>;
}

/**
 * The headers of the request, checked by a schema: the default value of an argument, as {@linkcode Body} is. Names are
 * in small letters, values are texts.
 *
 * @param schema A schema of any library that implements Standard Schema.
 * @returns What the schema gives.
 */
export function Header<S extends StandardSchema>(schema: S): InputOutput<S> & From<"Header", InputSent<S>> {
  return ask(inputToken("Header", schema)) as InputOutput<S> & From<"Header", InputSent<S>>;
}

/**
 * The path parameters of the request by name, checked by a schema: the default value of an argument, as
 * {@linkcode Body} is. Values are texts.
 *
 * @param schema A schema of any library that implements Standard Schema.
 * @returns What the schema gives.
 */
export function Params<S extends StandardSchema>(schema: S): InputOutput<S> & From<"Params", InputSent<S>> {
  return ask(inputToken("Params", schema)) as InputOutput<S> & From<"Params", InputSent<S>>;
}

recognise(Body, "Body", "schema");
recognise(Query, "Query", "schema");
recognise(Form, "Form", "schema");
recognise(Header, "Header", "schema");
recognise(Params, "Params", "schema");
