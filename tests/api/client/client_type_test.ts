import { assertType, type IsExact } from "@std/testing/types";
import type { CallResult, Client, JSONOf, ValueOf } from "../../../src/api/client/mod.ts";
import type { From } from "../../../mvc/reflect/input_type.ts";
import * as mvc from "../../../mvc/mod.ts";
import type { Context } from "../../../src/core/context/context.ts";

interface User {
  readonly id: bigint;
  readonly name: string;
  readonly born: Date;
}

interface JSONUser {
  readonly id: number | bigint;
  readonly name: string;
  readonly born: string;
}

interface UserInput {
  readonly name: string;
  readonly mail: string;
}

class Users {
  find(_id: bigint): User | undefined {
    return undefined;
  }
}

/** Typed inputs as declared by `mvc.Body` and similar functions. */
const body = { name: "", mail: "" } as UserInput | From<"Body", UserInput>;
const page = { limit: 5 } as { limit: number } | From<"Query", { limit?: string }>;
const filter = { by: "" } as { by: string } | From<"Query", { by: string }>;
const trace = {} as { "x-trace"?: string } | From<"Header", { "x-trace"?: string }>;
const upload = {} as { file: File } | From<"Form", { file: File }>;
const text = "" as string | From<"Body", string>;

class _UserController {
  Ctx!: Context;
  users = new Users();
  Get(_query = page, _trace = trace): User[] {
    return [];
  }
  GetBy(id = 0n): mvc.Tuple<User | undefined, boolean> {
    return mvc.Tuple(this.users.find(id), false);
  }
  Post(_input = body): mvc.Tuple<User, number> {
    return mvc.Tuple({} as User, 201);
  }
  PutBy(_id = 0n, _input = body, _users = new Users()): Promise<User> {
    return Promise.reject(new Error("unused"));
  }
  GetByFriendsBy(_ctx: Context, _id = 0n, friend: string): string {
    return friend;
  }
  PostBy(_id: string, _text = text): void {}
  GetSearch(_query = filter): string[] {
    return [];
  }
  PutFile(_form = upload): number {
    return 204;
  }
  GetManyBy(_a = 0, _b = "", _c = false, _d = 0n, _e = page, _f = new Users()): null {
    return null;
  }
  Getter(_id: number): void {}
  getSmall(): void {}
  BeginRequest(_ctx: Context): void {}
}

type UserClient = Client<_UserController>;
declare const client: UserClient;

/** Calls that are only checked by the compiler. */
async function calls(): Promise<void> {
  const [users] = await client.Get();
  assertType<IsExact<typeof users, JSONUser[] | undefined>>(true);
  await client.Get({ Query: { limit: "5" }, Header: { "x-trace": "a" }, Signal: AbortSignal.abort() });
  const [user, error] = await client.GetBy(5n);
  if (error === null) assertType<IsExact<typeof user, JSONUser>>(true);
  else assertType<IsExact<typeof user, undefined>>(true);
  await client.Post({ Body: { name: "Ada", mail: "a@b" } });
  await client.PutBy(5n, { Body: { name: "Ada", mail: "a@b" }, Headers: { "x-a": "b" } });
  await client.GetByFriendsBy(5n, "bob");
  await client.PostBy("5", { Body: "text" });
  await client.GetSearch({ Query: { by: "name" } });
  await client.PutFile({ Form: { file: new File([], "a") } });
  await client.GetManyBy(1, "b", true, 2n);
  await client.GetManyBy(1, "b", true, 2n, { Query: { limit: "1" } });

  // @ts-expect-error The body is missing.
  await client.Post();
  // @ts-expect-error A part of the body is missing.
  await client.Post({ Body: { name: "Ada" } });
  // @ts-expect-error The id is a bigint.
  await client.PutBy("5", { Body: { name: "Ada", mail: "a@b" } });
  // @ts-expect-error The name is a string.
  await client.PutBy(5n, { Body: { name: 3, mail: "a@b" } });
  // @ts-expect-error The id is missing.
  await client.GetBy();
  // @ts-expect-error The query is sent as text.
  await client.Get({ Query: { limit: 5 } });
  // @ts-expect-error The query is missing.
  await client.GetSearch();
  // @ts-expect-error There is no such option.
  await client.Get({ Bod: {} });
  // @ts-expect-error The first word of the name is not a verb.
  await client.Getter(1);
  // @ts-expect-error Fields are not routes.
  client.users;
  // @ts-expect-error Nor are hooks.
  await client.BeginRequest();
}

Deno.test("Client has a typed method for each route of a controller", () => {
  assertType<IsExact<typeof calls, () => Promise<void>>>(true);
  assertType<
    IsExact<
      keyof UserClient,
      | "Get"
      | "GetBy"
      | "Post"
      | "PutBy"
      | "GetByFriendsBy"
      | "PostBy"
      | "GetSearch"
      | "PutFile"
      | "GetManyBy"
    >
  >(true);
  const pair: CallResult<string> = ["", null];
  assertType<IsExact<typeof pair[0], string>>(true);
});

Deno.test("JSONOf is the JSON form of a type", () => {
  class _Account {
    id = 1n;
    #secret = "";
    tags = new Set<bigint>();
    rights = new Map<string, Date>();
    at?: Date;
    nothing = null;
    total(): string {
      return this.#secret;
    }
  }
  assertType<
    IsExact<
      JSONOf<_Account>,
      { id: number | bigint; tags: (number | bigint)[]; rights: { [name: string]: string }; at?: string; nothing: null }
    >
  >(true);
  assertType<IsExact<JSONOf<[bigint, Date, { a: undefined }]>, [number | bigint, string, { a: undefined }]>>(true);
  assertType<IsExact<JSONOf<readonly bigint[]>, readonly (number | bigint)[]>>(true);
  assertType<IsExact<JSONOf<{ toJSON(): bigint }>, number | bigint>>(true);
  assertType<IsExact<JSONOf<unknown>, unknown>>(true);
  assertType<IsExact<JSONOf<"a" | 1n | undefined>, "a" | number | bigint | undefined>>(true);
});

Deno.test("ValueOf is the type that a call resolves to for a return type", () => {
  assertType<IsExact<ValueOf<string>, string>>(true);
  assertType<IsExact<ValueOf<number>, undefined>>(true);
  assertType<IsExact<ValueOf<boolean>, undefined>>(true);
  assertType<IsExact<ValueOf<bigint>, number | bigint>>(true);
  assertType<IsExact<ValueOf<null>, null>>(true);
  assertType<IsExact<ValueOf<void>, unknown>>(true);
  assertType<IsExact<ValueOf<undefined>, undefined>>(true);
  assertType<IsExact<ValueOf<User | Error>, JSONUser>>(true);
  assertType<IsExact<ValueOf<Promise<bigint[]>>, (number | bigint)[]>>(true);
  assertType<IsExact<ValueOf<Response>, unknown>>(true);
  assertType<IsExact<ValueOf<mvc.View>, unknown>>(true);
  assertType<IsExact<ValueOf<Blob>, unknown>>(true);
  assertType<IsExact<ValueOf<Uint8Array>, Blob>>(true);
  assertType<IsExact<ValueOf<ReadableStream>, Blob>>(true);
  assertType<IsExact<ValueOf<AsyncGenerator<string>>, AsyncIterable<string>>>(true);
  assertType<IsExact<ValueOf<Map<string, bigint>>, { [name: string]: number | bigint }>>(true);
  assertType<IsExact<ValueOf<mvc.Tuple<User | undefined, boolean>>, JSONUser>>(true);
  assertType<IsExact<ValueOf<mvc.Tuple<bigint[], number>>, (number | bigint)[]>>(true);
  assertType<IsExact<ValueOf<mvc.Tuple<number, { id: bigint }>>, { id: number | bigint }>>(true);
  assertType<IsExact<ValueOf<mvc.Tuple<number, string>>, string>>(true);
  assertType<IsExact<ValueOf<mvc.Tuple<string, string>>, string>>(true);
  assertType<IsExact<ValueOf<mvc.Tuple<User, string>>, unknown>>(true);
  assertType<IsExact<ValueOf<mvc.Tuple<string, Error | null>>, string>>(true);
  assertType<IsExact<ValueOf<mvc.Tuple<number, Error | null>>, undefined>>(true);
});
